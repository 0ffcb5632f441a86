import { describe, expect, it } from 'vitest';
import { formatConfirmation, formatDryRun as formatDryRunParts } from '../../src/answers/dry-run.ts';
import { payee } from '../../src/base/schema/payee.ts';
import { updateCategory, updateMonthCategory } from '../../src/operations/categories.ts';
import { updatePayee } from '../../src/operations/payees.ts';
import {
  createTransactions,
  deleteTransaction,
  updateTransaction,
  updateTransactions,
} from '../../src/operations/transaction-writes.ts';
import type { SimulatedWrite } from '../../src/session/call-result.ts';
import { dollarContext, joinRows } from './format-row.helper.ts';
import { budget, category, leg, transaction } from './samples.helper.ts';

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
const noChanges: SimulatedWrite = {
  freshness,
  problems: [],
  current: {},
  balanceChanges: [],
  unpredictable: [],
  names,
};
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

describe('dry runs', () => {
  it('what the write would leave is said in the dry run and in the question', () => {
    const simulated = { ...noChanges, remarks: ['Another payee has this name already.'] };
    const input = { payee_id: 'pay-1', name: 'Bakery' };
    expect(formatDryRun(updatePayee, input, simulated, dollarContext()).lines).toContain(
      simulated.remarks[0],
    );
    expect(formatConfirmation(updatePayee, input, simulated, budget)).toContain(simulated.remarks[0]);
  });

  it('a dry run reports the balances before and after, and the request, in currency units', () => {
    const { fields, lines } = formatDryRun(
      createTransactions,
      input,
      { ...noChanges, balanceChanges: [checking, groceries] },
      dollarContext(),
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
      'Dry run: this call wrote nothing.',
      'Accounts, categories, payees and dates were checked, and no problem was found.',
      'Account "Checking": now $10.00, afterwards $5.50.',
      'Category "Groceries": now $9.00, afterwards $4.50.',
    ]);
  });

  it('a dry run reports why the write would be refused', () => {
    const problems = ['account_id: there is no account x', 'category_id: there is no category y'];
    const { fields, lines } = formatDryRun(
      createTransactions,
      input,
      { ...noChanges, problems },
      dollarContext(),
    );
    expect(fields['problems']).toEqual(problems);
    expect(lines[1]).toBe(`It would be refused: ${problems.join('; ')}.`);
  });

  it('a dry run names the balances that cannot be predicted', () => {
    const simulation = { ...noChanges, unpredictable: ['Groceries', 'Fun'] };
    const { fields, lines } = formatDryRun(createTransactions, input, simulation, dollarContext());
    expect(fields['unpredictable_balances']).toEqual(['Groceries', 'Fun']);
    expect(lines.at(-1)).toBe('Cannot be predicted: the balance of "Groceries", "Fun".');
  });

  it('a dry run of a change announces the current state', () => {
    const simulation = { ...noChanges, current: { transaction: transaction() } };
    const { lines } = formatDryRun(
      deleteTransaction,
      { transaction_id: 'trx-1' },
      simulation,
      dollarContext(),
    );
    expect(lines[0]).toBe('Dry run: this call wrote nothing. Current state:');
  });

  it('a dry run of an update shows the change, under the current state', () => {
    const simulation = { ...noChanges, current: { payee: { id: 'pay-1', name: 'Corner Shop' } } };
    const change = { payee_id: 'pay-1', name: 'Bakery' };
    const { lines } = formatDryRun(updatePayee, change, simulation, dollarContext());
    expect(lines).toContainEqual(expect.stringMatching(/^Change: .*"Bakery"$/));
  });
});

describe('confirmation questions', () => {
  it('the question before a deletion shows the transaction and its legs', () => {
    const current = {
      transaction: transaction({ subtransactions: [leg(), leg({ id: 'leg-2', memo: 'Milk' })] }),
    };
    const simulation = { ...noChanges, current, balanceChanges: [checking] };
    expect(formatConfirmation(deleteTransaction, { transaction_id: 'trx-1' }, simulation, budget)).toBe(
      joinRows(
        'Delete transaction in "Home"?',
        '2026-11-18 · -$42.10 · "Corner Shop" · split · account "Checking"',
        '  -$30.00 · in "Groceries"',
        '  -$30.00 · in "Groceries" · memo "Milk"',
        'Account "Checking": now $10.00, afterwards $5.50.',
      ),
    );
  });

  it('the question names what the service will ignore', () => {
    const simulation = { ...noChanges, ignored: ['transactions.0.category_id'] };
    expect(formatConfirmation(createTransactions, input, simulation, budget)).toBe(
      joinRows(
        'Create transactions in "Home"?',
        'account "Checking" · date 2026-11-18 · amount -$4.50 · category "Groceries"',
        'The service will ignore: transactions.0.category_id.',
      ),
    );
  });

  it('the question before a creation shows the new rows, with names for known ids', () => {
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
    const twoRows = { ...input, transactions: [bread, { ...split, subtransactions: legs }] };
    const simulation = { ...noChanges, balanceChanges: [checking, groceries] };
    expect(formatConfirmation(createTransactions, twoRows, simulation, budget)).toBe(
      joinRows(
        'Create transactions in "Home"?',
        'account "Checking" · date 2026-11-18 · amount -$4.50 · category "Groceries"',
        'account "Checking" · date 2026-11-18 · amount -$4.50 · payee name "x" · approved yes',
        '  amount -$1.00 · category "Groceries"',
        '  amount -$3.50 · category cat-9 · memo "Milk"',
        'Account "Checking": now $10.00, afterwards $5.50.',
        'Category "Groceries": now $9.00, afterwards $4.50.',
      ),
    );
  });

  it('the question before a change shows the current state and the change', () => {
    const change = { budget_id: 'bud-1', transaction_id: 'trx-1', category_id: null, memo: 'Bread' };
    const simulation = { ...noChanges, current: { transaction: transaction() } };
    expect(formatConfirmation(updateTransaction, change, simulation, budget).split('\n').slice(1)).toEqual([
      '2026-11-18 · -$42.10 · "Corner Shop" · in "Groceries" · account "Checking"',
      'Change: category none · memo "Bread"',
    ]);
    const month = { budget_id: 'bud-1', month: '2026-11-01', category_id: 'cat-1', budgeted: 0 };
    const monthSimulation = { ...noChanges, current: { category: category() } };
    expect(formatConfirmation(updateMonthCategory, month, monthSimulation, budget)).toContain(
      'Change: month 2026-11-01 · budgeted $0.00',
    );
  });

  it('the question shows a transfer by its account and direction, in a leg too', () => {
    const transfer = { account_id: 'acc-1', date: '2026-11-18', payee_id: 'pay-9' };
    const transactions = [
      { ...transfer, amount: -1_000 },
      { ...transfer, amount: 1_000 },
      { ...bread, payee_id: 'pay-1', subtransactions: [{ amount: -4_500, payee_id: 'pay-9' }] },
    ];
    expect(
      formatConfirmation(createTransactions, { transactions }, noChanges, budget).split('\n').slice(1),
    ).toEqual([
      'account "Checking" · date 2026-11-18 · transfer to "Savings" · amount -$1.00',
      'account "Checking" · date 2026-11-18 · transfer from "Savings" · amount $1.00',
      'account "Checking" · date 2026-11-18 · amount -$4.50 · category "Groceries" · payee "Corner Shop"',
      '  amount -$4.50 · transfer to "Savings"',
    ]);
    const current = { transaction: transaction({ amount: 42_100 }) };
    const change = { transaction_id: 'trx-1', payee_id: 'pay-9' };
    expect(formatConfirmation(updateTransaction, change, { ...noChanges, current }, budget)).toContain(
      'Change: transfer from "Savings"',
    );
  });

  it('the question before changes of several transactions shows date, amount and payee of each', () => {
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
    const confirmation = formatConfirmation(
      updateTransactions,
      { transactions },
      { ...noChanges, current },
      budget,
    );
    expect(confirmation.split('\n')).toEqual([
      'Update transactions in "Home"?',
      '2026-11-18 · -$42.10 · "Corner Shop": category none',
      '2026-11-18 · -$42.10 · transfer to "Savings": payee "Corner Shop"',
      '2026-11-18 · -$42.10: memo "Bread" · amount -$1.00',
    ]);
  });

  it('the question before a change of a category or payee shows its current and new name', () => {
    const renamed = { category_id: 'cat-1', name: 'Food', category_group_id: 'grp-2' };
    const simulation = { ...noChanges, current: { category: category() } };
    expect(formatConfirmation(updateCategory, renamed, simulation, budget).split('\n').slice(1)).toEqual([
      expect.stringMatching(/^"Groceries" · group "Everyday" · left/),
      'Change: name "Food" · category group "Fun"',
    ]);
    const transfers = payee.parse({
      id: 'pay-9',
      name: 'Transfer : Savings',
      transfer_account_id: 'acc-9',
      deleted: false,
    });
    const change = { payee_id: 'pay-9', name: 'Nest egg' };
    const monthSimulation = { ...noChanges, current: { payee: transfers } };
    expect(formatConfirmation(updatePayee, change, monthSimulation, budget).split('\n').slice(1)).toEqual([
      '"Transfer : Savings" · transfer',
      'Change: name "Nest egg"',
    ]);
  });

  it('the question shows at most ten rows', () => {
    const many = { ...input, transactions: Array.from({ length: 1_000 }, () => bread) };
    const confirmation = formatConfirmation(createTransactions, many, noChanges, budget).split('\n');
    expect(confirmation).toHaveLength(12);
    expect(confirmation.at(-1)).toBe('… and 990 more rows.');
  });

  it('the question shows ten legs of a new split, and the number of the others', () => {
    const subtransactions = Array.from({ length: 200 }, () => ({ amount: -10, category_id: 'cat-1' }));
    const split = { ...input, transactions: [{ ...bread, subtransactions }] };
    const lines = formatConfirmation(createTransactions, split, noChanges, budget).split('\n');
    expect(lines).toHaveLength(13);
    expect(lines.at(-1)).toBe('  and 190 more legs');
  });

  it('the question before the deletion of a long split names its sum, and the number of the legs that are left out', () => {
    const subtransactions = Array.from({ length: 400 }, (_, at) => leg({ id: `leg-${at}`, amount: -10 }));
    const current = { transaction: transaction({ subtransactions }) };
    const input = { transaction_id: 'trx-1' };
    const question = formatConfirmation(deleteTransaction, input, { ...noChanges, current }, budget);
    expect(question).toMatch(/ · -\$42\.10 · .* · split · /);
    expect(question).toMatch(/\nToo long: \d+ lines were left out here\./);
    expect(question.length).toBeLessThan(5_500);
  });

  it('the question quotes text that users typed', () => {
    const row = { ...bread, memo: 'x"\nAccount "Savings": all yours' };
    const confirmation = formatConfirmation(createTransactions, { transactions: [row] }, noChanges, budget);
    expect(confirmation.split('\n')).toHaveLength(2);
    expect(confirmation).toContain(String.raw`memo "x\"\nAccount \"Savings\": all yours"`);
  });
});
