/**
 * A person whose day, month or year is not that of the service, which counts in UTC: what an answer says of "this month" is of the
 * person's month, and a write is in the month that its answer says.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { addDays, dayIn, firstOfMonth } from '../../src/base/calendar.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { startHolding } from '../session/holding.helper.ts';
import { hostOf } from './connected.helper.ts';

const zones = ['Etc/GMT+12', 'America/Los_Angeles', 'America/St_Johns', 'UTC', 'Asia/Kathmandu'].concat(
  'Pacific/Auckland',
  'Pacific/Kiritimati',
);

const ends = ['2026-12-01', '2027-01-01', '2027-03-01', '2028-03-01', '2027-11-01'];
/** Within 16 hours of the end of a month in UTC. */
const instants = fc
  .tuple(fc.constantFrom(...ends), fc.integer({ min: -16 * 60, max: 16 * 60 }))
  .map(([end, minutes]) => new Date(Date.parse(end) + minutes * 60_000).toISOString());

const amounts = z.object({ budgeted: z.number(), activity: z.number(), balance: z.number() });
const category = amounts.extend({ id: z.string(), name: z.string() });
const inMonth = z.object({ month: z.string() });

async function personAt(at: string, timeZone: string, cacheBytes: number) {
  const started = await startHolding({ timeZone, cacheBytes }, { at });
  const host = await hostOf(started, { confirm: 'none' });
  const { clock, ledger } = started;
  const today = dayIn(timeZone)(clock.now());
  const month = firstOfMonth(today);
  const call = async (name: string, args = {}) => {
    const { structuredContent, content, isError } = await host.callTool({ name, arguments: args });
    const text = content.map((each) => (each.type === 'text' ? each.text : '')).join('\n');
    return { structured: structuredContent, text, isError: isError === true };
  };
  const done = async (name: string, args = {}) => {
    const answer = await call(name, args);
    expect(answer.isError, answer.text).toBe(false);
    return answer;
  };
  /** In units. A month that the service does not have yet begins with what the last one leaves. */
  const amountsOf = (id: string) => {
    const now = ledger.category(id, month);
    const { budgeted, activity, balance } = now ?? {
      budgeted: 0,
      activity: 0,
      balance: Math.max(0, ledger.category(id)?.balance ?? Number.NaN),
    };
    return amounts.parse({ budgeted: budgeted / 1000, activity: activity / 1000, balance: balance / 1000 });
  };
  return { ...started, today, month, call, done, amountsOf };
}

type Person = Awaited<ReturnType<typeof personAt>>;

async function expectMonthInReads({
  month,
  call,
  done,
  amountsOf,
  ledger,
  cached,
}: Person & { cached: boolean }) {
  const named = z.object({ month: z.string(), category });
  const one = named.parse((await done('get_category', { category_id: 'Groceries' })).structured);
  expect(one.month).toBe(month);
  expect(amounts.parse(one.category)).toEqual(amountsOf(one.category.id));
  // Categories of the service itself have no amounts.
  const shown = category.or(z.object({ id: z.string() }).transform(() => undefined));
  const groups = z.object({
    month: z.string(),
    category_groups: z.array(z.object({ categories: z.array(shown) })),
  });
  const all = groups.parse((await done('list_categories')).structured);
  expect(all.month).toBe(month);
  const own = all.category_groups
    .flatMap(({ categories }) => categories)
    .filter((each) => each !== undefined);
  expect(own.length).toBeGreaterThan(10);
  for (const each of own) expect(amounts.parse(each)).toEqual(amountsOf(each.id));
  const current = await call('get_month', { month: 'current' });
  const isKnown = ledger.month(month) !== undefined;
  expect(current.isError).toBe(!isKnown);
  if (isKnown) expect(current.text).toContain(month.slice(0, 7));
  if (!cached) return;
  expect(inMonth.parse((await done('check_month')).structured).month).toBe(month);
  const range = z.object({ since: z.string(), until: z.string() });
  const { since, until } = range.parse((await done('report', { of: 'spending' })).structured);
  expect([since, firstOfMonth(until)]).toEqual([month, month]);
  const left = z.object({ categories: z.array(z.object({ category_id: z.string(), left: z.number() })) });
  const forecast = left.parse((await done('forecast', { category: ['Groceries'] })).structured);
  expect(forecast.categories[0]?.left).toBe(amountsOf(forecast.categories[0]?.category_id ?? '').balance);
}

async function expectMonthInWrites({
  today,
  month,
  done,
  amountsOf,
  ledger,
  cached,
}: Person & { cached: boolean }) {
  const balances = z.object({
    balances: z.object({ categories: z.array(category.pick({ id: true, balance: true })) }),
  });
  const expectBalances = (structured: unknown) => {
    for (const { id, balance } of balances.parse(structured).balances.categories)
      expect(balance).toBe(amountsOf(id).balance);
  };
  const row = { account_id: 'Checking', date: 'today', amount: -4.5, category_id: 'Groceries' };
  const entered = await done('create_transactions', { transactions: [row] });
  const ids = z.object({ transaction_ids: z.array(z.string()) }).parse(entered.structured).transaction_ids;
  expect(ids.map((id) => ledger.transaction(id)?.date)).toEqual([today]);
  expectBalances(entered.structured);
  const yesterday = await done('create_transactions', { transactions: [{ ...row, date: 'yesterday' }] });
  expect(yesterday.text).toContain(addDays(today, -1));
  expectBalances(yesterday.structured);
  const note = z.object({ month: z.string(), category });
  const noted = note.parse((await done('update_category', { category_id: 'Fuel', note: 'E10' })).structured);
  expect(noted.month).toBe(month);
  expect(amounts.parse(noted.category)).toEqual(amountsOf(noted.category.id));
  const set = await done('update_month_category', {
    month: 'current',
    category_id: 'Groceries',
    budgeted: 5_321.5,
  });
  const written = note.parse(set.structured);
  expect(written.month).toBe(month);
  expect(ledger.category(written.category.id, month)?.budgeted).toBe(5_321_500);
  expectBalances(set.structured);
  if (!cached) return;
  const moved = await done('move_budgeted', { from: 'Groceries', to: 'Fuel', amount: 1.5 });
  expect(inMonth.parse(moved.structured).month).toBe(month);
  expect(ledger.category(written.category.id, month)?.budgeted).toBe(5_320_000);
  const assigned = { amounts: [{ category: 'Groceries', amount: 1.5 }] };
  expect(inMonth.parse((await done('assign_money', assigned)).structured).month).toBe(month);
  expect(ledger.category(written.category.id, month)?.budgeted).toBe(5_321_500);
}

it('in every time zone and at every end of a month, answers and writes are of the month of the person', async () => {
  await fc.assert(
    fc.asyncProperty(instants, fc.constantFrom(...zones), fc.boolean(), async (at, zone, cached) => {
      const person = { ...(await personAt(at, zone, cached ? 2 ** 26 : 0)), cached };
      await expectMonthInReads(person);
      await expectMonthInWrites(person);
    }),
    { numRuns: fuzzRuns(12) },
  );
});
