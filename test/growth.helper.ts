/**
 * Budgets with much of one thing, in the form that is worst for the code that reads it, and a comparison of the times that some and
 * ten times as much take. Time is that of the processor in this process, so that neither other work nor a slow machine counts.
 */
import { addDays } from '../src/base/calendar.ts';
import type { Export } from '../src/model/replica/entities.ts';
import * as sample from './answers/samples.helper.ts';

type Rows = Export['budget'];

export const TODAY = '2026-11-20';
export const many = <Row>(size: number, rowOf: (at: number) => Row): Row[] =>
  Array.from({ length: size }, (_, at) => rowOf(at));

const group = { id: 'grp-1', name: 'Everyday', hidden: false, internal: false, deleted: false };
const payee = (id: string, name: string) => ({ id, name, transfer_account_id: null, deleted: false });
const open = { approved: false, cleared: 'uncleared' } as const;

/** Budgets with so much of one thing. Each overwrites some of a small one. */
export const shapes: Readonly<Record<string, (size: number) => Partial<Rows>>> = {
  'equal entries of a day': (size) => ({
    transactions: many(size, (at) => sample.transaction({ id: `t${at}`, ...open })),
  }),
  'equal amounts of a day, each of its own payee': (size) => ({
    payees: many(size, (at) => payee(`pay-${at}`, `${letters(at)} transfer`)),
    transactions: many(size, (at) =>
      sample.transaction({
        id: `t${at}`,
        ...open,
        payee_id: `pay-${at}`,
        payee_name: `${letters(at)} transfer`,
        account_id: `acc-${(at % 2) + 1}`,
        amount: at % 2 ? -10_000 : 10_000,
        category_id: null,
      }),
    ),
  }),
  'amounts of a payee, by turns usual and not': (size) => ({
    categories: many(size / 2, (at) => sample.category({ id: `cat-${at}`, name: `Category ${at}` })),
    transactions: many(size, (at) =>
      sample.transaction({
        id: `t${at}`,
        date: addDays(TODAY, -Math.floor(((size - at) * 700) / size)),
        approved: at % 2 === 0,
        amount: at % 2 ? -9_000_000 - at : -10_000 - at,
        category_id: `cat-${at >> 1}`,
      }),
    ),
  }),
  'subscriptions of a payee, each of its own amount': (size) => ({
    transactions: many(size, (at) =>
      sample.transaction({
        id: `t${at}`,
        date: addDays(TODAY, -365 * (at % 4)),
        amount: -10_000 - 10 * (at >> 2),
      }),
    ),
    scheduled_transactions: many(size / 4, (at) =>
      sample.scheduled({ id: `s${at}`, payee_id: 'pay-1', amount: -10_000 - 10 * at }),
    ),
  }),
  'legs of a split without a category': (size) => ({
    transactions: [sample.transaction({ id: 't', amount: -size, ...open })],
    subtransactions: many(size, (at) =>
      sample.leg({ id: `l${at}`, transaction_id: 't', amount: -1, category_id: null, category_name: null }),
    ),
  }),
  'scheduled splits of a payee': (size) => ({
    transactions: many(size, (at) => sample.transaction({ id: `t${at}`, payee_id: 'pay-2', amount: 1_000 })),
    scheduled_transactions: many(size, (at) =>
      sample.scheduled({ id: `s${at}`, payee_id: 'pay-2', amount: -2_000, category_id: null }),
    ),
    scheduled_subtransactions: many(2 * size, (at) =>
      sample.scheduledLeg({ id: `l${at}`, scheduled_transaction_id: `s${at >> 1}`, amount: -1_000 }),
    ),
  }),
  'overspent categories of one name, each in a group of its own': (size) => ({
    category_groups: many(size, (at) => ({ ...group, id: `grp-${at}` })),
    ...withCategories(
      many(size, (at) =>
        sample.category({ id: `cat-${at}`, category_group_id: `grp-${at}`, balance: -1_000 }),
      ),
    ),
  }),
  'cards with a payment category each': (size) => ({
    accounts: many(size, (at) =>
      sample.account({ id: `acc-${at}`, name: `Card ${at}`, type: 'creditCard', balance: -1_000 }),
    ),
    category_groups: [group, { ...group, id: 'cards', name: 'Credit Card Payments' }],
    ...withCategories(
      many(size, (at) =>
        sample.category({
          id: `cat-${at}`,
          name: `Card ${at}`,
          category_group_id: 'cards',
          category_group_name: 'Credit Card Payments',
        }),
      ),
    ),
    transactions: many(size, (at) => sample.transaction({ id: `t${at}`, account_id: `acc-${at}` })),
    scheduled_transactions: many(size, (at) => sample.scheduled({ id: `s${at}`, account_id: `acc-${at}` })),
  }),
  'accents of one letter': (size) => ({
    payees: [payee('pay-1', accents(size)), payee('pay-2', `${accents(size)}b`)],
    transactions: many(4, (at) =>
      sample.transaction({ id: `t${at}`, ...open, payee_id: `pay-${(at % 2) + 1}`, memo: accents(size) }),
    ),
  }),
};

/** A name for each number, since digits say nothing of a payee. */
const letters = (at: number) =>
  [...String(at + 100_000)].map((digit) => String.fromCharCode(97 + Number(digit))).join('');
const accents = (size: number) => `a${'\u0301\u0323'.repeat(10 * size)}`;
const withCategories = (categories: ReturnType<typeof sample.category>[]) => ({
  categories,
  months: ['2026-10-01', '2026-11-01', '2026-12-01'].map((month) => sample.month({ month, categories })),
});

export function budgetOf(rows: Partial<Rows>): Rows {
  const small = {
    ...sample.exported(),
    accounts: many(2, (at) => sample.account({ id: `acc-${at + 1}`, name: `Account ${at + 1}` })),
    payees: [payee('pay-1', 'Corner Shop'), payee('pay-2', 'Landlord')],
    category_groups: [group],
    ...withCategories([sample.category()]),
  };
  return { ...small, ...rows };
}

/** What grows with the square takes a hundred times as long with ten times as much. */
const MOST = 25;
const ROUNDS = 5;

/** The time of the processor that `run` takes: the least of some rounds, which end once it is at most `enough`. */
async function timeOf(run: () => unknown, enough = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && least > enough; round += 1) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

/** What takes less than a plain loop is not measured exactly. */
const plainLoop = () => many(100_000, (at) => at).reduce((sum, each) => sum + each, 0);

/** By how much longer each takes with ten times as much, if that is too much. `runs` are those of `some` and of `more`. */
export async function slowOnes(runs: readonly { what: string; some: () => unknown; more: () => unknown }[]) {
  const slow: string[] = [];
  const plain = await timeOf(plainLoop);
  for (const { what, some, more } of runs) {
    const time = Math.max(await timeOf(some), plain);
    const longer = await timeOf(more, MOST * time);
    if (longer > MOST * time) slow.push(`${what}: ${Math.round(longer / time)} times ${time / 1_000} ms`);
  }
  return slow;
}
