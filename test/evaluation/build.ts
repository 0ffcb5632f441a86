/** Bundles the evaluation into node_modules/.cache/evaluation, because running it with tsx would be slower. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { forNode } from '../../.ci/bundle-program.ts';
import { extraIds, taskIds, taskPath } from './tasks.ts';

export async function buildEvaluation(): Promise<void> {
  const parts = ['evaluate', 'door-host', 'program-preload', ...[...taskIds(), ...extraIds()].map(taskPath)];
  await build({
    ...forNode,
    entryPoints: parts.map((part) => join(import.meta.dirname, `${part}.ts`)),
    outbase: import.meta.dirname,
    packages: 'external',
    splitting: true,
    outdir: 'node_modules/.cache/evaluation',
    outExtension: { '.js': '.mjs' },
    // The bundle finds tasks and recordings where the sources have them.
    define: { 'import.meta.dirname': JSON.stringify(import.meta.dirname) },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildEvaluation();
