import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { runInstall, runUninstall } from '../../../src/app/commands/install.ts';
import { serversIn } from '../../../src/app/hosts/edit-config.ts';
import type { Machine } from '../../../src/app/hosts/host-paths.ts';
import { type Host, hosts } from '../../../src/app/hosts/host-table.ts';
import { temporaryDirectory } from '../../auth/temporary-directory.helper.ts';
import { homeIn, inherited } from '../../home.helper.ts';
import { program, withoutState } from '../../hosts.helper.ts';
import { runProgram } from '../../run-program.helper.ts';
import { hasTerminal, runAtTerminal } from '../../terminal.helper.ts';

/** A home directory, and commands of the person who has it. */
async function startPerson() {
  const home = await temporaryDirectory();
  const machine: Machine = { platform: process.platform, home, env: {} };
  const fileOf = ({ files }: Host) => files(machine).at(-1) ?? '';
  return {
    machine,
    env: homeIn(home),
    run: (...args: string[]) => runProgram(args, { env: homeIn(home) }),
    fileOf,
    write: async (host: Host, text: string) => {
      await mkdir(dirname(fileOf(host)), { recursive: true });
      await writeFile(fileOf(host), text);
    },
    read: (host: Host) => readFile(fileOf(host), 'utf8'),
    serversOf: async (host: Host) => {
      const file = fileOf(host);
      return serversIn(host, { file, text: await readFile(file, 'utf8') });
    },
  };
}

/** What the commands take when they are called in this process, and what they write to stdout. */
function startContext(program: string) {
  const written: string[] = [];
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const context = {
    io: { stdin: process.stdin, stdout, stderr: process.stderr },
    signal: new AbortController().signal,
    program: new URL(program),
  };
  return { context, output: () => written.join('') };
}

const hostOf = (id: string): Host => {
  const host = hosts.find((each) => each.id === id);
  if (!host) throw new Error(`There is no host ${id}.`);
  return host;
};
const cursor = hostOf('cursor');

// The hosts differ in their files only, and a process for each command would take a second. Other tests start processes.
test.each(hosts)('install and uninstall change the configuration of $id', async (host) => {
  const person = await startPerson();
  const { context } = startContext(pathToFileURL(program).href);
  const options = { host, name: 'budget', yes: true };
  await runInstall(options, { demo: true }, context, person.machine);
  const server = { command: process.execPath, args: [program, 'serve', '--demo'] };
  expect(await person.serversOf(host)).toEqual({ budget: host.entry(server, 'budget') });
  await runUninstall(options, context, person.machine);
  expect(await person.serversOf(host)).toEqual({});
});

test('a host that starts what install has written gets results', async () => {
  const person = await startPerson();
  await person.run('install', 'cursor', '--yes', '--demo');
  const { mcpServers } = JSON.parse(await person.read(cursor));
  const client = new Client({ name: 'host', version: '1' });
  await client.connect(
    new StdioClientTransport({ ...mcpServers.budget, env: { ...inherited, ...withoutState } }),
  );
  onTestFinished(() => client.close());
  expect(await client.callTool({ name: 'list_accounts', arguments: {} })).toMatchObject({
    content: [{ text: expect.stringContaining('"Checking"') }],
  });
});

test('install writes down the options of the server, with whole paths, under the name that is given', async () => {
  const person = await startPerson();
  const files = ['--token-file', 'token.txt', '--statements', './bank'];
  const options = ['--name', 'work', '--profile', 'work', '--read-only', ...files];
  await person.run('install', 'cursor', '--yes', ...options);
  const { mcpServers } = JSON.parse(await person.read(cursor));
  expect(mcpServers.work.args.slice(1)).toEqual([
    'serve',
    '--profile',
    'work',
    '--token-file',
    join(process.cwd(), 'token.txt'),
    '--statements',
    join(process.cwd(), 'bank'),
    '--read-only',
  ]);
});

test('install writes into the folder of a packaged host, which reads no other, also where another file exists', async () => {
  const person = await startPerson();
  const { context } = startContext(pathToFileURL(program).href);
  const [packaged, usual] = ['packaged', 'usual'].map((name) => join(person.machine.home, name, 'mcp.json'));
  const host = { ...cursor, files: () => [packaged ?? '', usual ?? ''], isPackaged: () => true };
  await mkdir(dirname(usual ?? ''), { recursive: true });
  await writeFile(usual ?? '', '{}');
  await runInstall({ host, name: 'budget', yes: true }, { demo: true }, context, person.machine);
  expect(await readFile(packaged ?? '', 'utf8')).toContain('serve');
  expect(await readFile(usual ?? '', 'utf8')).toBe('{}');
});

test('install keeps a copy of what was there, and leaves other servers as they are', async () => {
  const person = await startPerson();
  const text =
    '{\n  // mine\n  "mcpServers": {\n    "other": {\n      "url": "https://example.com"\n    }\n  }\n}\n';
  await person.write(cursor, text);
  const { stdout } = await person.run('install', 'cursor', '--yes');
  const folder = dirname(person.fileOf(cursor));
  const [copy = ''] = (await readdir(folder)).filter((file) => file.includes('budget-mcp-backup'));
  expect(await readFile(join(folder, copy), 'utf8')).toBe(text);
  expect(stdout).toContain(copy);
  expect(await person.read(cursor)).toContain('      "url": "https://example.com"\n    },\n');
  await person.run('uninstall', 'cursor', '--yes');
  expect(await person.read(cursor)).toBe(text);
});

test('install a second time changes nothing, and keeps no copy', async () => {
  const person = await startPerson();
  await person.run('install', 'cursor', '--yes');
  const { exitCode, stdout } = await person.run('install', 'cursor', '--yes');
  expect(stdout).toContain('is as it should be. Nothing was changed.');
  expect(exitCode).toBe(0);
  expect(await readdir(dirname(person.fileOf(cursor)))).toEqual(['mcp.json']);
});

test('without a terminal and without --yes, install shows the change, writes nothing, and ends with 1', async () => {
  const person = await startPerson();
  await person.write(cursor, '{}\n');
  const { exitCode, stdout, stderr } = await person.run('install', 'cursor');
  expect(stdout).toContain(`${person.fileOf(cursor)}\n@@ line 1 @@\n- {}\n+ {\n`);
  expect(stderr).toBe(
    'budget-mcp: Nothing was changed, because there is no terminal to ask at. Add --yes to change it without a question.\n',
  );
  expect(exitCode).toBe(1);
  expect(await person.read(cursor)).toBe('{}\n');
});

test.runIf(hasTerminal).each([
  ['y', 0, true],
  ['n', 1, false],
  ['\u0003', 1, false],
])('at a terminal, install asks, and the answer %j ends with %i', async (typed, exitCode, isWritten) => {
  const person = await startPerson();
  await person.write(cursor, '{}\n');
  const answer = { to: 'No', text: typed };
  const run = await runAtTerminal(['install', 'cursor', '--demo'], person.env, answer);
  expect(run.output).toContain('+   "mcpServers": {');
  expect(run.output).toContain(`Change ${person.fileOf(cursor)}?`);
  expect((await person.read(cursor)).includes('budget')).toBe(isWritten);
  expect(run.exitCode).toBe(exitCode);
});

test('a file that cannot be parsed is left alone', async () => {
  const person = await startPerson();
  await person.write(cursor, '{ "mcpServers": ');
  for (const command of ['install', 'uninstall']) {
    const { exitCode, stderr } = await person.run(command, 'cursor', '--yes');
    expect(stderr).toContain(`${person.fileOf(cursor)} is not valid JSON. Nothing was changed.`);
    expect(exitCode).toBe(1);
  }
  expect(await person.read(cursor)).toBe('{ "mcpServers": ');
});

test('the first file of a host is changed where it exists', async () => {
  const person = await startPerson();
  const openCode = hostOf('opencode');
  const [jsonc = ''] = openCode.files(person.machine);
  await mkdir(dirname(jsonc), { recursive: true });
  await writeFile(jsonc, '{\n  // mine\n  "theme": "x",\n}\n');
  await person.run('install', 'opencode', '--yes');
  expect(await readFile(jsonc, 'utf8')).toContain('// mine\n  "theme": "x",\n  "mcp": {');
});

test.each(hosts.filter(({ http }) => http))(
  'install with the address of a running server connects $id to it, and uninstall undoes that',
  async (host) => {
    const person = await startPerson();
    const url = 'https://budget.example.com/mcp';
    const { context, output } = startContext(pathToFileURL(program).href);
    const options = { host, name: 'budget', yes: true, url };
    await runInstall(options, {}, context, person.machine);
    expect(output()).toContain(`${host.name} connects to ${url} from now on.`);
    expect(await person.serversOf(host)).toEqual({ budget: host.http?.entry({ url }, 'budget') });
    expect(JSON.stringify(await person.serversOf(host))).not.toContain('Authorization');
    await runUninstall(options, context, person.machine);
    expect(await person.serversOf(host)).toEqual({});
  },
);

test('install --url and uninstall --url change the configuration without a word on stderr', async () => {
  const person = await startPerson();
  const url = ['--url', 'https://budget.example.com/mcp'];
  expect(await person.run('install', 'cursor', '--yes', ...url)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(Object.keys(await person.serversOf(cursor))).toEqual(['budget']);
  expect(await person.run('uninstall', 'cursor', '--yes', ...url)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await person.serversOf(cursor)).toEqual({});
});

test('--token-variable writes a reference to the variable, and not the token in it', async () => {
  const person = await startPerson();
  const options = ['--url', 'https://budget.example.com/mcp', '--token-variable', 'BUDGET_MCP_HTTP_TOKEN'];
  await person.run('install', 'codex', '--yes', ...options);
  expect(await person.serversOf(hostOf('codex'))).toEqual({
    budget: { url: 'https://budget.example.com/mcp', bearer_token_env_var: 'BUDGET_MCP_HTTP_TOKEN' },
  });
});

test('install --url in the place of a command leaves nothing of the command', async () => {
  const person = await startPerson();
  await person.write(
    cursor,
    '{"mcpServers":{"budget":{"command":"budget-mcp","args":["serve"],"env":{"A":"1"}}}}\n',
  );
  await person.run('install', 'cursor', '--yes', '--url', 'http://127.0.0.1:3000/mcp');
  expect(await person.serversOf(cursor)).toEqual({ budget: { url: 'http://127.0.0.1:3000/mcp' } });
});

test('install --url leaves a server alone that has the same name and another address', async () => {
  const person = await startPerson();
  const text = '{"mcpServers":{"budget":{"url":"https://other.example.com/mcp"}}}\n';
  await person.write(cursor, text);
  const { exitCode, stderr } = await person.run(
    'install',
    'cursor',
    '--yes',
    '--url',
    'http://127.0.0.1:3000/mcp',
  );
  expect(stderr).toContain('has another server of the name budget');
  expect(exitCode).toBe(1);
  expect(await person.read(cursor)).toBe(text);
});

test.each([
  ['cursor', ['--url', 'budget.example.com'], '--url must be an address with http:// or https://'],
  ['cursor', ['--url', 'https://ann:secret@example.com/mcp'], 'without a password'],
  [
    'cursor',
    ['--url', 'http://127.0.0.1:3000/mcp', '--demo'],
    'the options of the server belong where it is started',
  ],
  ['cursor', ['--token-variable', 'TOKEN'], '--token-variable needs --url'],
  [
    'cursor',
    ['--url', 'http://127.0.0.1/mcp', '--token-variable', 'c0ffee'],
    'must be the name of a variable',
  ],
  [
    'zed',
    ['--url', 'http://127.0.0.1/mcp', '--token-variable', 'TOKEN'],
    'Zed takes no token from a variable',
  ],
  ['claude-desktop', ['--url', 'http://127.0.0.1/mcp'], 'Claude Desktop starts programs only'],
])('install %s with %j is refused before anything is written', async (id, options, problem) => {
  const person = await startPerson();
  const { exitCode, stderr } = await person.run('install', id, '--yes', ...options);
  expect(stderr).toContain(problem);
  expect(exitCode).toBe(1);
  await expect(person.read(hostOf(id))).rejects.toThrow('ENOENT');
});

test('options that the server would refuse are refused before anything is written', async () => {
  const person = await startPerson();
  const { exitCode, stderr } = await person.run('install', 'cursor', '--yes', '--confirm', 'maybe');
  expect(stderr).toContain('--confirm (BUDGET_MCP_CONFIRM) must be one of');
  expect(exitCode).toBe(1);
  await expect(person.read(cursor)).rejects.toThrow('ENOENT');
});

test.each([
  ['curser', 'cursor'],
  ['claude', 'claude-desktop or claude-code'],
  ['VS-Code', 'vscode'],
  ['gemini', 'gemini-cli'],
  ['windsrf', 'windsurf'],
])('install %s asks whether %s was meant, and writes nothing', async (typed, meant) => {
  const { run } = await startPerson();
  const { exitCode, stderr } = await run('install', typed, '--yes', '--demo');
  expect(stderr).toContain(`Did you mean ${meant}?`);
  expect(exitCode).toBe(1);
});

test('install gemini-cli says that the folder has to be trusted', async () => {
  const { run } = await startPerson();
  expect((await run('install', 'gemini-cli', '--yes', '--demo')).stdout).toMatch(
    /^Gemini CLI starts servers only in folders that you trust\./m,
  );
});

test('an unknown host is refused with the names of the known ones', async () => {
  const { run } = await startPerson();
  const { exitCode, stderr } = await run('install', 'emacs');
  expect(stderr).toContain('claude-desktop, claude-code, codex');
  expect(exitCode).toBe(1);
});

test('install says so if the program is in the cache of npx, which may be removed', async () => {
  const { machine } = await startPerson();
  const install = async (program: string) => {
    const { context, output } = startContext(program);
    await runInstall({ host: cursor, name: 'budget', yes: true }, { demo: true }, context, machine);
    return output();
  };
  const inCache = 'file:///home/me/.npm/_npx/a1b2/node_modules/budget-mcp/dist/';
  expect(await install(inCache)).toMatch(/^npx has fetched this program into a cache/);
  expect(await install('file:///usr/lib/node_modules/budget-mcp/dist/')).not.toMatch(/^npx/);
});
