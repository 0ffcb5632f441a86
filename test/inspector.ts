/** The MCP Inspector, from the npm registry. `npm run inspect` opens it on the demo. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { program } from './hosts.helper.ts';
import { node22 } from './node-22.helper.ts';

const inspector = [...node22, '--package=@modelcontextprotocol/inspector@2.12.0', 'mcp-inspector'];

/** Runs its command line. Throws if the exit code is not 0. */
export const inspect = (...args: string[]) => promisify(execFile)('npx', [...inspector, '--cli', ...args]);

if (process.argv[2] === '--web') {
  const target = [process.execPath, program, 'serve', '--demo'];
  spawnSync('npx', [...inspector, '--web', '--protocol-era', 'auto', '--', ...target], { stdio: 'inherit' });
}
