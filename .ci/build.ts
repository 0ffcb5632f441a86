/** `npm run build`: bundles the program into dist/, or into the folder that `--outdir` names. */
import { parseArgs } from 'node:util';
import { bundleProgram } from './bundle-program.ts';

const { values } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } });
await bundleProgram(values.outdir);
