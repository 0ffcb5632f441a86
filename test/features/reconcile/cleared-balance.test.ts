import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clearedBalanceOn,
  searchUncleared,
  sumOfAmounts,
} from '../../../src/features/reconcile/cleared-balance.ts';

const entry = (index: number, amount: number, cleared: string) => ({
  id: `t${index}`,
  date: `2026-11-${String(30 - index).padStart(2, '0')}`,
  amount,
  cleared,
});

/** Newest first, one each day. */
const entries = fc
  .array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.constantFrom('cleared', 'uncleared', 'reconciled')), {
    maxLength: 28,
  })
  .map((all) => all.map(([amount, cleared], index) => entry(index, amount, cleared)));
const day = fc.integer({ min: 1, max: 30 }).map((number) => `2026-11-${String(number).padStart(2, '0')}`);

it('the cleared balance on a date is the sum of what is cleared or reconciled up to it', () => {
  fc.assert(
    fc.property(entries, day, (all, date) => {
      const cleared = all.filter((each) => each.cleared !== 'uncleared');
      const account = { cleared_balance: sumOfAmounts(cleared) };
      expect(clearedBalanceOn(date, account, all)).toBe(
        sumOfAmounts(cleared.filter((each) => each.date <= date)),
      );
    }),
  );
});

describe('searchUncleared', () => {
  const uncleared = (...amounts: readonly number[]) =>
    amounts.map((amount, index) => entry(index, amount, 'uncleared'));
  const setsOf = (difference: number, all: ReturnType<typeof uncleared>, date = '2026-11-30') =>
    searchUncleared(difference, date, all).sets.map((set) => set.map(({ id }) => id));

  it('finds the only set that makes up the difference', () => {
    expect(setsOf(-30, uncleared(-10, -20, -7))).toEqual([['t0', 't1']]);
  });

  it('finds two sets where several fit', () => {
    expect(setsOf(-10, uncleared(-10, -3, -10, -10))).toHaveLength(2);
  });

  it('leaves out transactions of amount 0, which would fit every set', () => {
    expect(setsOf(-10, uncleared(-10, 0))).toEqual([['t0']]);
  });

  it('leaves out transactions that are cleared or later than the date', () => {
    const all = [...uncleared(-10, -10), entry(5, -10, 'cleared'), entry(6, -10, 'reconciled')];
    expect(setsOf(-10, all, '2026-11-29')).toEqual([['t1']]);
  });

  it('searches the newest 20, and counts all', () => {
    const all = uncleared(...Array.from({ length: 25 }, (_, index) => 2 ** index));
    const { sets, searched, uncleared: count } = searchUncleared(2 ** 20, '2026-11-30', all);
    expect({ sets, searched: searched.length, count }).toEqual({ sets: [], searched: 20, count: 25 });
    expect(setsOf(2 ** 19, all)).toEqual([['t19']]);
  });
});
