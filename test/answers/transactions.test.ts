import { describe, expect, it } from 'vitest';
import { joinRows, lineOf } from './format-row.helper.ts';
import * as a from './samples.helper.ts';

describe('transactions', () => {
  it('a transaction line has date, amount, payee, category, account, status and id', () => {
    expect(lineOf('transaction', a.transaction())).toBe(
      '2026-11-18 · -$42.10 · "Corner Shop" (pay-1) · in "Groceries" (cat-1) · account "Checking" (acc-1) · trx-1',
    );
  });

  it('a transaction line shows memo, flag and what is not yet approved', () => {
    const unapproved = a.transaction({
      category_id: null,
      category_name: null,
      cleared: 'uncleared',
      approved: false,
      memo: 'milk',
      flag_color: 'red',
      flag_name: 'Ask Ana',
      deleted: true,
    });
    expect(lineOf('transaction', unapproved)).toBe(
      '2026-11-18 · -$42.10 · "Corner Shop" (pay-1) · memo "milk" · account "Checking" (acc-1) · uncleared · unapproved · red flag "Ask Ana" · deleted · trx-1',
    );
  });

  it('a transaction line shows a transfer', () => {
    const transfer = a.transaction({
      payee_id: 'pay-3',
      payee_name: 'Transfer : Savings',
      category_id: null,
      category_name: null,
      transfer_account_id: 'acc-2',
      flag_color: 'blue',
    });
    expect(lineOf('transaction', transfer)).toBe(
      '2026-11-18 · -$42.10 · "Transfer : Savings" (pay-3) · transfer · account "Checking" (acc-1) · blue flag · trx-1',
    );
  });

  it.each(['cat-split', null])(
    'the line of a split is followed by its legs, whatever its own category (%s)',
    (id) => {
      const split = a.transaction({
        category_id: id,
        category_name: id && 'Split',
        amount: -42_100,
        subtransactions: [
          a.leg({ memo: 'food' }),
          a.leg({
            id: 'leg-2',
            amount: -12_100,
            category_id: null,
            transfer_account_id: 'acc-2',
            deleted: true,
          }),
        ],
      });
      expect(lineOf('transaction', split)).toBe(
        joinRows(
          '2026-11-18 · -$42.10 · "Corner Shop" (pay-1) · split · account "Checking" (acc-1) · trx-1',
          '  -$30.00 · in "Groceries" (cat-1) · memo "food"',
          '  -$12.10 · transfer · deleted',
        ),
      );
    },
  );

  it('the line of a leg in a list of transactions names the transaction of the leg', () => {
    const { subtransactions: _, ...whole } = a.transaction({ id: 'leg-1' });
    expect(lineOf('transaction', { ...whole, type: 'subtransaction', parent_transaction_id: 'trx-9' })).toBe(
      '2026-11-18 · -$42.10 · "Corner Shop" (pay-1) · in "Groceries" (cat-1) · account "Checking" (acc-1) · leg of trx-9',
    );
  });

  it('the line of a transaction without names labels each id', () => {
    const { account_name, payee_name, category_name, subtransactions, ...summary } = a.transaction();
    expect(lineOf('transaction', summary)).toBe(
      '2026-11-18 · -$42.10 · payee pay-1 · in category cat-1 · account acc-1 · trx-1',
    );
  });
});

describe('a scheduled transaction', () => {
  it('a scheduled transaction line has the next date, the frequency and then what a transaction line has', () => {
    expect(lineOf('scheduledTransaction', a.scheduled())).toBe(
      'next 2026-12-01 · monthly · -$1,200.00 · "Landlord" (pay-2) · in "Rent" (cat-2) · account "Checking" (acc-1) · sch-1',
    );
  });

  it('a scheduled transaction line shows a single occurrence, a transfer and a flag', () => {
    const once = a.scheduled({
      frequency: 'never',
      category_id: null,
      category_name: null,
      transfer_account_id: 'acc-2',
      memo: 'bonus',
      flag_color: 'green',
      deleted: true,
    });
    expect(lineOf('scheduledTransaction', once)).toBe(
      'next 2026-12-01 · once · -$1,200.00 · "Landlord" (pay-2) · memo "bonus" · transfer · account "Checking" (acc-1) · green flag · deleted · sch-1',
    );
  });

  it('the line of a scheduled split is followed by its legs', () => {
    const legs = [a.scheduledLeg(), a.scheduledLeg({ id: 'sleg-2', amount: -800_000, deleted: true })];
    expect(lineOf('scheduledTransaction', a.scheduled({ subtransactions: legs }))).toBe(
      joinRows(
        'next 2026-12-01 · monthly · -$1,200.00 · "Landlord" (pay-2) · split · account "Checking" (acc-1) · sch-1',
        '  -$400.00 · in "Groceries" (cat-1)',
        '  -$800.00 · in "Groceries" (cat-1) · deleted',
      ),
    );
  });
});
