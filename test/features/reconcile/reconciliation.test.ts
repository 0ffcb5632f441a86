import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bankEntriesOf } from '../../../src/features/reconcile/bank-entries.ts';
import {
  type BankRow,
  compareWithList,
  type ListedTransaction,
} from '../../../src/features/reconcile/bank-list.ts';
import { isCounted, sumOfAmounts } from '../../../src/features/reconcile/cleared-balance.ts';
import { missingNow, planReconciliation } from '../../../src/features/reconcile/reconciliation.ts';
import { bankRows, entry, listedTransactions, row } from './bank-entries.helper.ts';

/** The account after the service has created the entries one after the other: it merges and skips imports. */
function enter(rows: readonly BankRow[], transactions: readonly ListedTransaction[]) {
  const after = [...transactions];
  const entries = bankEntriesOf(rows, { account: { id: 'acc' }, transactions }, 'reconciled', () => ({}));
  for (const [index, { date, amount, import_id }] of entries.entries()) {
    const isNear = (each: ListedTransaction) =>
      Math.abs(Date.parse(each.date) - Date.parse(date)) <= 10 * 86_400_000;
    const isImport = import_id !== undefined;
    if (isImport && after.some((each) => each.import_id === import_id)) continue;
    if (isImport && after.some((each) => each.import_id === null && each.amount === amount && isNear(each)))
      continue;
    after.push({
      ...entry(`new ${index}`, 1, amount),
      date,
      cleared: 'reconciled',
      import_id: import_id ?? null,
    });
  }
  return after;
}

describe('entering what is missing', () => {
  it('every missing row is entered once, and a second time nothing is missing', () => {
    fc.assert(
      fc.property(bankRows, listedTransactions, (rows, transactions) => {
        const { missing } = compareWithList(rows, transactions);
        const comparison = { rows, missing };
        const entered = missingNow(comparison, compareWithList(rows, transactions)).missing;
        const after = enter(entered, transactions);
        expect(after).toHaveLength(transactions.length + missing.length);
        expect(compareWithList(rows, after).missing).toEqual([]);
        expect(missingNow(comparison, compareWithList(rows, after)).missing).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('if only some of the missing rows were entered, the others are still missing', () => {
    fc.assert(
      fc.property(bankRows, listedTransactions, fc.nat(), (rows, transactions, number) => {
        const { missing } = compareWithList(rows, transactions);
        const all = missingNow({ rows, missing }, compareWithList(rows, transactions)).missing;
        const some = all.slice(0, number % (all.length + 1));
        const after = enter(some, transactions);
        const rest = missingNow({ rows, missing }, compareWithList(rows, after)).missing;
        expect(rest).toHaveLength(all.length - some.length);
        const amounts = (list: readonly BankRow[]) => list.map(({ amount }) => amount).toSorted();
        expect(amounts([...some, ...rest])).toEqual(amounts(all));
      }),
      { numRuns: 1_000 },
    );
  });

  it('a row that was not missing when it was compared is not entered', () => {
    const rows = [row(3, -1), row(4, -2)];
    const before = [entry('a', 3, -1)];
    const { missing } = compareWithList(rows, before);
    expect(missingNow({ rows, missing }, compareWithList(rows, [])).missing).toEqual([row(4, -2)]);
  });
});

it('a mistyped amount is not entered; once it is corrected, its transaction is one to mark', () => {
  const rows = [row(3, -54_600), row(4, -2)];
  const typed = entry('typed', 3, -45_600, { cleared: 'uncleared' });
  const comparison = { rows, missing: [1, 0] };
  expect(missingNow(comparison, compareWithList(rows, [typed]))).toEqual({
    missing: [row(4, -2)],
    mistyped: 1,
    done: [],
  });
  expect(missingNow(comparison, compareWithList(rows, [{ ...typed, amount: -54_600 }]))).toEqual({
    missing: [row(4, -2)],
    mistyped: 0,
    done: ['typed'],
  });
});

describe('planReconciliation', () => {
  const date = '2026-10-20';

  it('the cleared balance afterwards is the sum of what is then reconciled', () => {
    fc.assert(
      fc.property(
        bankRows,
        listedTransactions,
        fc.subarray(['t0', 't1', 't2', 't3']),
        (entered, all, chosen) => {
          const account = {
            cleared_balance: sumOfAmounts(all.filter(({ cleared }) => cleared !== 'uncleared')),
          };
          const plan = planReconciliation({ account, transactions: all }, { date, chosen, entered });
          const marked = new Set(plan.marked);
          const reconciled = all.filter(
            (each) =>
              marked.has(each) ||
              (each.cleared === 'reconciled' && (each.date <= date || chosen.includes(each.id))),
          );
          expect(plan.clearedAfter).toBe(sumOfAmounts(reconciled) + sumOfAmounts(entered));
          expect(plan.clearedBefore).toBe(sumOfAmounts(all.filter((each) => isCounted(each, date))));
        },
      ),
    );
  });

  it('marks what is chosen and what is cleared up to the date, and nothing that is reconciled', () => {
    const transactions = [
      entry('later', 25, -1),
      entry('chosen later', 24, -2),
      entry('chosen', 15, -4, { cleared: 'uncleared' }),
      entry('uncleared', 14, -8, { cleared: 'uncleared' }),
      entry('cleared', 13, -16),
      entry('reconciled', 12, -32, { cleared: 'reconciled' }),
    ];
    const account = { cleared_balance: -51 };
    const plan = planReconciliation(
      { account, transactions },
      { date, chosen: ['chosen', 'chosen later', 'reconciled'], entered: [] },
    );
    expect(plan.marked.map(({ id }) => id)).toEqual(['chosen later', 'chosen', 'cleared']);
    expect(plan).toMatchObject({ clearedBefore: -48, clearedAfter: -54 });
    const cleared = planReconciliation(
      { account, transactions },
      { date, chosen: ['chosen', 'chosen later', 'reconciled'], entered: [], state: 'cleared' },
    );
    expect(cleared.marked.map(({ id }) => id)).toEqual(['chosen']);
  });
});
