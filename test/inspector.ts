/** The MCP Inspector, from the npm registry. `npm run inspect` opens it on the demo, or passes its options on. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { program } from './hosts.helper.ts';
import { NODE_22, node22 } from './node-22.helper.ts';

const VERSION = '2.12.0';
const inspector = [...node22, `--package=@modelcontextprotocol/inspector@${VERSION}`, 'mcp-inspector'];

/** Runs its command line. Throws if the exit code is not 0. */
export const inspect = (...args: string[]) => promisify(execFile)('npx', [...inspector, '--cli', ...args]);

const [mode, ...options] = process.argv.slice(2);
if (mode === '--run') {
  // The registry is silent for a minute on a slow line. Standard output is for the result of `--cli`.
  process.stderr.write(
    `Starting the MCP Inspector ${VERSION} with Node.js ${NODE_22}. The first time, npx gets both from the npm registry (about 430 MB).\n`,
  );
  // It reads the way only from the first option.
  const way = options.includes('--cli') ? '--cli' : '--web';
  const others = options.filter((option) => option !== way);
  const target = [process.execPath, program, 'serve', '--demo'];
  const args = [...inspector, way, '--protocol-era', 'auto', ...others, '--', ...target];
  process.exitCode = spawnSync('npx', args, { stdio: 'inherit' }).status ?? 1;
}
