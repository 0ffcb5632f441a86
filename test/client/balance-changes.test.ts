/** What bookings make of the balances that the budget shows now. */
import { describe, expect, test } from 'vitest';
import { balanceChangesOf } from '../../src/client/balance-changes.ts';

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

describe('The balances', () => {
  test('change by the sum of what is booked, in the order of the budget, accounts first', () => {
    expect(
      changesOf([
        { category_id: 'd', amount: -500, date: '2026-11-30' },
        { category_id: 'c', amount: -2_000 },
        { account_id: 'a', amount: -2_000 },
        { account_id: 'a', amount: -500, date: '2026-10-05' },
      ]),
    ).toEqual({
      effects: [
        { kind: 'account', id: 'a', name: 'Checking', balanceBefore: 50_000, balanceAfter: 47_500 },
        { kind: 'category', id: 'c', name: 'Groceries', balanceBefore: 9_000, balanceAfter: 7_000 },
        { kind: 'category', id: 'd', name: 'Rent', balanceBefore: -1_000, balanceAfter: -1_500 },
      ],
      notForeseen: [],
    });
  });

  test('do not change where what is booked adds up to nothing, or is of what the budget does not show', () => {
    expect(
      changesOf([
        { account_id: 'a', amount: -500 },
        { account_id: 'a', amount: 500 },
        { account_id: 'nothing', amount: 1 },
        { category_id: 'nothing', amount: 1 },
      ]),
    ).toEqual({ effects: [], notForeseen: [] });
  });

  test('of a category are not said where it changes in another month, which may have been overspent since', () => {
    expect(
      changesOf([
        { account_id: 'b', amount: -500, date: '2026-10-05' },
        { category_id: 'c', amount: -500, date: '2026-10-05' },
        { category_id: 'c', amount: -500 },
        { category_id: 'd', amount: -500 },
      ]),
    ).toEqual({
      effects: [
        { kind: 'account', id: 'b', name: 'Savings', balanceBefore: 0, balanceAfter: -500 },
        { kind: 'category', id: 'd', name: 'Rent', balanceBefore: -1_000, balanceAfter: -1_500 },
      ],
      notForeseen: ['Groceries'],
    });
  });

  test('of a category are said where each other month keeps its sum', () => {
    const within = { category_id: 'c', date: '2026-10-05' };
    expect(
      changesOf([
        { ...within, amount: -500 },
        { ...within, date: '2026-10-31', amount: 500 },
        { category_id: 'c', amount: 700 },
      ]),
    ).toMatchObject({ effects: [{ id: 'c', balanceAfter: 9_700 }], notForeseen: [] });
  });

  test('of a category are not said where two other months change, although by nothing together', () => {
    const changes = changesOf([
      { category_id: 'c', date: '2026-10-05', amount: -500 },
      { category_id: 'c', date: '2026-09-05', amount: 500 },
    ]);
    expect(changes).toEqual({ effects: [], notForeseen: ['Groceries'] });
  });

  test('are not said at all where it is uncertain what is booked: what may change is named', () => {
    const bookings = [
      { account_id: 'a', amount: 0 },
      { category_id: 'd', amount: -500 },
    ];
    expect(changesOf(bookings, true)).toEqual({ effects: [], notForeseen: ['Checking', 'Rent'] });
  });
});
