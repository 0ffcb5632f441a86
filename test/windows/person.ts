/**
 * The packed program as a person of Windows uses it. `run` bundles this file and starts it with Node.js for Windows, with the folder
 * of the installed program as its argument: a client has to run there too, because Wine has no pipes to programs of Linux.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { hosts } from '../../src/app/hosts/host-table.ts';

const [, , program = ''] = process.argv;
const main = join(program, 'node_modules', 'budget-mcp', 'dist', 'main.js');
const home = 'C:\\Users\\Zoë Müller';
const [roaming, local] = [join(home, 'AppData', 'Roaming'), join(home, 'AppData', 'Local')];
const env: Record<string, string> = {};
for (const [name, value = ''] of Object.entries(process.env)) env[name] = value;
Object.assign(env, { USERPROFILE: home, APPDATA: roaming, LOCALAPPDATA: local });
await Promise.all([roaming, local].map((path) => mkdir(path, { recursive: true })));

/** With the options of this process, which make up for what Wine lacks. */
const command = [...process.execArgv, main];

const start = (...args: string[]) => spawn(process.execPath, [...command, ...args], { env, cwd: home });

/** Standard output and error of a command that ends with 0. */
async function run(args: readonly string[], input = ''): Promise<string> {
  const child = start(...args);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  assert.equal(code, 0, `${args.join(' ')} ended with ${code}: ${text}`);
  return text;
}

/** Resolves with the first text that `pattern` finds in what a program writes. */
function written(child: ReturnType<typeof start>, pattern: RegExp): Promise<RegExpExecArray> {
  let text = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const found = pattern.exec(text);
        if (found) resolve(found);
      });
    child.once('close', () => reject(new Error(`The program ended: ${text}`)));
  });
}

const contentSchema = z.object({ content: z.array(z.object({ text: z.string() })) });

async function connect(transport: StdioClientTransport | StreamableHTTPClientTransport) {
  const client = new Client({ name: 'host', version: '1' });
  await client.connect(transport);
  return {
    call: async (name: string, args: Record<string, unknown> = {}) => {
      const { content } = contentSchema.parse(await client.callTool({ name, arguments: args }));
      return content.map(({ text }) => text).join('\n');
    },
    close: () => client.close(),
  };
}

async function startHost(...args: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...command, 'serve', ...args],
    env,
    cwd: home,
    stderr: 'ignore',
  });
  return { ...(await connect(transport)), kill: () => process.kill(transport.pid ?? 0, 'SIGKILL') };
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill();
  await ended;
}

test('the demo holds its conversation', async () => {
  const text = await run(['demo']);
  assert.match(text, /"Groceries" · group "Everyday" · left/);
  assert.match(text, /Written\./);
});

test('a sign-in is kept in the Credential Manager, two programs share one state, and logout beside one ends well', async () => {
  const service = start('service', '--token', 'a-token-of-the-service');
  const [, baseUrl = ''] = await written(service, /"base_url":"([^"]+)"/);
  const text = await run(['login', '--base-url', baseUrl], 'a-token-of-the-service\n');
  assert.match(text, /Household/);
  assert.match(await run(['status']), /stored +in the keychain of this computer/);
  assert.equal(existsSync(join(home, '.budget-mcp', 'sign-ins')), false);

  const [first, second] = [await startHost(), await startHost()];
  const bread = {
    account_id: 'Checking',
    date: 'today',
    amount: -4.5,
    payee_name: 'Bäckerei Größ',
    memo: 'Brot',
  };
  // A write that waits for the budget for more than ten seconds is not sent.
  assert.match(await first.call('list_accounts'), /"Checking"/);
  assert.match(await first.call('create_transactions', { transactions: [bread] }), /Written\./);
  first.kill();
  assert.match(await second.call('list_writes'), /Bäckerei Größ/);
  assert.match(await run(['doctor']), /processes of this user share .*\.budget-mcp\\state/);

  const states = () => readdir(join(home, '.budget-mcp', 'state'));
  const logout = await run(['logout']);
  assert.match(logout, /^The sign-in of profile "default" was removed/);
  assert.match(logout, /A running server still has files of its state open/);
  assert.notEqual((await states()).length, 0);
  await second.close();
  await run(['login', '--base-url', baseUrl], 'a-token-of-the-service\n');
  const next = await startHost();
  assert.match(await next.call('list_accounts'), /"Checking"/);
  assert.deepEqual(
    (await states()).filter((name) => name.endsWith('.removed')),
    [],
  );
  await next.close();
  assert.doesNotMatch(await run(['logout']), /still has files/);
  assert.deepEqual(await states(), []);
  await end(service);
});

test('install and uninstall change the configuration of each host, in a profile with blanks and umlauts', async () => {
  await mkdir(join(local, 'Packages', 'Claude_pzs8sxrjxfjjc'), { recursive: true });
  const machine = { platform: 'win32', home, env } as const;
  const change = async (each: (typeof hosts)[number]) => {
    await run(['install', each.id, '--demo', '--yes']);
    const files = each.files(machine);
    const file = (each.id === 'claude-desktop' ? files[0] : files.at(-1)) ?? '';
    const text = await readFile(file, 'utf8');
    assert.match(text, /node\.exe/, file);
    if (each.id === 'cursor')
      assert.match(await run(['doctor', '--insecure-storage']), /Cursor starts "budget"/);
    await run(['uninstall', each.id, '--yes']);
    assert.doesNotMatch(await readFile(file, 'utf8'), /node\.exe/, file);
  };
  const waiting = [...hosts];
  const work = async () => {
    for (let each = waiting.shift(); each; each = waiting.shift()) await change(each);
  };
  await Promise.all([work(), work()]);
});

test('a file of a bank with CRLF, in windows-1252, is read from a folder', async () => {
  const folder = join(home, 'Bänk Auszüge');
  await mkdir(folder, { recursive: true });
  const rows = ['Datum;Empfänger;Betrag', '13.11.2026;Bäckerei;-4,50', '14.11.2026;Müller;-12,80', ''];
  await writeFile(join(folder, 'Umsätze.csv'), Buffer.from(rows.join('\r\n'), 'latin1'));
  const host = await startHost('--demo', '--statements', folder);
  assert.match(
    await host.call('list_statements'),
    /"Umsätze\.csv" · CSV.*2 rows from 2026-11-13 to 2026-11-14/,
  );
  const args = { account: 'Checking', statement: 'Umsätze.csv' };
  assert.match(await host.call('reconcile_account', args), /The list has 2 rows/);
  await host.close();
});

test('a server by HTTP answers', async () => {
  const server = start('serve', '--demo', '--http', '--port', '0');
  const [, url = ''] = await written(server, /listens on (http:\S+)/);
  const host = await connect(new StreamableHTTPClientTransport(new URL(url)));
  assert.match(await host.call('list_accounts'), /"Checking"/);
  await host.close();
  await end(server);
});

test('a hosted server of two processes answers', async () => {
  const service = start('service');
  const [, announcement = ''] = await written(service, /^(\{.*\})$/m);
  const parts = z.record(z.string(), z.string()).parse(JSON.parse(announcement));
  const keyFile = join(home, 'server.key');
  await writeFile(keyFile, `\uFEFF${Buffer.alloc(32, 7).toString('base64')}\r\n`, 'utf16le');
  Object.assign(env, { BUDGET_MCP_CLIENT_SECRET: parts['client_secret'] });
  const [base, app, client] = [parts['base_url'], parts['app_url'], parts['client_id']].map(
    (each) => each ?? '',
  );
  const options = ['--base-url', base ?? '', '--app-url', app ?? '', '--client-id', client ?? ''];
  const files = ['--server-key-file', keyFile, '--state-dir', join(home, 'hosted state')];
  const server = start(
    'serve',
    '--http',
    '--port',
    '3917',
    '--hosted',
    '--workers',
    '2',
    ...options,
    ...files,
  );
  await written(server, /listens on/);
  const answers = await Promise.all(
    Array.from({ length: 8 }, async (_, nth) => {
      const headers = { authorization: `Bearer token-${nth}` };
      return (await fetch('http://127.0.0.1:3917/mcp', { method: 'POST', headers })).status;
    }),
  );
  assert.deepEqual(new Set(answers), new Set([401]));
  await end(server);
  await end(service);
});
