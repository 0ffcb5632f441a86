import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Host, hosts } from '../../src/app/hosts/host-table.ts';
import { addCommands, type Block, blocks, hostFiles, running } from '../app/hosts/host-files.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';
import { connections } from './connections.helper.ts';
import { installHosts, type Person, startPerson } from './person.helper.ts';

const execute = promisify(execFile);
const repository = join(import.meta.dirname, '../..');

/** What git keeps, and what the build adds, without the packages. */
async function builtClone(): Promise<string> {
  const clone = await temporaryDirectory();
  await execute('git', ['clone', '--quiet', '--depth', '1', `file://${repository}`, clone]);
  for (const made of [...Object.keys(hostFiles()), 'dist'])
    await cp(join(repository, made), join(clone, made), { recursive: true });
  return clone;
}

const token = '0123456789abcdef0123456789abcdef';
const withToken = { [running.tokenVariable]: token };

let node: string;
let http: HttpProgram;
beforeAll(async () => {
  node = await installHosts();
  http = await startHttpProgram(['--demo'], withToken);
});
afterAll(() => http.stop());

const known: readonly Host[] = hosts.filter(({ id }) => id in connections);
const connectionOf = (host: Host, person: Person) => connections[host.id]?.(person);

describe.each(known)('$name', (host) => {
  const textOf = (transport: Block['transport']) =>
    blocks.find((block) => block.host === host && block.transport === transport)?.text ?? '';

  test('connects to the server that budget-mcp install has written', async () => {
    const person = await startPerson(node);
    await person.install(host.id, '--demo');
    expect(await connectionOf(host, person)).toBe('connected');
  });

  test('connects by HTTP, with a token from its environment, after budget-mcp install --url', async () => {
    const person = await startPerson(node, withToken);
    await person.install(host.id, '--url', http.url, '--token-variable', running.tokenVariable);
    expect(await connectionOf(host, person)).toBe('connected');
  });

  test('does not connect by HTTP without the token', async () => {
    const person = await startPerson(node);
    await person.install(host.id, '--url', http.url);
    expect(await connectionOf(host, person)).not.toBe('connected');
  });

  test('connects to the server of its block in docs/hosts.md', async () => {
    const person = await startPerson(node);
    await person.write(host, textOf('stdio'));
    expect(await connectionOf(host, person)).toBe('connected');
  });

  test('connects to the server of its block for HTTP in docs/hosts.md', async () => {
    const person = await startPerson(node, withToken);
    await person.write(host, textOf('http').replace(running.url, http.url));
    expect(await connectionOf(host, person)).toBe('connected');
  });

  const [command = '', ...args] = addCommands[host.id]?.split(' ') ?? [];
  test.runIf(command !== '')('connects after its own command in docs/hosts.md', async () => {
    const person = await startPerson(node);
    await person.run(command, args);
    expect(await connectionOf(host, person)).toBe('connected');
  });
});

/** Invented data, because the plugins start the server for the budget of the person who has signed in. */
const withDemo = { BUDGET_MCP_DEMO: 'true' };

test('Claude Code accepts the plugin and the marketplace', async () => {
  const person = await startPerson(node);
  const clone = await builtClone();
  for (const path of [clone, join(clone, '.claude-plugin/plugin.json')])
    expect(await person.run('claude', ['plugin', 'validate', '--strict', path])).toContain(
      '✔ Validation passed',
    );
});

test('Claude Code connects to the server of the plugin in a built clone', async () => {
  const person = await startPerson(node, withDemo);
  const clone = await builtClone();
  await person.run('claude', ['plugin', 'marketplace', 'add', clone]);
  await person.run('claude', ['plugin', 'install', 'budget-mcp@budget-mcp']);
  expect(await person.run('claude', ['mcp', 'list'])).toMatch(
    /^plugin:budget-mcp:budget: .* - ✔ Connected$/m,
  );
});

test('Gemini CLI connects to the server of the extension in a built clone', async () => {
  const person = await startPerson(node, withDemo);
  const clone = await builtClone();
  expect(await person.run('gemini', ['extensions', 'validate', clone])).toContain('successfully validated');
  await person.run('gemini', ['extensions', 'link', clone, '--consent']);
  expect(await person.run('gemini', ['mcp', 'list'])).toMatch(
    /^✓ budget \(from budget-mcp\): .* - Connected$/m,
  );
});
