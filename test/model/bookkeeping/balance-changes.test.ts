/** How a dry run computes the balances after a write. */
import { describe, expect, test } from 'vitest';
import { balanceChangesOf } from '../../../src/model/bookkeeping/balance-changes.ts';

const accounts = [
  { id: 'a', name: 'Checking', balance: 50_000 },
  { id: 'b', name: 'Savings', balance: 0 },
];
const categories = [
  { id: 'c', name: 'Groceries', balance: 9_000 },
  { id: 'd', name: 'Rent', balance: -1_000 },
];
const changesOf = (bookings: Parameters<typeof balanceChangesOf>[0], isUncertain?: boolean) =>
  balanceChangesOf(bookings, { accounts, categories }, '2026-11', isUncertain);

describe('balance changes', () => {
  test('balances change by the sum of the entries, and are listed in the order of the budget with accounts first', () => {
    expect(
      changesOf([
        { category_id: 'd', amount: -500, date: '2026-11-30' },
        { category_id: 'c', amount: -2_000 },
        { account_id: 'a', amount: -2_000 },
        { account_id: 'a', amount: -500, date: '2026-10-05' },
      ]),
    ).toEqual({
      balanceChanges: [
        { kind: 'account', id: 'a', name: 'Checking', balanceBefore: 50_000, balanceAfter: 47_500 },
        { kind: 'category', id: 'c', name: 'Groceries', balanceBefore: 9_000, balanceAfter: 7_000 },
        { kind: 'category', id: 'd', name: 'Rent', balanceBefore: -1_000, balanceAfter: -1_500 },
      ],
      unpredictable: [],
    });
  });

  test('a balance is not listed when its entries add up to zero or its id is not in the budget', () => {
    expect(
      changesOf([
        { account_id: 'a', amount: -500 },
        { account_id: 'a', amount: 500 },
        { account_id: 'nothing', amount: 1 },
        { category_id: 'nothing', amount: 1 },
      ]),
    ).toEqual({ balanceChanges: [], unpredictable: [] });
  });

  test('the balance of a category is not predicted when another month changes, because that month may be overspent', () => {
    expect(
      changesOf([
        { account_id: 'b', amount: -500, date: '2026-10-05' },
        { category_id: 'c', amount: -500, date: '2026-10-05' },
        { category_id: 'c', amount: -500 },
        { category_id: 'd', amount: -500 },
      ]),
    ).toEqual({
      balanceChanges: [
        { kind: 'account', id: 'b', name: 'Savings', balanceBefore: 0, balanceAfter: -500 },
        { kind: 'category', id: 'd', name: 'Rent', balanceBefore: -1_000, balanceAfter: -1_500 },
      ],
      unpredictable: ['Groceries'],
    });
  });

  test('the balance of a category is predicted when the sum of every other month stays the same', () => {
    const within = { category_id: 'c', date: '2026-10-05' };
    expect(
      changesOf([
        { ...within, amount: -500 },
        { ...within, date: '2026-10-31', amount: 500 },
        { category_id: 'c', amount: 700 },
      ]),
    ).toMatchObject({ balanceChanges: [{ id: 'c', balanceAfter: 9_700 }], unpredictable: [] });
  });

  test('the balance of a category is not predicted when two other months change by opposite amounts', () => {
    const changes = changesOf([
      { category_id: 'c', date: '2026-10-05', amount: -500 },
      { category_id: 'c', date: '2026-09-05', amount: 500 },
    ]);
    expect(changes).toEqual({ balanceChanges: [], unpredictable: ['Groceries'] });
  });

  test('no balance is predicted when the entries are uncertain, and the names of those that may change are listed', () => {
    const bookings = [
      { account_id: 'a', amount: 0 },
      { category_id: 'd', amount: -500 },
    ];
    expect(changesOf(bookings, true)).toEqual({ balanceChanges: [], unpredictable: ['Checking', 'Rent'] });
  });
});
