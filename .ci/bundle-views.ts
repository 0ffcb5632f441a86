/** How the views are bundled: each into one HTML file with its script and style inside, which hosts show in a frame. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { bundledPackages } from './third-party-notices.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** By the name of the view. Its script is `src/views/<name>.ts`. */
const titles = {
  report: 'Report',
  month: 'A month at a glance',
  forecast: 'Forecast',
  transactions: 'Transactions',
  write: 'A change',
  statements: 'Statements of the bank',
};

/** The browsers of the hosts that show views. */
const target = ['chrome123', 'firefox120', 'safari17.5'];

/**
 * Writes `views/<name>.html` into `outdir`. Throws if a view contains code of a package, because THIRD-PARTY-NOTICES lists
 * only those of the program.
 */
export async function bundleViews(outdir: string): Promise<void> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.keys(titles).map((name) => `src/views/${name}.ts`),
    outdir: 'views',
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'iife',
    target,
    logLevel: 'warning',
  });
  const packages = [...bundledPackages(metafile).keys()];
  if (packages.length > 0) throw new Error(`A view contains code of ${packages.join(', ')}.`);
  const css = readFileSync(resolve(root, 'src/views/style.css'), 'utf8');
  const { code: style } = await transform(css, { loader: 'css', minify: true, target });
  mkdirSync(resolve(root, outdir, 'views'), { recursive: true });
  for (const [index, title] of Object.values(titles).entries()) {
    const { path = '', text: script = '' } = outputFiles[index] ?? {};
    const name = /(\w+)\.js$/.exec(path)?.[1];
    writeFileSync(resolve(root, outdir, `views/${name}.html`), page(title, style, script));
  }
}

/** esbuild has escaped `</script` and `</style` in the code. */
const page = (title: string, style: string, script: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style.trim()}</style></head><body><script>${script.trim()}</script></body></html>\n`;
