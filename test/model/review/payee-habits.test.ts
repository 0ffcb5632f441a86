import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../../src/model/replica/entities.ts';
import { payeeOddities } from '../../../src/model/review/payee-habits.ts';
import { leg, transaction } from '../../answers/samples.helper.ts';

type Changed = Parameters<typeof transaction>[0];

const earlier = (amounts: readonly number[], changed: Changed = {}) =>
  amounts.map((amount) => transaction({ amount, date: '2026-10-01', ...changed }));
const now = (changed: Changed = {}) => transaction({ id: 'now', approved: false, ...changed });
const oddities = (...rows: Transaction[]) =>
  payeeOddities(rows, {
    cameIn: ({ approved }) => !approved,
    hasNoMeaning: (id) => id === 'none',
    isUsable: (id) => id !== 'hidden',
  });
const kinds = (...rows: Transaction[]) => oddities(...rows).map(({ kind }) => kind);

const five = [-10_000, -20_000, -30_000, -30_000, -90_000];

describe('an unusual amount', () => {
  it.each([
    [-112_500, []],
    [-112_510, ['unusual_amount']],
    [112_510, []],
  ])('%d after five, of which 30 is the middle and 90 the largest: %j', (amount, expected) => {
    expect(kinds(...earlier(five), now({ amount }))).toEqual(expected);
  });

  it('is at least twice the middle one too', () => {
    const equal = [-50_000, -50_000, -50_000, -50_000, -50_000];
    expect(kinds(...earlier(equal), now({ amount: -99_990 }))).toEqual([]);
    expect(oddities(...earlier(equal), now({ amount: -100_000 }))).toMatchObject([{ usual: -50_000, of: 5 }]);
  });

  it('needs five earlier ones, which are approved', () => {
    expect(kinds(...earlier(five.slice(1)), now({ amount: -900_000 }))).toEqual([]);
    const open = earlier(five, { approved: false, payee_id: 'pay-1' });
    expect(kinds(...open, now({ amount: -900_000 })).slice(1)).toEqual([]);
  });
});

describe('a payee seen first', () => {
  it('is one that no earlier transaction has, and no leg', () => {
    expect(kinds(now(), now())).toEqual(['payee_seen_first']);
    const split = transaction({ payee_id: 'pay-2', subtransactions: [leg({ payee_id: 'pay-1' })] });
    expect(kinds(split, now())).toEqual([]);
  });

  it('is none of the service itself', () => {
    expect(kinds(now({ payee_name: 'Manual Balance Adjustment' }))).toEqual([]);
    expect(kinds(now({ payee_id: null }))).toEqual([]);
    expect(kinds(now({ transfer_account_id: 'acc-2' }))).toEqual([]);
  });
});

describe('a category against habit', () => {
  const nine = earlier(Array(9).fill(-10_000), { category_id: 'food' });
  it('is another one than nine of ten earlier lines have', () => {
    const [other] = earlier([-10_000], { category_id: 'home' });
    if (!other) throw new Error('There is one.');
    expect(oddities(...nine, other, now({ amount: -9_000, category_id: 'home' }))).toMatchObject([
      { kind: 'against_habit', usual: 'food', count: 9, of: 10 },
    ]);
    expect(kinds(...nine, other, other, now({ amount: -9_000, category_id: 'home' }))).toEqual([]);
    expect(kinds(...nine, now({ amount: -9_000, category_id: 'food' }))).toEqual([]);
  });

  it.each([null, 'none'])('is not the lack of one: %s', (category_id) => {
    expect(kinds(...nine, now({ amount: -9_000, category_id }))).toEqual([]);
  });

  it('is none if a person cannot choose the usual one, or after four lines', () => {
    const hidden = nine.map((row) => ({ ...row, category_id: 'hidden' }));
    expect(kinds(...hidden, now({ amount: -9_000, category_id: 'home' }))).toEqual([]);
    expect(kinds(...nine.slice(5), now({ amount: -9_000, category_id: 'home' }))).toEqual([]);
  });
});

it('legs are missing if four of five earlier ones were splits, and at least three', () => {
  const split = transaction({ subtransactions: [leg({ category_id: 'a' }), leg({ category_id: 'b' })] });
  const plain = transaction({ category_id: 'a' });
  expect(kinds(split, split, split, split, plain, now({ category_id: 'a' }))).toEqual(['legs_missing']);
  expect(kinds(split, split, split, plain, now({ category_id: 'a' }))).toEqual([]);
  expect(kinds(split, split, now({ category_id: 'a' }))).toEqual([]);
  expect(kinds(split, split, split, now({ subtransactions: [leg()] }))).toEqual([]);
});
