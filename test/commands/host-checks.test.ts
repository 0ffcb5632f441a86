import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkHosts } from '../../src/commands/host-checks.ts';
import type { Machine } from '../../src/hosts/host-paths.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { program } from '../hosts.helper.ts';

/** The checks of a home with these files. */
async function checksOf(files: Readonly<Record<string, string>>) {
  const home = await temporaryDirectory();
  for (const [file, text] of Object.entries(files)) {
    const path = join(home, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const machine: Machine = { platform: 'linux', home, env: { PATH: dirname(process.execPath) } };
  return checkHosts(machine);
}

const cursorWith = (command: string, ...args: string[]) => ({
  '.cursor/mcp.json': JSON.stringify({ mcpServers: { budget: { command, args } } }),
});

test('a host whose command exists is fine', async () => {
  expect(await checksOf(cursorWith(process.execPath, program, 'serve'))).toEqual([
    { level: 'ok', name: 'host', text: expect.stringMatching(/^Cursor starts "budget" by .*mcp\.json$/) },
  ]);
  expect(await checksOf(cursorWith('node', program, 'serve'))).toMatchObject([{ level: 'ok' }]);
});

test.each([
  ['a command', cursorWith('/old/node', program, 'serve'), 'there is no /old/node'],
  ['a command on the path', cursorWith('budget-mcp-old', 'serve'), 'there is no budget-mcp-old'],
  ['a script', cursorWith(process.execPath, '/old/main.js', 'serve'), 'there is no /old/main.js'],
])('a host with %s that does not exist fails', async (_, files, text) => {
  const [check] = await checksOf(files);
  expect(check).toMatchObject({ level: 'fail', text: expect.stringContaining(text) });
  expect(check?.text).toContain('Run `budget-mcp install cursor`.');
});

test('other servers are not looked at', async () => {
  const other = { mcpServers: { other: { command: '/missing', args: [] } } };
  expect(await checksOf({ '.cursor/mcp.json': JSON.stringify(other) })).toEqual([
    { level: 'warn', name: 'host', text: expect.stringContaining('no host that is known here') },
  ]);
});

test('a configuration that cannot be parsed gives a warning that does not quote it', async () => {
  const checks = await checksOf({ '.codex/config.toml': 'token = SECRET' });
  expect(checks).toHaveLength(2);
  expect(checks[0]).toMatchObject({ level: 'warn', text: expect.stringContaining('is not valid TOML') });
  expect(JSON.stringify(checks)).not.toContain('SECRET');
});
