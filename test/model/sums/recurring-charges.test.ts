import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../../src/model/replica/entities.ts';
import { recurringIn } from '../../../src/model/sums/recurring-charges.ts';
import { account, category, leg, scheduled, transaction } from '../../answers/samples.helper.ts';
import { budgetOf } from './budget-of.helper.ts';

const accounts = ['acc-1', 'savings', 'mortgage'].map((id, at) => account({ id, on_budget: at < 2 }));
const categories = [category({ id: 'income', name: 'Inflow: Ready to Assign', internal: true })];

interface Given {
  readonly scheduled?: readonly ReturnType<typeof scheduled>[];
  /** Those before the others. */
  readonly earlier?: readonly Transaction[];
  readonly smallestUnit?: number;
}

const recurringCharges = (rows: readonly Transaction[], given: Given = {}) => {
  const { scheduled = [], earlier = [], smallestUnit = 10 } = given;
  const since = rows.map(({ date }) => date).sort()[0] ?? '';
  const budget = budgetOf({ accounts, categories, transactions: [...rows, ...earlier], scheduled });
  return recurringIn(budget, { today: '2026-11-21', since, smallestUnit });
};

/** A transaction on the 9th of each of these months of 2026. */
const monthly = (amounts: readonly number[], changed: Partial<Transaction> = {}, lastMonth = 11) =>
  amounts.map((amount, at) =>
    transaction({
      ...changed,
      id: `${changed.payee_id ?? 'pay-1'} ${at}`,
      date: `2026-${String(lastMonth - amounts.length + 1 + at).padStart(2, '0')}-09`,
      amount,
      subtransactions: [...(changed.subtransactions ?? [])],
    }),
  );

const on = (date: string, amount: number) => transaction({ id: date, date, amount, subtransactions: [] });

const six = (amount: number, changed: Partial<Transaction> = {}) => monthly(Array(6).fill(amount), changed);

describe('recurring charges', () => {
  it('a monthly charge costs twelve times its amount a year, and its next date is a month later', () => {
    expect(recurringCharges(six(-15_990))).toEqual([
      {
        payee_id: 'pay-1',
        name: 'Corner Shop',
        rhythm: 'monthly',
        amount: 15_990,
        varies: false,
        changed: null,
        cost_per_year: 191_880,
        last_date: '2026-11-09',
        next_date: '2026-12-09',
        scheduled_transaction_id: null,
        is_overdue: false,
        has_ended: false,
      },
    ]);
  });

  it('of a changed price, the new one counts, with its first date and the one before', () => {
    const rows = monthly([-9_990, -9_990, -9_990, -9_990, -10_990, -10_990]);
    expect(recurringCharges(rows)).toMatchObject([
      { amount: 10_990, cost_per_year: 131_880, changed: { date: '2026-10-09', from: 9_990 } },
    ]);
  });

  it('a bill costs the mean of its last year, in the smallest unit of the currency', () => {
    const rows = monthly([-84_000, -91_000, -80_560, -93_320, -88_470, -91_610]);
    const mean = 528_960 / 6;
    expect(recurringCharges(rows)).toMatchObject([
      { varies: true, amount: mean, cost_per_year: mean * 12, changed: null },
    ]);
    expect(recurringCharges(rows, { smallestUnit: 1_000 })).toMatchObject([{ amount: 88_000 }]);
  });

  it('a charge whose next date has passed is overdue, and has ended after one more period', () => {
    const found = (lastMonth: number) => {
      const rows = monthly([-5_000, -5_000, -5_000, -5_000], {}, lastMonth);
      const [charge] = recurringCharges(rows);
      return [charge?.is_overdue, charge?.has_ended];
    };
    expect([found(11), found(10), found(9)]).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
  });

  it('two charges a year apart are yearly unless earlier charges of the payee show that they came by chance', () => {
    const rows = [on('2025-03-09', -12_000), on('2026-03-10', -14_000)];
    const found = (...earlier: Transaction[]) =>
      recurringCharges(rows, { earlier }).map(({ rhythm }) => rhythm);
    expect(found()).toEqual(['yearly']);
    expect(found(on('2024-03-08', -11_000))).toEqual(['yearly']);
    expect(found(on('2022-03-12', -11_000))).toEqual(['yearly']);
    expect(found(on('2023-08-02', -13_000))).toEqual([]);
    expect(found(on('2022-03-12', -11_000), on('2023-08-02', -13_000))).toEqual([]);
    const ofOtherAmounts = [on('2023-08-02', -1_000), on('2024-08-03', -59_000)];
    expect(found(...ofOtherAmounts)).toEqual(['yearly']);
  });

  it('earlier charges do not change the price and the dates of a yearly one', () => {
    const rows = [on('2025-03-09', -12_000), on('2026-03-09', -13_000)];
    const earlier = [on('2024-03-09', -11_000), on('2023-03-09', -10_000)];
    const [charge] = recurringCharges(rows, { earlier });
    expect(charge).toMatchObject({ varies: false, changed: { date: '2026-03-09', from: 12_000 } });
    expect(charge).toEqual(recurringCharges(rows)[0]);
  });

  it('income, refunds and transfers within the budget are no charges', () => {
    const rows = [
      ...six(2_960_000, { payee_id: 'salary' }),
      ...six(-10_000, { payee_id: 'correction', category_id: 'income' }),
      ...six(-300_000, { payee_id: 'to savings', transfer_account_id: 'savings' }),
      ...six(-345_000, { payee_id: 'interest', account_id: 'mortgage' }),
      ...six(-1_000, { payee_id: null }),
    ];
    expect(recurringCharges(rows)).toEqual([]);
  });

  it('a transfer to a tracked account is a charge', () => {
    const rows = six(-1_265_000, { transfer_account_id: 'mortgage', payee_name: 'Transfer : Mortgage' });
    expect(recurringCharges(rows)).toMatchObject([{ name: 'Transfer : Mortgage', amount: 1_265_000 }]);
  });

  it('a split is one charge, without its legs that stay in the budget', () => {
    const subtransactions = [
      leg({ id: 'a', amount: -20_000 }),
      leg({ id: 'b', amount: -5_000 }),
      leg({ id: 'c', amount: -50_000, transfer_account_id: 'savings' }),
    ];
    expect(recurringCharges(six(-75_000, { subtransactions }))).toMatchObject([{ amount: 25_000 }]);
  });

  it('a repeating scheduled transaction of the payee with about the amount stands for the charge', () => {
    const idWith = (changed: Parameters<typeof scheduled>[0]) =>
      recurringCharges(six(-54_000), {
        scheduled: [scheduled({ payee_id: 'pay-1', amount: -54_000, ...changed })],
      })[0]?.scheduled_transaction_id;
    expect(idWith({})).toBe('sch-1');
    expect(idWith({ amount: -60_000 })).toBe('sch-1');
    expect(idWith({ amount: -150_000 })).toBeNull();
    expect(idWith({ amount: 54_000 })).toBeNull();
    expect(idWith({ frequency: 'never' })).toBeNull();
    expect(idWith({ payee_id: 'pay-2' })).toBeNull();
  });

  it('a charge with a scheduled transaction has its amount and next date, and has not ended', () => {
    const bill = monthly([-84_000, -91_000, -80_560, -93_320, -88_470, -91_610], {}, 8);
    const planned = scheduled({ payee_id: 'pay-1', amount: -86_500, date_next: '2026-12-12' });
    expect(recurringCharges(bill, { scheduled: [planned] })).toMatchObject([
      {
        amount: 86_500,
        varies: false,
        changed: null,
        cost_per_year: 12 * 86_500,
        next_date: '2026-12-12',
        is_overdue: false,
        has_ended: false,
      },
    ]);
  });

  it('of two charges of a payee, only the one with the nearer amount has the scheduled transaction', () => {
    const late = six(-12_990).map((row) => ({
      ...row,
      id: `late ${row.id}`,
      date: row.date.replace(/09$/, '21'),
    }));
    const planned = scheduled({ payee_id: 'pay-1', amount: -9_990, date_next: '2026-12-10' });
    const found = recurringCharges([...six(-9_990), ...late], { scheduled: [planned] });
    expect(found.map(({ amount, next_date }) => [amount, next_date])).toEqual([
      [12_990, '2026-12-21'],
      [9_990, '2026-12-10'],
    ]);
  });

  it('the most expensive comes first', () => {
    const rows = [...six(-1_000, { payee_id: 'a' }), ...six(-2_000, { payee_id: 'b' })];
    expect(recurringCharges(rows).map(({ payee_id }) => payee_id)).toEqual(['b', 'a']);
  });
});
