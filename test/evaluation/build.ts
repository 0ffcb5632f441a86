/** Bundles the evaluation into node_modules/.cache/evaluation, because running it with tsx would be slower. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { forNode } from '../../.ci/bundle-program.ts';

export async function buildEvaluation(): Promise<void> {
  const options = {
    ...forNode,
    packages: 'external',
    splitting: true,
    outdir: 'node_modules/.cache/evaluation',
    outExtension: { '.js': '.mjs' },
    // The bundle finds tasks and recordings where the sources have them.
    define: { 'import.meta.dirname': JSON.stringify(import.meta.dirname) },
  } as const;
  const entryPoints = ['evaluate', 'door-host', 'program-preload'].map((name) =>
    join(import.meta.dirname, `${name}.ts`),
  );
  await build({ ...options, entryPoints });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildEvaluation();
