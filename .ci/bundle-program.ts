/** How the program is bundled: what hosts start has its packages inside, so that it starts fast. */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { licensesByHand } from './licenses-by-hand.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** ES modules for the oldest Node.js that package.json allows. The benchmarks are bundled with these options too. */
export const forNode = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.18',
  // The same program from a checkout and in the image, which is built without tsconfig.json.
  tsconfigRaw: {},
  logLevel: 'warning',
} satisfies BuildOptions;

/** As `forNode`, with the packages in the bundle. */
export const withPackages = {
  ...forNode,
  // Makes the program smaller, which shortens its start. Names stay as they are, for the stack traces in bug reports.
  minifyWhitespace: true,
  minifySyntax: true,
  // CommonJS packages call `require`, which an ES module does not have.
  banner: {
    js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);",
  },
} satisfies BuildOptions;

/**
 * Imports zod as a namespace, so that esbuild leaves out what is not used: three quarters of it, with its messages in 50
 * languages. Node.js would parse and run all of that at each start. `import { z }` is what editors insert.
 */
const zodAsNamespace: Plugin = {
  name: 'zod as namespace',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        /^import \{ z \} from 'zod';$/m,
        "import * as z from 'zod';",
      ),
      loader: 'ts',
    })),
};

/**
 * Replaces a module by the values of its exports, as JSON. So the program lists its tools before it has loaded their
 * schemas. A test compares the list of the built program with the one that the source makes of the schemas.
 */
const defaultToolsAsJson: Plugin = {
  name: 'default tools as JSON',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]src[\\/]mcp[\\/]default-tools\.ts$/ }, async () => {
      const module: object = await import('../src/mcp/default-tools.ts');
      const lines = Object.entries(module).map(
        ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
      );
      return { contents: lines.join('\n'), loader: 'js' };
    }),
};

/**
 * oidc-provider keeps its records by the names of its classes. esbuild removes names that nothing refers to, and changes
 * others.
 */
export const namesOfClasses: Plugin = {
  name: 'names of classes',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]oidc-provider[\\/]lib[\\/]models[\\/]\w+\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/\bclass (\w+)[^{]*\{/g, "$& static name = '$1';"),
      loader: 'js',
    })),
};

const program = {
  ...withPackages,
  entryPoints: [
    { in: 'src/program.ts', out: 'program' },
    // The keychain is asked in a process of its own, which runs this.
    { in: 'src/auth/keychain-child.ts', out: 'auth/keychain-child' },
    // So do files of a bank in a thread. What starts it is a chunk, and finds it beside itself.
    { in: 'src/features/reconcile/bank-worker.ts', out: 'chunks/bank-worker' },
  ],
  // dist/ has the folders of src/: program.js finds auth/keychain-child.js beside itself.
  outbase: 'src',
  // What only some commands or tools need is a file of its own, loaded by `import()` when it is needed.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  // The only ordinary dependency: it consists of native code for each platform, which cannot be bundled.
  external: ['@napi-rs/keyring'],
  alias: {
    // The SDK's default loads a JSON Schema compiler at every start; the reason is in the file that replaces it.
    '@modelcontextprotocol/server/_shims': './src/mcp/sdk-shims.ts',
    // No secret may reach the output of the program.
    debug: './.ci/no-debug.ts',
    // Its main file is a module of a kind that cannot be bundled.
    'jsonc-parser': './node_modules/jsonc-parser/lib/esm/main.js',
  },
  plugins: [defaultToolsAsJson, namesOfClasses, zodAsNamespace],
  // Diffs, stack traces and editors cannot cope with a file of one line.
  lineLimit: 120,
} satisfies BuildOptions;

/** The file that hosts start. It stays as small as it is, in syntax of Node.js 14, to refuse a Node.js that is too old. */
const starter = {
  ...forNode,
  entryPoints: ['src/main.ts'],
  bundle: false,
  target: 'node14',
} satisfies BuildOptions;

/**
 * Bundles into `outdir`, the licenses of what is bundled included. Throws where one may not be passed on like that. Tests have
 * `changes` of the program.
 */
export async function bundleProgram(outdir: string, changes: readonly Plugin[] = []): Promise<Metafile> {
  await build({ ...starter, outdir });
  const plugins = [...changes, ...program.plugins];
  const { metafile } = await build({ ...program, plugins, outdir, metafile: true });
  const notices = thirdPartyNotices(metafile, root, licensesByHand);
  writeFileSync(resolve(root, outdir, 'THIRD-PARTY-NOTICES'), notices);
  return metafile;
}
