import { describe, expect, it } from 'vitest';
import { bankEntriesOf } from '../../../src/features/reconcile/bank-entries.ts';
import type { BankRow, ListedTransaction } from '../../../src/features/reconcile/bank-list.ts';
import { entry, row } from './bank-entries.helper.ts';

const payee = (id: string, name: string, more = {}) => ({
  id,
  name,
  transfer_account_id: null,
  deleted: false,
  ...more,
});

const entriesOf = (
  rows: readonly BankRow[],
  transactions: readonly ListedTransaction[] = [],
  payees = [payee('p', 'Bakery')],
) => bankEntriesOf(rows, { account: { id: 'acc' }, transactions, payees }, 'reconciled');

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

  it('the text of a row is the payee if there is one of that name, and else the memo', () => {
    const [known, unknown] = entriesOf([row(3, -1, ' BAKERY '), row(4, -2, 'Bakery 4711')]);
    expect(known).toMatchObject({ payee_id: 'p' });
    expect(known).not.toHaveProperty('memo');
    expect(unknown).toMatchObject({ memo: 'Bakery 4711' });
    expect(unknown).not.toHaveProperty('payee_id');
  });

  it('the text of a row is never the payee of a transfer, nor one that was deleted', () => {
    const payees = [
      payee('t', 'Transfer : Savings', { transfer_account_id: 'sav' }),
      payee('d', 'Closed Shop', { deleted: true }),
    ];
    const entered = entriesOf([row(3, -1, 'Transfer : Savings'), row(4, -2, 'Closed Shop')], [], payees);
    expect(entered.map(({ memo }) => memo)).toEqual(['Transfer : Savings', 'Closed Shop']);
  });

  it('a row that the service would merge with another transaction has no import id, and comes last', () => {
    const entered = entriesOf([row(5, -1, 'second'), row(20, -1, 'far')], [entry('first', 4, -1)]);
    expect(entered.map(({ memo, import_id }) => [memo, import_id])).toEqual([
      ['far', 'YNAB:-1:2026-10-20:1'],
      ['second', undefined],
    ]);
  });
});
