/** Bundles the benchmarks and the empty servers that they measure beside ours: a process that runs tsx is slower. */
import { build } from 'esbuild';
import { forNode, withPackages } from '../../.ci/bundle-program.ts';

const outdir = 'node_modules/.cache/bench';

await build({
  ...forNode,
  entryPoints: ['test/bench/bench.ts', 'test/bench/empty-http-server.ts'],
  packages: 'external',
  outdir,
  outExtension: { '.js': '.mjs' },
});

// Its start is compared with ours, so it is bundled as ours is, but for what ours leaves out of the SDK.
await build({
  ...withPackages,
  entryPoints: ['test/bench/empty-server.ts'],
  outdir,
  outExtension: { '.js': '.mjs' },
});
