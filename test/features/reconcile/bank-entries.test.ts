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
});
