/** The program with versions of Node.js that it does not support. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { program } from './hosts.helper.ts';
import { npxNode } from './node-22.helper.ts';
import { noRegistry } from './registry.helper.ts';

const needed = packageJson.engines.node.replace('>=', '');

const execute = promisify(execFile);

/** Runs the program with another version of Node.js. */
async function run(version: string, ...args: readonly string[]) {
  const { stdout: node } = await execute('npx', [
    ...npxNode(version),
    '--',
    'node',
    '-p',
    'process.execPath',
  ]);
  return execute(node.trim(), [program, ...args]);
}

describe.skipIf(noRegistry)('the oldest version of Node.js', () => {
  test.each(['14.0.0', '14.21.3', '16.20.2', '18.20.8', '20.17.0'])(
    'Node.js %s gets one sentence about the version and the exit code 1',
    async (version) => {
      await expect(run(version, 'serve', '--demo')).rejects.toMatchObject({
        code: 1,
        stdout: '',
        stderr: `budget-mcp needs Node.js ${needed} or newer; this is v${version}.\n`,
      });
    },
  );

  test(`Node.js ${needed}.0 runs the program`, async () => {
    const { stdout } = await run(`${needed}.0`, '--version');
    expect(stdout.trim()).toBe(packageJson.version);
  });
});
