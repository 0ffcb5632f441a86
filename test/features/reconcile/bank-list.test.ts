import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BankRow,
  compareWithList,
  type ListedTransaction,
  mergesWith,
  nearList,
} from '../../../src/features/reconcile/bank-list.ts';
import { MATCHING_DAYS } from '../../../src/features/reconcile/nearest-transactions.ts';
import { bankRows, dateOfDay, entry, listedTransactions, row } from './bank-entries.helper.ts';

const dayOf = (date: string) => Date.parse(date) / 86_400_000;

/** The ids of the matched transactions by row, and what is missing on either side. */
function summary(rows: readonly BankRow[], entries: readonly ListedTransaction[]) {
  const { matched, missing, unlisted } = compareWithList(rows, entries);
  return {
    matched: rows.map((_, index) => matched.get(index)?.id),
    missing,
    unlisted: unlisted.map(({ id }) => id),
  };
}

/** By trying everything. */
function largestMatching(
  [first, ...others]: readonly BankRow[],
  entries: readonly ListedTransaction[],
  known = new Map<string, number>(),
): number {
  if (!first) return 0;
  const key = [others.length, ...entries.map(({ id }) => id)].join(' ');
  const found = known.get(key);
  if (found !== undefined) return found;
  const sizes = entries
    .filter(
      ({ amount, date }) =>
        amount === first.amount && Math.abs(dayOf(date) - dayOf(first.date)) <= MATCHING_DAYS,
    )
    .map(
      (entry) =>
        1 +
        largestMatching(
          others,
          entries.filter((each) => each !== entry),
          known,
        ),
    );
  const largest = Math.max(largestMatching(others, entries, known), ...sizes);
  known.set(key, largest);
  return largest;
}

describe('compareWithList', () => {
  it('matches each row and each transaction at most once, by equal amounts and near dates', () => {
    fc.assert(
      fc.property(bankRows, listedTransactions, (rows, entries) => {
        const { matched } = compareWithList(rows, entries);
        expect(new Set([...matched.values()].map(({ id }) => id)).size).toBe(matched.size);
        for (const [index, found] of matched) {
          expect(found.amount).toBe(rows[index]?.amount);
          expect(Math.abs(dayOf(found.date) - dayOf(rows[index]?.date ?? ''))).toBeLessThanOrEqual(
            MATCHING_DAYS,
          );
        }
      }),
    );
  });

  it('reports everything that is not matched as missing on exactly one side', () => {
    fc.assert(
      fc.property(bankRows, listedTransactions, (rows, entries) => {
        const { matched, missing, unlisted } = compareWithList(rows, entries);
        expect([...matched.keys(), ...missing].toSorted((a, b) => a - b)).toEqual([...rows.keys()]);
        const dates = rows.map(({ date }) => date).toSorted();
        const inRange = entries.filter(
          ({ date, amount }) => amount !== 0 && date >= (dates[0] ?? '') && date <= (dates.at(-1) ?? ''),
        );
        const listed = new Set([...matched.values()]);
        expect(unlisted).toEqual(inRange.filter((each) => !listed.has(each)));
      }),
    );
  });

  it('leaves no row and transaction open that could be matched with each other', () => {
    fc.assert(
      fc.property(bankRows, listedTransactions, (rows, entries) => {
        const { matched, missing } = compareWithList(rows, entries);
        const used = new Set(matched.values());
        const open = entries.filter((each) => !used.has(each));
        for (const index of missing)
          for (const each of open)
            expect(
              each.amount === rows[index]?.amount &&
                Math.abs(dayOf(each.date) - dayOf(rows[index]?.date ?? '')) <= MATCHING_DAYS,
            ).toBe(false);
      }),
    );
  });

  it('gives the same result whatever the order of the transactions', () => {
    fc.assert(
      fc.property(bankRows, listedTransactions, (rows, entries) => {
        const one = summary(rows, entries);
        const other = summary(rows, entries.toReversed());
        expect({ ...other, unlisted: other.unlisted.toSorted() }).toEqual({
          ...one,
          unlisted: one.unlisted.toSorted(),
        });
      }),
    );
  });

  it('lets a transaction be matched otherwise where a row would be left without one', () => {
    const rows = [row(5, 0), row(11, 0), row(5, 0)];
    const transactions = [entry('a', 16, 0), entry('b', 8, 0), entry('c', 5, 0)];
    const { matched, missing } = compareWithList(rows, transactions);
    expect(missing).toEqual([]);
    expect(matched.get(1)?.id).toBe('a');
  });

  it('a transaction that was imported as a row of another day outside of the list is no row of it', () => {
    const imported = entry('a', 5, -280, { import_id: 'YNAB:-280:2026-10-05:1' });
    expect(summary([row(9, -280), row(20, -1)], [imported]).missing).toEqual([0, 1]);
    expect(summary([row(5, -280), row(9, -280)], [imported]).missing).toEqual([1]);
  });

  it('a missing row near one that was imported with a day just outside of the list is perhaps that one', () => {
    const imported = (day: number, cleared: string) =>
      entry('a', day, -280, { cleared, import_id: `YNAB:-280:${dateOfDay(day)}:1` });
    for (const cleared of ['cleared', 'reconciled'])
      for (const [day, expected] of [
        [1, false],
        [2, true],
        [13, true],
        [14, false],
      ] as const) {
        const rows = day < 5 ? [row(5, -280), row(10, -1)] : [row(5, -1), row(10, -280)];
        const entries = [entry('b', day < 5 ? 10 : 5, -1), imported(day, cleared)];
        const { missing, mistyped } = compareWithList(rows, entries);
        expect([missing.length, [...mistyped.values()].map(({ id }) => id)]).toEqual(
          expected ? [0, ['a']] : [1, []],
        );
      }
  });

  it('a transaction whose amount was changed after it was imported is reported as mistyped, and not as missing', () => {
    const imported = entry('a', 5, -300, { import_id: 'YNAB:-280:2026-10-05:1' });
    const { missing, mistyped } = compareWithList([row(5, -280)], [imported]);
    expect([missing, mistyped.get(0)?.id]).toEqual([[], 'a']);
  });

  it('matches as many rows as possible', () => {
    fc.assert(
      fc.property(bankRows, listedTransactions, (rows, transactions) => {
        const { matched } = compareWithList(rows, transactions);
        expect(matched.size).toBe(largestMatching(rows, transactions));
      }),
      { numRuns: 1_000 },
    );
  });

  it('matches the nearest dates first, and of two equally near transactions the earlier', () => {
    expect(summary([row(5, -10)], [entry('far', 1, -10), entry('near', 6, -10)]).matched).toEqual(['near']);
    expect(summary([row(5, -10)], [entry('later', 7, -10), entry('earlier', 3, -10)]).matched).toEqual([
      'earlier',
    ]);
  });

  it('matches a transaction of the same day whose payee the row names before another one', () => {
    const rows = [row(5, -10, 'BAKERY 4711'), row(5, -10, 'CINEMA')];
    expect(summary(rows, [entry('only', 5, -10, { payee_name: 'Cinema' })])).toEqual({
      matched: [undefined, 'only'],
      missing: [0],
      unlisted: [],
    });
  });

  it('matches what the bank had before, so that a second uncleared entry is reported', () => {
    const entries = [
      entry('a', 5, -10, { cleared: 'uncleared' }),
      entry('b', 5, -10, { cleared: 'reconciled' }),
    ];
    expect(summary([row(5, -10)], entries)).toEqual({ matched: ['b'], missing: [], unlisted: ['a'] });
  });

  it('pairs a row with a near transaction whose amount has two neighbouring digits swapped', () => {
    const paired = (atBank: number, entered: number, more: Partial<ListedTransaction> = {}, day = 5) => {
      const rows = [row(1, -1), row(5, atBank), row(28, -1)];
      const entries = [entry('a', 1, -1), entry('b', 28, -1), entry('typed', day, entered, more)];
      const { missing, unlisted, mistyped } = compareWithList(rows, entries);
      expect([missing.length, unlisted.length]).toEqual(mistyped.size === 1 ? [0, 0] : [1, 1]);
      return mistyped.get(1)?.id === 'typed';
    };
    expect(paired(-54_600, -45_600)).toBe(true);
    expect(paired(-45_600, -54_600, { cleared: 'uncleared' }, 15)).toBe(true);
    expect(paired(12_340, 12_430)).toBe(true);
    expect(paired(-54_600, -45_600, {}, 16)).toBe(false);
    expect(paired(-54_600, 45_600)).toBe(false);
    expect(paired(-54_600, -46_500)).toBe(false);
    expect(paired(-10_500, -1_500)).toBe(false);
    expect(paired(-54_600, -45_600, { cleared: 'reconciled' })).toBe(false);
  });

  it('never takes a transaction for mistyped that a row of the list has exactly', () => {
    const entries = [entry('a', 5, -45_600), entry('b', 6, -54_600)];
    const { matched, mistyped } = compareWithList([row(5, -54_600), row(6, -45_600)], entries);
    expect([matched.size, mistyped.size]).toEqual([2, 0]);
  });

  it('matches transactions outside the dates of the list, but does not report them as unlisted', () => {
    const entries = [entry('before', 2, -10), entry('other', 2, -99)];
    expect(summary([row(5, -10), row(6, -1)], entries)).toEqual({
      matched: ['before', undefined],
      missing: [1],
      unlisted: [],
    });
  });

  it('finds the same without the transactions that are not near the list', () => {
    fc.assert(
      fc.property(bankRows, listedTransactions, (rows, entries) => {
        fc.pre(rows.length > 0);
        const near = nearList(rows, entries);
        expect(compareWithList(rows, near)).toEqual(compareWithList(rows, entries));
      }),
    );
    const imported = entry('imported', 1, -10, { import_id: `YNAB:-10:${dateOfDay(28)}:1` });
    expect(nearList([row(28, -10)], [imported, entry('far', 1, -10)])).toEqual([imported]);
  });

  it('compares 2,000 rows with 100,000 transactions of one amount and day', () => {
    const rows = Array.from({ length: 2_000 }, () => row(5, -10, 'Bakery'));
    const entries = Array.from({ length: 100_000 }, (_, index) => entry(`t${index}`, 5, -10));
    expect(compareWithList(rows, entries).matched.size).toBe(2_000);
  });
});

it('the service would merge an import with a transaction of the amount that a person entered within ten days', () => {
  const isMerged = mergesWith([entry('a', 11, -10)]);
  expect([1, 2, 21, 22].map((day) => isMerged(row(day, -10)))).toEqual([true, true, true, false]);
  expect(isMerged(row(11, -11))).toBe(false);
  expect(mergesWith([entry('a', 11, -10, { import_id: 'bank 1' })])(row(11, -10))).toBe(false);
});
