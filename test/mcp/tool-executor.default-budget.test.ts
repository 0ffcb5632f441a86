/** Which budget a call is about that names none, where the person has two and has chosen none. */
import { expect, onTestFinished, test } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { BudgetClient, type BudgetClientOptions } from '../../src/session/budget-client.ts';
import { HttpSender } from '../../src/session/http/http-sender.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { startTestService } from '../service/running-service.helper.ts';
import { hostOf } from './connected.helper.ts';

const HOUR = 60 * 60_000;
const NOTE =
  'No budget was named, so this is about "Household", which begins first. There are also: "Japan Trip". budget_id names one; the user chooses the default at sign-in or with --budget.';

async function startTwoBudgets() {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const { clock, baseUrl, accessToken: token } = service;
  const sender = new HttpSender({ clock });
  onTestFinished(() => sender.close());
  const memory = new SharedMemory();
  const tokens = fixedTokenProvider({ baseUrl, token });
  /** A process with a conversation. */
  const startConversation = async (options: Partial<BudgetClientOptions> = {}) => {
    const store = new MemoryStore(clock, memory);
    const rateBudget = () => new RateBudget({ clock, limit: 100_000 });
    const client = new BudgetClient({
      tokens,
      sender,
      clock,
      rateBudget,
      store: async () => store,
      ...options,
    });
    onTestFinished(() => client.close());
    const host = await hostOf({ client, clock }, { structured: false, confirm: 'none' });
    return async (name: string, args = {}, isRefused = false) => {
      const { content, isError = false } = await host.callTool({ name, arguments: args });
      const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
      expect(isError, text).toBe(isRefused);
      return text;
    };
  };
  return { service, clock, startConversation };
}

test('what ten conversations enter in either budget, also before it begins, never moves the default one', async () => {
  const { service, clock, startConversation } = await startTwoBudgets();
  const [household, trip] = service.user.ledgers;
  for (let n = 0; n < 10; n += 1) {
    const call = await startConversation();
    expect(await call('list_accounts')).toContain('Budget "Household"');
    for (const [at, ledger] of [trip, household].entries()) {
      const account_id = ledger?.accounts().find(({ closed }) => !closed)?.id;
      const row = { account_id, date: `2022-0${1 + (n % 9)}-1${at}`, amount: -(n + 1), memo: `${n} ${at}` };
      await call('create_transactions', { budget_id: ledger?.id, transactions: [row] });
      clock.advance(HOUR);
      expect(await call('list_accounts')).toContain('Budget "Household"');
    }
    const account_id = household?.accounts().find(({ closed }) => !closed)?.id;
    const own = { account_id, date: '2026-11-20', amount: -1, memo: `default ${n}` };
    await call('create_transactions', { transactions: [own] });
  }
  const months = [household, trip].map((ledger) => ledger?.summary().first_month);
  expect(months).toEqual(['2022-01-01', '2022-01-01']);
  const memos = household?.transactions(undefined).filter(({ memo }) => memo?.startsWith('default'));
  expect(memos).toHaveLength(10);
});

test('the first answer that is about the default budget names the others behind its freshness, and no later one of the process does', async () => {
  const { startConversation } = await startTwoBudgets();
  const call = await startConversation();
  expect(await call('list_accounts', { budget_id: 'Japan Trip' })).not.toContain(NOTE);
  const [, ...last] = (await call('list_accounts')).split(/^As of .* requests left\. /m);
  expect(last).toEqual([NOTE]);
  expect(await call('list_accounts')).not.toContain(NOTE);
  expect(await call('list_categories')).not.toContain(NOTE);
});

test('no answer names the others if the person has chosen the default budget', async () => {
  const { startConversation } = await startTwoBudgets();
  const call = await startConversation({ budget: 'Japan Trip' });
  const text = await call('list_accounts');
  expect(text).toContain('Budget "Japan Trip"');
  expect(text).not.toContain('No budget was named');
});

test('an error names the budget that was looked in and the others, if the call named none', async () => {
  const { service, startConversation } = await startTwoBudgets();
  const trip = service.user.ledgers[1];
  const [account] = trip?.accounts() ?? [];
  const [row] = trip?.transactions(undefined) ?? [];
  const ofTrip: [string, object][] = [
    ['create_transactions', { transactions: [{ account_id: account?.id, date: '2026-11-20', amount: -1 }] }],
    ['update_transactions', { transactions: [{ id: row?.id, memo: 'Temple' }] }],
    ['delete_transaction', { transaction_id: row?.id }],
    ['get_account', { account_id: account?.id }],
    ['find_transactions', { account: account?.id }],
    ['report', { of: 'spending', account: [account?.name] }],
  ];
  const call = await startConversation({ cacheBytes: 2 ** 26 });
  for (const [name, args] of ofTrip) {
    expect(await call(name, args, true)).toContain(NOTE);
    expect(await call(name, { ...args, budget_id: 'Household' }, true)).not.toContain('No budget was named');
  }
  const chosen = await startConversation({ budget: 'Household' });
  const text = await chosen('get_account', { account_id: account?.id }, true);
  expect(text).toContain('this is about "Household", as the settings say. There are also: "Japan Trip".');
});

test('undo without a budget takes back nothing in the default one if the last write is in another one', async () => {
  const { service, startConversation } = await startTwoBudgets();
  const [household, trip] = service.user.ledgers;
  const call = await startConversation();
  const enter = async (ledger: typeof trip, memo: string) => {
    const account_id = ledger?.accounts().find(({ closed }) => !closed)?.id;
    const row = { account_id, date: '2026-11-20', amount: -1, memo };
    await call('create_transactions', { budget_id: ledger?.id, transactions: [row] });
  };
  const memos = () =>
    [household, trip].flatMap((ledger) =>
      (ledger?.transactions(undefined) ?? []).flatMap(({ memo }) => (memo?.startsWith('new') ? memo : [])),
    );
  await enter(household, 'new bread');
  await enter(trip, 'new ticket');
  expect(await call('undo', {}, true)).toContain(`is in another budget: give budget_id ${trip?.id}`);
  expect(memos()).toEqual(['new bread', 'new ticket']);
  await call('undo', { budget_id: trip?.id });
  await call('undo');
  expect(memos()).toEqual([]);
});
