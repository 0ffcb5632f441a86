/** Calls each write as a dry run and then for real, over MCP and HTTP, and compares what is refused. */
import type { Client } from '@modelcontextprotocol/client';
import { expect, onTestFinished } from 'vitest';
import { fixedTokenProvider } from '../../../src/auth/token-provider.ts';
import { createAccount, updateAccount } from '../../../src/service/ledger/accounts.ts';
import { addDays, addYears } from '../../../src/service/ledger/calendar.ts';
import { createCategory, setBudgeted, updateCategory } from '../../../src/service/ledger/categories.ts';
import type { LedgerState } from '../../../src/service/ledger/ledger-state.ts';
import { deletePayee } from '../../../src/service/ledger/payees.ts';
import { addScheduled } from '../../../src/service/ledger/scheduled-transactions.ts';
import { addTransaction, deleteTransaction } from '../../../src/service/ledger/transactions.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { BudgetClient } from '../../../src/session/budget-client.ts';
import { HttpSender } from '../../../src/session/http/http-sender.ts';
import { RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import { unhurried } from '../../manual-clock.helper.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { EURO, smallLedger } from '../../service/ledger/random-changes.helper.ts';
import type { WritingService } from '../../service/writes/writing.helper.ts';
import { type AnyWrite, toolCall } from './any-write.helper.ts';
import { Picks } from './picks.helper.ts';

class CountingSender extends HttpSender {
  writes = 0;

  override async exchange(
    ...exchange: Parameters<HttpSender['exchange']>
  ): ReturnType<HttpSender['exchange']> {
    if (exchange[0].method !== 'GET') this.writes += 1;
    return super.exchange(...exchange);
  }
}

/** How many calls of each tool had which outcome. The service itself refuses what was sent to it. */
export type Counts = Readonly<
  Record<'written' | 'refused by the service' | 'refused here', Map<string, number>>
>;

export const noCounts = (): Counts => ({
  written: new Map(),
  'refused by the service': new Map(),
  'refused here': new Map(),
});

export interface Setting {
  readonly decimals?: 0 | 2 | 3;
  readonly cacheBytes?: number;
}

export function startComparing(service: WritingService, { decimals = 2, cacheBytes = 2 ** 26 }: Setting) {
  const ledger = smallLedger({ ...EURO, decimal_digits: decimals });
  ledger.commit(addHistory);
  const { clock, baseUrl, access } = service;
  const sender = new CountingSender({ clock });
  onTestFinished(() => sender.close());
  const client = new BudgetClient({
    tokens: fixedTokenProvider({ baseUrl, token: access.issueToken(access.addUser([ledger])) }),
    sender,
    clock: unhurried(clock),
    budget: ledger.id,
    rateBudget: () => new RateBudget({ clock, limit: 1_000_000 }),
    cacheBytes,
  });
  const connecting = hostOf({ client, clock }, { confirm: 'none' });
  const call = async (name: string, args: object) => {
    const host = await connecting;
    const answering = host.callTool({ name, arguments: { ...args } });
    const { structuredContent, content, isError } = await answering.catch(refusedIfDisabled);
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    expect(text).not.toContain('Internal error');
    return { text, isRefused: isError === true || 'problems' in Object(structuredContent) };
  };
  /**
   * What becomes of a call, and the text of its dry run before. Throws if the two are not refused alike, or if the dry run
   * writes.
   */
  const compare = async (name: string, args: object) => {
    // The dry run reads the newest state, and an equal call is a new write.
    clock.advance(660_000);
    ledger.advanceTo(clock.now());
    const [sent, knowledge] = [sender.writes, ledger.knowledge];
    const predicted = await call(name, { ...args, dry_run: true });
    expect([sender.writes, ledger.knowledge]).toEqual([sent, knowledge]);
    const actual = await call(name, args);
    const explained = `${name} ${JSON.stringify(args)}\ndry run: ${predicted.text}\ncall: ${actual.text}`;
    expect(predicted.isRefused, explained).toBe(actual.isRefused);
    const refusal = sender.writes > sent ? 'refused by the service' : 'refused here';
    return { outcome: actual.isRefused ? refusal : 'written', predicted: predicted.text } as const;
  };
  const compareAny = async (write: AnyWrite, counts: Counts) => {
    changeElsewhere(ledger, write);
    const { name, args } = toolCall(ledger, write);
    const { outcome } = await compare(name, args);
    const { [outcome]: byTool } = counts;
    byTool.set(name, (byTool.get(name) ?? 0) + 1);
  };
  return { ledger, compare, compareAny };
}

/** A change by a person in the app, or nothing. */
function changeElsewhere(ledger: Ledger, { picks }: AnyWrite): void {
  const pick = new Picks([...picks].reverse());
  if (!pick.happens(3)) return;
  ledger.commit((state) => {
    const account = pick.from([...state.accounts.values()]);
    const category = pick.from([...state.categories.values()]);
    const kind = pick.from(['account', 'account', 'category', 'payee', 'transaction'] as const);
    if (kind === 'account') updateAccount(state, account.id, { closed: !account.closed });
    if (kind === 'category' && category.role.kind === 'envelope')
      updateCategory(state, category.id, { hidden: !category.hidden });
    if (kind === 'payee') deletePayee(state, pick.from([...state.payees.keys()]));
    if (kind === 'transaction') deleteTransaction(state, pick.from([...state.transactions.keys()]));
  });
}

/** An older service lacks the operation. */
function refusedIfDisabled(error: unknown): Awaited<ReturnType<Client['callTool']>> {
  if (error instanceof Error && /^Tool \w+ disabled$/.test(error.message))
    return { content: [], isError: true };
  throw error;
}

/** Entries of all kinds: old ones, closed accounts, transfers, splits with transfers, imports, schedules and goals. */
function addHistory(state: LedgerState): void {
  const { today } = state;
  const [checking, savings, card, , house] = [...state.accounts.values()];
  const [bills, ...others] = [...state.categories.values()].filter(({ role }) => role.kind === 'envelope');
  const [baker] = [...state.payees.values()].filter(({ name }) => name === 'Baker');
  const old = createAccount(state, { name: 'Old', type: 'cash', balance: 40_000, date: addYears(today, -6) });
  if (!checking || !savings || !card || !house || !bills || !baker) throw new Error('unreachable');
  const leg = (amount: number, payee_id: string | null, category_id: string | null = null) => ({
    amount,
    payee_id,
    category_id,
  });
  const add = (account_id: string, amount: number, payee_id: string | null, more: object = {}) =>
    addTransaction(state, { account_id, date: addDays(today, -3), amount, payee_id, ...more });
  add(old.id, -10_000, checking.transfer_payee_id, { date: addYears(today, -6) });
  add(old.id, -10_000, baker.id, { category_id: bills.id, import_id: 'import 1' });
  add(checking.id, -10_000, baker.id, { category_id: bills.id });
  add(checking.id, -10_000, baker.id, { import_id: 'import 1' });
  add(savings.id, -10_000, baker.id, { import_id: 'import 1' });
  add(savings.id, -10_000, baker.id, { import_id: 'import 2' });
  add(checking.id, -10_000, savings.transfer_payee_id, { import_id: 'import 3' });
  add(checking.id, -10_000, house.transfer_payee_id, { category_id: bills.id });
  add(card.id, -14_500, baker.id, {
    legs: [leg(-10_000, savings.transfer_payee_id), leg(-4_500, null, bills.id)],
  });
  add(checking.id, -14_500, baker.id, { legs: [leg(-10_000, old.transfer_payee_id), leg(-4_500, null)] });
  const plan = (account_id: string, payee_id: string | null, more: object = {}) =>
    addScheduled(state, {
      account_id,
      date: addDays(today, 9),
      amount: -10_000,
      payee_id,
      frequency: 'monthly',
      ...more,
    });
  plan(checking.id, baker.id, { category_id: bills.id });
  plan(checking.id, savings.transfer_payee_id);
  plan(old.id, checking.transfer_payee_id);
  plan(card.id, baker.id, { legs: [leg(-4_000, savings.transfer_payee_id), leg(-6_000, null, bills.id)] });
  updateAccount(state, old.id, { closed: true });
  const types = ['TB', 'TBD', 'MF', 'NEED', 'DEBT'] as const;
  for (const [index, type] of types.entries()) {
    const goal = {
      type,
      target: 90_000,
      creation_month: '2026-01-01',
      target_date: type === 'TBD' ? '2026-12-31' : null,
      needs_whole_amount: type === 'NEED' ? true : null,
      day: null,
      cadence: 0,
      cadence_frequency: 1,
      snoozed_at: null,
    };
    createCategory(state, { group_id: bills.group_id, name: `Goal ${index}`, goal });
  }
  const [hidden, funded] = others;
  if (hidden) updateCategory(state, hidden.id, { hidden: true });
  if (funded) setBudgeted(state, funded.id, state.currentMonth, 50_000);
}
