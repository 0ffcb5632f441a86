import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { catalogue } from '../../src/features/catalogue.ts';
import { signInFiles } from '../auth/sign-in-files.helper.ts';
import { codeSignIn } from '../auth/signed-in.helper.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { eras, type Host, type Started } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { startHttpProgram } from '../http-program.helper.ts';

/** Without a folder of statements. */
const offered = catalogue.filter(({ needsStatements }) => !needsStatements);

const reads = offered.filter(({ kind }) => kind === 'read').map(({ name }) => name);
const writes = offered.filter(({ kind }) => kind !== 'read').map(({ name }) => name);

const inToolsets = (...names: readonly string[]) =>
  offered.filter(({ toolset }) => toolset === undefined || names.includes(toolset));

let home: Household;
beforeAll(async () => {
  home = await Household.start();
});
afterAll(() => home.close());

/** The names of the tools. Those about the server itself are always offered. */
async function toolsOf({ client }: Host): Promise<string[]> {
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['get_status', 'refresh_budget']));
  return names;
}

describe.each(eras)('to a host that speaks %s', (_, connect) => {
  async function withHost(started: Started, use: (host: Host) => Promise<void>) {
    const host = await connect({ args: [], env: home.env(), ...started });
    try {
      await use(host);
    } finally {
      await host.close();
    }
  }

  const readOnly: readonly (readonly [string, () => Started])[] = [
    ['--read-only', () => ({ args: ['--read-only'] })],
    ['BUDGET_MCP_READ_ONLY', () => ({ env: { ...home.env(), BUDGET_MCP_READ_ONLY: '1' } })],
    [
      '--read-only with toolsets and consent for everything',
      () => ({
        args: [
          '--read-only',
          '--confirm',
          'none',
          '--toolsets',
          'user,budgets,accounts,categories,payees,payee_locations,months,money_movements,transactions,scheduled,reports',
        ],
      }),
    ],
  ];

  test.each(readOnly)('%s offers no tool that writes, and refuses calls to one', async (_, started) => {
    const before = await home.knowledge();
    await withHost(started(), async (host) => {
      expect(await toolsOf(host)).toEqual(reads);
      expect(host.client.getInstructions()).toMatch(/^Reads a person's budget\./);
      expect(host.client.getInstructions()).not.toMatch(/writ/i);
      for (const name of writes)
        await expect(host.call(name, {}), name).rejects.toMatchObject({ code: -32602 });
      expect((await host.call('list_accounts')).isError).toBe(false);
    });
    expect(await home.knowledge()).toBe(before);
  });

  test('with a read-only sign-in, the first call of any tool removes the tools that write', async () => {
    const directory = await temporaryDirectory();
    const store = signInFiles(`${directory}/budget-mcp/sign-ins`);
    await store.write('default', codeSignIn(home.service, systemClock, 'read-only'));
    const env = { BUDGET_MCP_INSECURE_STORAGE: 'true', XDG_DATA_HOME: directory, HOME: directory };
    await withHost({ args: ['serve'], env }, async (host) => {
      expect(await toolsOf(host)).toEqual(offered.map(({ name }) => name));
      expect((await host.call('list_accounts')).isError).toBe(false);
      await host.toolsChanged;
      expect(await toolsOf(host)).toEqual(reads);
    });
  });

  test('if a token turns out to be read-only, the error explains it, the tool list changes, and the host is notified', async () => {
    const token = home.service.access.issueToken(home.service.user, { scope: 'read-only' });
    const before = await home.knowledge();
    await withHost({ env: home.env(token) }, async (host) => {
      expect(await toolsOf(host)).toEqual(offered.map(({ name }) => name));
      const { id } = await home.category('Groceries');
      const { isError, text } = await host.call('update_category', { category_id: id, note: 'x' });
      expect(isError).toBe(true);
      expect(text).toMatch(/403\.3.*The access token is read-only\. Reading works/);

      await host.toolsChanged;
      expect(await toolsOf(host)).toEqual(reads);
      for (const name of writes)
        await expect(host.call(name, {}), name).rejects.toMatchObject({ code: -32602 });
      expect((await host.call('list_accounts')).isError).toBe(false);
    });
    expect(await home.knowledge()).toBe(before);
  });

  test('if a token turns out to be read-only, every host over HTTP is notified', async () => {
    const token = home.service.access.issueToken(home.service.user, { scope: 'read-only' });
    const program = await startHttpProgram([], home.env(token));
    const [one, other] = [await connect({ http: program }), await connect({ http: program })];
    try {
      expect(await toolsOf(other)).toEqual(offered.map(({ name }) => name));
      const { id } = await home.category('Groceries');
      expect((await one.call('update_category', { category_id: id, note: 'x' })).isError).toBe(true);
      await Promise.all([one.toolsChanged, other.toolsChanged]);
      expect(await toolsOf(other)).toEqual(reads);
    } finally {
      for (const host of [one, other]) await host.close();
      expect(await program.stop()).toBe(0);
    }
  });

  test('--toolsets offers these groups of tools, in the order of the table', async () => {
    await withHost({ args: ['--toolsets', 'scheduled, accounts'] }, async (host) => {
      const expected = inToolsets('scheduled', 'accounts').map(({ name }) => name);
      expect(await toolsOf(host)).toEqual(expected);
      expect(expected).toContain('delete_scheduled_transaction');
      await expect(host.call('list_payees', {})).rejects.toMatchObject({ code: -32602 });
    });
  });

  test('--toolsets does not add tools that --read-only removes', async () => {
    await withHost({ args: ['--toolsets', 'accounts', '--read-only'] }, async (host) => {
      const expected = inToolsets('accounts').filter(({ kind }) => kind === 'read');
      expect(await toolsOf(host)).toEqual(expected.map(({ name }) => name));
    });
  });
});
