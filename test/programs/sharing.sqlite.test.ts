/** What one program learns, another one with the same state uses. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { NO_FAULT, startFaultyProxy } from '../faulty-proxy.helper.ts';
import { connectLegacy, type Host } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { sqlite } from '../store/sqlite.helper.ts';

let home: Household;
beforeAll(async () => {
  home = await Household.start({ transactions: 200 });
});
afterAll(() => home.close());

/** Two programs that have read the budget, and a function that returns the requests since its last call. */
async function startTwo(token = home.service.accessToken) {
  const proxy = await startFaultyProxy({
    origin: home.service.appUrl,
    plan: () => NO_FAULT,
    clock: new ManualClock(0),
    timeoutMs: 40_000,
  });
  const env = {
    BUDGET_MCP_BASE_URL: `${proxy.url}/v1`,
    BUDGET_MCP_TOKEN: token,
    BUDGET_MCP_BUDGET: home.budgetId,
    BUDGET_MCP_NO_STATE: 'false',
    BUDGET_MCP_STATE_DIR: join(await temporaryDirectory(), 'state'),
  };
  const start = async (): Promise<Host> => {
    const host = await connectLegacy({ args: ['serve', '--confirm', 'none'], env });
    onTestFinished(() => host.close());
    await answer(host, 'list_accounts');
    return host;
  };
  const [one, other] = [await start(), await start()];
  let seen = 0;
  const requests = () => {
    const paths = proxy.exchanges.slice(seen).map(({ method, path }) => `${method} ${path}`);
    seen = proxy.exchanges.length;
    return paths.map((path) => path.replace(`/v1/budgets/${home.budgetId}`, ' budget').replace('  ', ' '));
  };
  requests();
  return { one, other, requests };
}

async function answer(host: Host, tool: string, args: Record<string, unknown> = {}): Promise<string> {
  const { text, structured, isError } = await host.call(tool, args);
  expect(isError, text).toBe(false);
  return JSON.stringify(structured);
}

const isDelta = (request: string) => request.startsWith('GET budget?last_knowledge_of_server=');
const uri = (path: string) => `budget://v1/budgets/${home.budgetId}/${path}`;

async function write(host: Host, payee_name: string, amount: number) {
  const { id } = await home.account('Wallet');
  const transaction = { account_id: id, date: 'today', amount, payee_name };
  await answer(host, 'create_transactions', { transactions: [transaction] });
}

describe.skipIf(!sqlite)('two programs that share their state', () => {
  test('the second one does not load what the first one has loaded', async () => {
    const { other } = await startTwo();
    expect((await other.call('get_status')).structured['cache']).toMatchObject({ loads: 0 });
  });

  test('after a sync of one, the other shows what was changed elsewhere, without a request', async () => {
    const { one, other, requests } = await startTwo();
    const { id } = await home.category('Groceries');
    await home.write('PATCH', `categories/${id}`, { category: { note: 'Changed elsewhere' } });
    await answer(one, 'refresh_budget');
    requests();
    expect(await answer(other, 'get_category', { category_id: id })).toContain('Changed elsewhere');
    expect(requests()).toEqual([]);
  });

  test('after a write of one, the other has its balance and its new payee, with at most one delta', async () => {
    const { one, other, requests } = await startTwo();
    const { balance } = await home.account('Wallet');
    await write(one, 'Lighthouse Books', -12.34);
    requests();
    const now = await home.account('Wallet');
    expect(now.balance).toBe(balance - 12_340);
    const wallet = await answer(other, 'get_account', { account_id: now.id });
    expect(wallet).toContain(`"balance":${now.balance / 1_000}`);
    const found = await answer(other, 'list_transactions', { payee_id: 'Lighthouse Books' });
    expect(found).toContain('-12.34');
    const sent = requests();
    expect(sent.filter((request) => !isDelta(request))).toEqual([]);
    expect(sent.length).toBeLessThanOrEqual(1);
  });

  test('after a refused write of one, the other offers no writes any more', async () => {
    const { one, other } = await startTwo(
      home.service.access.issueToken(home.service.user, { scope: 'read-only' }),
    );
    const toolsOf = async ({ client }: Host) => (await client.listTools()).tools.map(({ name }) => name);
    expect(await toolsOf(other)).toContain('create_transactions');
    const { id } = await home.category('Groceries');
    const refused = await one.call('update_category', { category_id: id, note: 'Refused' });
    expect(refused.isError).toBe(true);
    await answer(other, 'list_accounts');
    await other.toolsChanged;
    expect(await toolsOf(other)).not.toContain('create_transactions');
  });

  test('a host hears of a write of another program without asking anything', async () => {
    const { one, other, requests } = await startTwo();
    await other.subscribe(uri('accounts'));
    await write(one, 'Harbour Cafe', -3);
    requests();
    expect(await other.nextUpdate()).toBe(uri('accounts'));
    expect(other.updates).toEqual([]);
    expect(requests()).toEqual([]);
  });
});
