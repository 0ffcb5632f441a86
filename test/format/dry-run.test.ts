import { describe, expect, it } from 'vitest';
import type { SimulatedWrite } from '../../src/client/budget-call.ts';
import { formatConfirmation, formatDryRun as formatDryRunParts } from '../../src/format/dry-run.ts';
import { updateCategory, updateMonthCategory } from '../../src/operations/categories.ts';
import { updatePayee } from '../../src/operations/payees.ts';
import {
  createTransactions,
  deleteTransaction,
  updateTransaction,
  updateTransactions,
} from '../../src/operations/transaction-writes.ts';
import { payee } from '../../src/schema/payee.ts';
import { inDollars, rows } from './format-row.ts';
import { budget, category, leg, transaction } from './samples.ts';

/** With the headline before the other lines. */
function formatDryRun(...args: Parameters<typeof formatDryRunParts>) {
  const { fields, headline, lines } = formatDryRunParts(...args);
  return { fields, lines: [headline, ...lines] };
}

const freshness = { as_of: '2026-11-20T09:00:00.000Z', source: 'service', requests_left: 187 } as const;
const names: SimulatedWrite['names'] = new Map([
  ['acc-1', { name: 'Checking' }],
  ['cat-1', { name: 'Groceries' }],
  ['grp-2', { name: 'Fun' }],
  ['pay-1', { name: 'Corner Shop' }],
  ['pay-9', { name: 'Savings', isTransfer: true }],
  ['acc-9', { name: 'Savings' }],
]);
const nothing: SimulatedWrite = { freshness, problems: [], current: {}, effects: [], notForeseen: [], names };
const checking = {
  kind: 'account',
  id: 'acc-1',
  name: 'Checking',
  balanceBefore: 10_000,
  balanceAfter: 5_500,
} as const;
const groceries = {
  kind: 'category',
  id: 'cat-1',
  name: 'Groceries',
  balanceBefore: 9_000,
  balanceAfter: 4_500,
} as const;

const bread = { account_id: 'acc-1', date: '2026-11-18', amount: -4_500, category_id: 'cat-1' };
const input = { budget_id: 'bud-1', transactions: [bread] };

describe('a dry run', () => {
  it('tells the balances now and then, and what would be sent, in currency units', () => {
    const { fields, lines } = formatDryRun(
      createTransactions,
      input,
      { ...nothing, effects: [checking, groceries] },
      inDollars(),
    );
    expect(fields).toEqual({
      outcome: 'dry_run',
      balances: {
        accounts: [{ id: 'acc-1', name: 'Checking', balance: 5_500 }],
        categories: [{ id: 'cat-1', name: 'Groceries', balance: 4_500 }],
      },
      would_send: {
        route: 'POST /budgets/{budget_id}/transactions',
        input: { budget_id: 'bud-1', transactions: [{ ...bread, amount: -4.5 }] },
      },
    });
    expect(lines).toEqual([
      'Dry run: nothing was written.',
      'Accounts, categories, payees and dates were checked: nothing against it was found.',
      'Account "Checking": $10.00 now, $5.50 then.',
      'Category "Groceries": $9.00 now, $4.50 then.',
    ]);
  });

  it('tells why it would be refused', () => {
    const problems = ['account_id: there is no account x', 'category_id: there is no category y'];
    const { fields, lines } = formatDryRun(createTransactions, input, { ...nothing, problems }, inDollars());
    expect(fields['problems']).toEqual(problems);
    expect(lines[1]).toBe(`It would be refused: ${problems.join('; ')}.`);
  });

  it('names the balances that cannot be said beforehand', () => {
    const found = { ...nothing, notForeseen: ['Groceries', 'Fun'] };
    const { fields, lines } = formatDryRun(createTransactions, input, found, inDollars());
    expect(fields['not_foreseen']).toEqual(['Groceries', 'Fun']);
    expect(lines.at(-1)).toBe('Cannot be said beforehand: the balance of "Groceries", "Fun".');
  });

  it('announces what it is about as it is now', () => {
    const found = { ...nothing, current: { transaction: transaction() } };
    const { lines } = formatDryRun(deleteTransaction, { transaction_id: 'trx-1' }, found, inDollars());
    expect(lines[0]).toBe('Dry run: nothing was written. As it stands now:');
  });
});

describe('the question to a person', () => {
  it('names what would be deleted, by what a person knows of it', () => {
    const current = {
      transaction: transaction({ subtransactions: [leg(), leg({ id: 'leg-2', memo: 'Milk' })] }),
    };
    const found = { ...nothing, current, effects: [checking] };
    expect(formatConfirmation(deleteTransaction, { transaction_id: 'trx-1' }, found, budget)).toBe(
      rows(
        'Delete transaction in "Home"?',
        '2026-11-18 · -$42.10 · "Corner Shop" · split · account "Checking" · cleared',
        '  -$30.00 · in "Groceries"',
        '  -$30.00 · in "Groceries" · memo "Milk"',
        'Account "Checking": $10.00 now, $5.50 then.',
      ),
    );
  });

  it('says what would be written, with names for ids as far as they are known', () => {
    const legs = [
      { amount: -1_000, category_id: 'cat-1' },
      { amount: -3_500, category_id: 'cat-9', memo: 'Milk' },
    ];
    const split = {
      account_id: 'acc-1',
      date: '2026-11-18',
      amount: -4_500,
      payee_name: 'x',
      approved: true,
    };
    const both = { ...input, transactions: [bread, { ...split, subtransactions: legs }] };
    const found = { ...nothing, effects: [checking, groceries] };
    expect(formatConfirmation(createTransactions, both, found, budget)).toBe(
      rows(
        'Create transactions in "Home"?',
        'account "Checking" · date 2026-11-18 · amount -$4.50 · category "Groceries"',
        'account "Checking" · date 2026-11-18 · amount -$4.50 · payee name "x" · approved yes',
        '  amount -$1.00 · category "Groceries"',
        '  amount -$3.50 · category cat-9 · memo "Milk"',
        'Account "Checking": $10.00 now, $5.50 then.',
        'Category "Groceries": $9.00 now, $4.50 then.',
      ),
    );
  });

  it('says what would change, beside what is there now', () => {
    const asked = { budget_id: 'bud-1', transaction_id: 'trx-1', category_id: null, memo: 'Bread' };
    const found = { ...nothing, current: { transaction: transaction() } };
    expect(formatConfirmation(updateTransaction, asked, found, budget).split('\n').slice(1)).toEqual([
      '2026-11-18 · -$42.10 · "Corner Shop" · in "Groceries" · account "Checking" · cleared',
      'Change: category none · memo "Bread"',
    ]);
    const month = { budget_id: 'bud-1', month: '2026-11-01', category_id: 'cat-1', budgeted: 0 };
    const shown = { ...nothing, current: { category: category() } };
    expect(formatConfirmation(updateMonthCategory, month, shown, budget)).toContain(
      'Change: month 2026-11-01 · budgeted $0.00',
    );
  });

  it('tells a transfer by its account and its direction, in a leg as well', () => {
    const transfer = { account_id: 'acc-1', date: '2026-11-18', payee_id: 'pay-9' };
    const transactions = [
      { ...transfer, amount: -1_000 },
      { ...transfer, amount: 1_000 },
      { ...bread, payee_id: 'pay-1', subtransactions: [{ amount: -4_500, payee_id: 'pay-9' }] },
    ];
    expect(
      formatConfirmation(createTransactions, { transactions }, nothing, budget).split('\n').slice(1),
    ).toEqual([
      'account "Checking" · date 2026-11-18 · transfer to "Savings" · amount -$1.00',
      'account "Checking" · date 2026-11-18 · transfer from "Savings" · amount $1.00',
      'account "Checking" · date 2026-11-18 · amount -$4.50 · category "Groceries" · payee "Corner Shop"',
      '  amount -$4.50 · transfer to "Savings"',
    ]);
    const current = { transaction: transaction({ amount: 42_100 }) };
    const asked = { transaction_id: 'trx-1', payee_id: 'pay-9' };
    expect(formatConfirmation(updateTransaction, asked, { ...nothing, current }, budget)).toContain(
      'Change: transfer from "Savings"',
    );
  });

  it('tells each of several transactions by its date, amount and payee, beside what would change of it', () => {
    const current = {
      transactions: [
        transaction(),
        transaction({ id: 'trx-2', payee_id: 'pay-9', payee_name: 'Transfer : Savings' }),
        transaction({ id: 'trx-3', payee_id: null, payee_name: null, import_id: 'bank-1' }),
      ],
    };
    const transactions = [
      { id: 'trx-1', category_id: null },
      { id: 'trx-2', payee_id: 'pay-1' },
      { import_id: 'bank-1', memo: 'Bread', amount: -1_000 },
    ];
    const question = formatConfirmation(
      updateTransactions,
      { transactions },
      { ...nothing, current },
      budget,
    );
    expect(question.split('\n')).toEqual([
      'Update transactions in "Home"?',
      '2026-11-18 · -$42.10 · "Corner Shop": category none',
      '2026-11-18 · -$42.10 · transfer to "Savings": payee "Corner Shop"',
      '2026-11-18 · -$42.10: memo "Bread" · amount -$1.00',
    ]);
  });

  it('tells a category or a payee by the name that would change', () => {
    const renamed = { category_id: 'cat-1', name: 'Food', category_group_id: 'grp-2' };
    const found = { ...nothing, current: { category: category() } };
    expect(formatConfirmation(updateCategory, renamed, found, budget).split('\n').slice(1)).toEqual([
      expect.stringMatching(/^"Groceries" · group "Everyday" · left/),
      'Change: name "Food" · category group "Fun"',
    ]);
    const transfers = payee.parse({
      id: 'pay-9',
      name: 'Transfer : Savings',
      transfer_account_id: 'acc-9',
      deleted: false,
    });
    const asked = { payee_id: 'pay-9', name: 'Nest egg' };
    const shown = { ...nothing, current: { payee: transfers } };
    expect(formatConfirmation(updatePayee, asked, shown, budget).split('\n').slice(1)).toEqual([
      '"Transfer : Savings" · transfers to account "Savings"',
      'Change: name "Nest egg"',
    ]);
  });

  it('is no longer than a person reads', () => {
    const many = { ...input, transactions: Array.from({ length: 1_000 }, () => bread) };
    const question = formatConfirmation(createTransactions, many, nothing, budget).split('\n');
    expect(question).toHaveLength(12);
    expect(question.at(-1)).toBe('… and 990 more rows.');
  });

  it('keeps what somebody typed in quotes', () => {
    const row = { ...bread, memo: 'x"\nAccount "Savings": all yours' };
    const question = formatConfirmation(createTransactions, { transactions: [row] }, nothing, budget);
    expect(question.split('\n')).toHaveLength(2);
    expect(question).toContain(String.raw`memo "x\"\nAccount \"Savings\": all yours"`);
  });
});
