/** `npm run build`: bundles the program and its views into dist/, or into the folder that `--outdir` names. */
import { parseArgs } from 'node:util';
import { bundleProgram } from './bundle-program.ts';
import { bundleViews } from './bundle-views.ts';

const { values } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } });
await Promise.all([bundleProgram(values.outdir), bundleViews(values.outdir)]);
