import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dateOf } from '../../src/base/clock.ts';
import { eras, type Host } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let home: Household;
let checking: string;
let closed: string;
let tripAccount: string;
let tripId: string;
beforeAll(async () => {
  home = await Household.start();
  const accounts = await home.accounts();
  checking = (await home.account('Checking')).id;
  closed = accounts.find((each) => each.closed)?.id ?? '';
  tripId = home.service.user.ledgers.find(({ id }) => id !== home.budgetId)?.id ?? '';
  tripAccount = (await home.accounts(tripId))[0]?.id ?? '';
});
afterAll(() => home.close());

type Row = Record<string, unknown>;

/** A valid transaction, except for the fields in `wrong`. */
const row = (wrong: Row = {}): Row => ({ account_id: checking, date: home.today, amount: -4.5, ...wrong });
const rows = (...wrong: Row[]) => ({ transactions: wrong.map(row) });

const inDays = (days: number) => dateOf(Date.parse(home.today) + days * 86_400_000);

/** What is wrong, the tool, its arguments, and the text of the answer. */
const refusals: readonly (readonly [string, string, () => Row, RegExp])[] = [
  [
    'text for an amount',
    'create_transactions',
    () => rows({ amount: '€4.50' }),
    /transactions\.0\.amount.*number/,
  ],
  ['"NaN"', 'create_transactions', () => rows({ amount: 'NaN' }), /transactions\.0\.amount.*number/],
  [
    'null for an amount',
    'create_transactions',
    () => rows({ amount: null }),
    /transactions\.0\.amount.*number/,
  ],
  ['1e21', 'create_transactions', () => rows({ amount: 1e21 }), /transactions\.0\.amount: is too large/],
  [
    'four decimals',
    'create_transactions',
    () => rows({ amount: 1.2345 }),
    /amount: must have at most three decimals/,
  ],
  [
    'a third decimal in euros',
    'create_transactions',
    () => rows({}, { amount: 1.234 }),
    /transactions\.1\.amount has more decimals than EUR takes \(2\)/,
  ],
  [
    'a decimal in yen',
    'create_transactions',
    () => ({ budget_id: 'Japan Trip', ...rows({ account_id: tripAccount, amount: -99.5 }) }),
    /transactions\.0\.amount has more decimals than JPY takes \(0\)/,
  ],
  [
    'a third decimal in a leg',
    'create_transactions',
    () => rows({ amount: -3, subtransactions: [{ amount: -1.005 }, { amount: -1.995 }] }),
    /transactions\.0\.subtransactions\.0\.amount has more decimals/,
  ],
  [
    'a third decimal in a budgeted amount',
    'update_month_category',
    () => ({ month: 'current', category_id: UNKNOWN, budgeted: 0.005 }),
    /budgeted has more decimals/,
  ],
  ['no list', 'create_transactions', () => ({ transactions: row() }), /transactions.*array/],
  ['an empty list', 'create_transactions', () => rows(), /transactions.*>=1/],
  ['an empty list of changes', 'update_transactions', () => ({ transactions: [] }), /transactions.*>=1/],
  [
    '1,001 rows',
    'create_transactions',
    () => rows(...Array.from({ length: 1_001 }, () => ({}))),
    /transactions.*<=1000/,
  ],
  [
    'a missing account',
    'create_transactions',
    () => rows({ account_id: undefined }),
    /transactions\.0\.account_id/,
  ],
  ['a missing amount', 'create_transactions', () => rows({ amount: undefined }), /transactions\.0\.amount/],
  [
    'an unknown field',
    'create_transactions',
    () => rows({ payee: 'Corner Bakery' }),
    /transactions\.0.*payee/,
  ],
  [
    'an unknown field in a leg',
    'create_transactions',
    () => rows({ subtransactions: [{ amount: -4.5, tag: 'x' }] }),
    /tag/,
  ],
  [
    'a split that does not add up',
    'create_transactions',
    () => rows({ subtransactions: [{ amount: -4 }, { amount: -1 }] }),
    /transactions\.0\.subtransactions.*must add up/,
  ],
  [
    'a day that does not exist',
    'create_transactions',
    () => rows({ date: '2026-02-30' }),
    /transactions\.0\.date.*day that exists/,
  ],
  [
    'a future date',
    'create_transactions',
    () => rows({ date: inDays(2) }),
    /transactions\.0\.date.*future.*create_scheduled_transaction/,
  ],
  [
    'a future date in one row of two',
    'create_transactions',
    () => rows({}, { date: inDays(40) }),
    /transactions\.1\.date.*create_scheduled_transaction/,
  ],
  [
    'a change to a future date',
    'update_transaction',
    () => ({ transaction_id: UNKNOWN, date: inDays(2) }),
    /date.*future.*create_scheduled_transaction/,
  ],
  [
    'a past date in a schedule',
    'create_scheduled_transaction',
    () => row({ date: inDays(-1) }),
    /date.*past.*create_transactions/,
  ],
  ['a date too long ago', 'create_transactions', () => rows({ date: inDays(-366 * 6) }), /5 years ago/],
  [
    'a name of 201 characters',
    'create_transactions',
    () => rows({ payee_name: 'n'.repeat(201) }),
    /transactions\.0\.payee_name.*at most 200/,
  ],
  [
    'a memo of 501 characters',
    'create_transactions',
    () => rows({ memo: 'm'.repeat(501) }),
    /transactions\.0\.memo.*at most 500/,
  ],
  [
    'a name that the service reserves',
    'create_transactions',
    () => rows({ payee_name: 'Starting Balance' }),
    /400.*payee/,
  ],
  [
    'a transfer to an unknown account',
    'create_transactions',
    () => rows({ payee_name: 'Transfer : Nowhere' }),
    /transactions\.0\.payee_name: there is no account "Nowhere"/,
  ],
  ['an unknown account', 'create_transactions', () => rows({ account_id: UNKNOWN }), /400.*account_id/],
  [
    'an account of another budget',
    'create_transactions',
    () => rows({ account_id: tripAccount }),
    /400.*account_id/,
  ],
  ['an unknown category', 'create_transactions', () => rows({ category_id: UNKNOWN }), /400.*category_id/],
  ['an unknown payee', 'create_transactions', () => rows({ payee_id: UNKNOWN }), /400.*payee_id/],
  [
    'an unknown account in one row of two',
    'create_transactions',
    () => rows({}, { account_id: UNKNOWN }),
    /400.*\(index: 1\)/,
  ],
  ['a closed account', 'create_transactions', () => rows({ account_id: closed }), /400.*closed/],
  ['an unknown transaction', 'update_transaction', () => ({ transaction_id: UNKNOWN, memo: 'x' }), /404\.2/],
  [
    'an unknown transaction among changes',
    'update_transactions',
    () => ({ transactions: [{ id: UNKNOWN, memo: 'x' }] }),
    /400.*id/,
  ],
  [
    'a change without id or import_id',
    'update_transactions',
    () => ({ transactions: [{ memo: 'x' }] }),
    /transactions\.0\.id.*id or the import_id/,
  ],
  [
    'the date of a goal for a category without one',
    'update_category',
    () => ({ category_id: goalless, goal_target_date: inDays(90) }),
    /400.*goal/,
  ],
  [
    'an unknown kind of account',
    'create_account',
    () => ({ name: 'X', type: 'piggy bank', balance: 0 }),
    /type/,
  ],
  [
    'a balance of text',
    'create_account',
    () => ({ name: 'X', type: 'cash', balance: 'none' }),
    /balance.*number/,
  ],
  [
    'an unknown frequency',
    'create_scheduled_transaction',
    () => row({ date: inDays(9), frequency: 'hourly' }),
    /frequency/,
  ],
];

let goalless: string;
beforeAll(async () => {
  const groups = z
    .array(z.object({ categories: z.array(z.object({ id: z.string(), goal_type: z.string().nullable() })) }))
    .parse((await home.get('categories'))?.['category_groups']);
  goalless =
    groups.flatMap(({ categories }) => categories).find(({ goal_type }) => goal_type === null)?.id ?? '';
});

describe.each(eras)('a host that speaks %s', (_, connect) => {
  let host: Host;
  beforeAll(async () => {
    host = await connect({ args: [], env: home.env() });
  });
  afterAll(() => host.close());

  test.each(refusals)(
    'a write with %s is refused with the reason, and nothing is written',
    async (_, tool, args, message) => {
      const before = [await home.knowledge(), await home.knowledge(tripId)];
      const { isError, text } = await host.call(tool, args());
      expect(text).toMatch(message);
      expect(isError).toBe(true);
      expect([await home.knowledge(), await home.knowledge(tripId)]).toEqual(before);
    },
  );
});
