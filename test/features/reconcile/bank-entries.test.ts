import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bankEntriesOf } from '../../../src/features/reconcile/bank-entries.ts';
import type { BankRow, ListedTransaction } from '../../../src/features/reconcile/bank-list.ts';
import type { KnownRow } from '../../../src/features/reconcile/known-payees.ts';
import { entry, row } from './bank-entries.helper.ts';

const entriesOf = (
  rows: readonly BankRow[],
  transactions: readonly ListedTransaction[] = [],
  known: KnownRow = {},
) => bankEntriesOf(rows, { account: { id: 'acc' }, transactions }, 'reconciled', () => known);

describe('bankEntriesOf', () => {
  it('a row is entered as reconciled, with an import id', () => {
    expect(entriesOf([row(3, -4_500)])).toEqual([
      {
        account_id: 'acc',
        date: '2026-10-03',
        amount: -4_500,
        cleared: 'reconciled',
        import_id: 'YNAB:-4500:2026-10-03:1',
      },
    ]);
  });

  it('a row has the known payee and category, and without a payee its text as the memo', () => {
    const [known] = entriesOf([row(3, -1, 'Bakery 4711')], [], { payee_id: 'p', category_id: 'c' });
    expect(known).toMatchObject({ payee_id: 'p', category_id: 'c' });
    expect(known).not.toHaveProperty('memo');
    const [unknown] = entriesOf([row(4, -2, 'Bakery 4711')]);
    expect(unknown).toMatchObject({ memo: 'Bakery 4711' });
    expect(unknown).not.toHaveProperty('payee_id');
  });

  it('a row that the service would merge with another transaction has no import id, and comes last', () => {
    const entered = entriesOf([row(5, -1, 'second'), row(20, -1, 'far')], [entry('first', 4, -1)]);
    expect(entered.map(({ memo, import_id }) => [memo, import_id])).toEqual([
      ['far', 'YNAB:-1:2026-10-20:1'],
      ['second', undefined],
    ]);
  });

  it('import ids count the rows of one amount and day, without those that the account has or had', () => {
    const ids = (taken: readonly number[], usedImportIds: readonly string[]) =>
      bankEntriesOf(
        [row(3, -5), row(3, 5), row(3, -5)],
        {
          account: { id: 'acc' },
          transactions: taken.map((number) =>
            entry(`${number}`, 3, -5, { import_id: `YNAB:-5:2026-10-03:${number}` }),
          ),
          usedImportIds,
        },
        'cleared',
        () => ({}),
      ).map(({ import_id }) => import_id?.replace(/:.*:/, ' '));
    expect(ids([], [])).toEqual(['YNAB 1', 'YNAB 1', 'YNAB 2']);
    expect(ids([1, 3], ['YNAB:-5:2026-10-03:4'])).toEqual(['YNAB 2', 'YNAB 1', 'YNAB 5']);
  });

  it('every import id is different and fits into the field', () => {
    const amounts = fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant(1), amounts)), (all) => {
        const ids = entriesOf(all.map((amount) => row(3, amount))).map(({ import_id = '' }) => import_id);
        expect(new Set(ids).size).toBe(all.length);
        for (const id of ids) expect(id.length).toBeLessThanOrEqual(36);
      }),
    );
  });
});
