/** Bundles the benchmarks and the empty servers that they compare with, because running them with tsx would be slower. */
import { build } from 'esbuild';
import { forNode, withPackages } from '../../.ci/bundle-program.ts';

const outdir = 'node_modules/.cache/bench';

await build({
  ...forNode,
  entryPoints: ['test/bench/bench.ts'],
  packages: 'external',
  outdir,
  outExtension: { '.js': '.mjs' },
});

// Bundled like the program, because they are compared with it.
await build({
  ...withPackages,
  entryPoints: ['test/bench/empty-server.ts', 'test/bench/empty-http-server.ts'],
  outdir,
  outExtension: { '.js': '.mjs' },
});
