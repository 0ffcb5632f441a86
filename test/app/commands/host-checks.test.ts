import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkHosts } from '../../../src/app/commands/host-checks.ts';
import type { Machine } from '../../../src/app/hosts/host-paths.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { program } from '../../hosts.helper.ts';

/** The checks of a home with these files. */
async function checksOf(files: Readonly<Record<string, string>>) {
  const home = await temporaryDirectory();
  for (const [file, text] of Object.entries(files)) {
    const path = join(home, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const machine: Machine = { platform: 'linux', home, env: { PATH: dirname(process.execPath) } };
  return (await checkHosts(machine)).checks;
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

test('doctor starts what the host would start, and says how that fails', async () => {
  const directory = await temporaryDirectory();
  const script = join(directory, 'main.js');
  await writeFile(script, "process.stderr.write('a library is missing\\nmore');\nprocess.exitCode = 3;\n");
  const [check] = await checksOf(cursorWith(process.execPath, script, 'serve'));
  expect(check).toMatchObject({ level: 'fail', text: expect.stringContaining('(a library is missing)') });
  await writeFile(script, 'process.exitCode = 3;\n');
  const [silent] = await checksOf(cursorWith(process.execPath, script, 'serve'));
  expect(silent?.text).toContain('(it ends with 3)');
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
  expect(checks[0]).toMatchObject({ level: 'warn', text: expect.stringMatching(/is not valid TOML\.$/) });
  expect(JSON.stringify(checks)).not.toContain('SECRET');
});

const cursorAt = (url: string, name = 'budget') => ({
  '.cursor/mcp.json': JSON.stringify({ mcpServers: { [name]: { url } } }),
});

async function listening(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const addressOf = (server: Server) =>
  `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}/mcp`;

test('a host that connects to a server by its address is fine while something listens there', async () => {
  const server = await listening();
  const url = addressOf(server);
  expect(await checksOf(cursorAt(url))).toEqual([
    {
      level: 'ok',
      name: 'host',
      text: expect.stringMatching(`^Cursor connects to "budget" at ${url} by .*mcp\\.json$`),
    },
  ]);
  server.close();
  await once(server, 'close');
  expect(await checksOf(cursorAt(url))).toEqual([
    { level: 'fail', name: 'host', text: expect.stringContaining(`nothing listens at ${url}, which `) },
  ]);
});

test('an address on another machine is shown without its query, and not asked', async () => {
  expect(await checksOf(cursorAt('https://budget-mcp.invalid/mcp?key=SECRET', 'money'))).toEqual([
    {
      level: 'ok',
      name: 'host',
      text: expect.stringContaining('"money" at https://budget-mcp.invalid/mcp by '),
    },
  ]);
});

test('an address that neither name nor address calls this server is not looked at', async () => {
  expect(await checksOf(cursorAt('http://127.0.0.1:1/mcp', 'other'))).toEqual([
    { level: 'warn', name: 'host', text: expect.stringContaining('no host that is known here') },
  ]);
});

test('the name of a server is quoted', async () => {
  const entry = { command: '/old/node', args: [program, 'serve'] };
  const [check] = await checksOf({
    '.cursor/mcp.json': JSON.stringify({ mcpServers: { 'a\u001b[2Jb': entry } }),
  });
  expect(check?.text).toContain('cannot start "a\\u001b[2Jb"');
});
