/** Dry runs and errors of the built program, compared with the ledger. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/base/json.ts';
import { addTransaction } from '../../src/service/ledger/transactions.ts';
import type { Fault } from '../faulty-proxy.helper.ts';
import { forbidden } from '../hostile-texts.helper.ts';
import { type StartedProgram, startProgram } from './program-behind-proxy.helper.ts';

const entrySchema = z.object({ id: z.string() });
const balancesSchema = z.array(z.object({ id: z.string(), name: z.string(), balance: z.number() }));
const dryRunSchema = z.object({
  balances: z.object({ accounts: balancesSchema, categories: balancesSchema }),
  unpredictable_balances: z.array(z.string()).default([]),
});

/** The balances of accounts in currency units, by id. */
const balancesOf = ({ ledger }: StartedProgram) =>
  new Map(ledger.accounts().map(({ id, balance }) => [id, balance / 1_000]));

/** Returns the result of the dry run. Checks that the write then changes account balances exactly as predicted. */
async function dryRunAndWrite(started: StartedProgram, tool: string, args: JsonObject) {
  const before = balancesOf(started);
  const dryRun = dryRunSchema.parse((await started.call(tool, { ...args, dry_run: true })).structured);
  expect(balancesOf(started)).toEqual(before);
  const { isError, text } = await started.call(tool, args);
  expect(isError, text).toBe(false);
  const expected = dryRun.balances.accounts.map(({ id, balance }) => [id, balance] as const);
  expect(balancesOf(started)).toEqual(new Map([...before, ...expected]));
  return dryRun;
}

/** Enters a split of 10 in Checking: 6 for groceries and 4 to the wallet. Returns the id of the entry in the wallet. */
async function enterSplitWithTransfer({ account, call, category, ledger }: StartedProgram): Promise<string> {
  const subtransactions = [
    { amount: -6, category_id: category('Groceries').id },
    { amount: -4, payee_id: account('Wallet').transfer_payee_id },
  ];
  const split = { account_id: account('Checking').id, date: '2026-11-20', amount: -10, subtransactions };
  const { structured } = await call('create_transactions', { transactions: [split] });
  const { id } = entrySchema.parse(structured['transaction']);
  return entrySchema.parse(ledger.transactions(undefined).find((each) => each.transfer_transaction_id === id))
    .id;
}

test('a dry run shows that the other side of a leg of a split keeps its amount', async () => {
  const started = await startProgram();
  const transaction_id = await enterSplitWithTransfer(started);
  const { balances } = await dryRunAndWrite(started, 'update_transaction', { transaction_id, amount: 9 });
  expect(balances).toEqual({ accounts: [], categories: [] });
});

test('a dry run shows that deleting the other side of a leg of a split changes only the account of that side', async () => {
  const started = await startProgram({ args: ['--confirm', 'none'] });
  const transaction_id = await enterSplitWithTransfer(started);
  const { balances } = await dryRunAndWrite(started, 'delete_transaction', { transaction_id });
  expect(balances).toMatchObject({ accounts: [{ name: 'Wallet' }], categories: [] });
});

test('a dry run says that it cannot predict the balance of a category whose entry moves to another month', async () => {
  const started = await startProgram();
  const { account, category, ledger } = started;
  const { id: transaction_id } = ledger.commit((books) =>
    addTransaction(books, {
      account_id: account('Checking').id,
      date: '2026-10-05',
      amount: -10_000,
      category_id: category('Groceries').id,
    }),
  );
  const change = { transaction_id, date: '2026-11-05', amount: -12 };
  const { balances, unpredictable_balances } = await dryRunAndWrite(started, 'update_transaction', change);
  expect([balances.categories, unpredictable_balances]).toEqual([[], ['Groceries']]);
});

test('the error of a write says that this call changed nothing if the list of budgets cannot be read', async () => {
  const { call, coffee, service } = await startProgram();
  service.maintenance = true;
  for (const [tool, args] of [
    ['create_transactions', { transactions: [coffee] }],
    ['delete_transaction', { transaction_id: 'any', confirm: true }],
    ['import_transactions', {}],
  ] as const) {
    const { isError, text } = await call(tool, args);
    expect([isError, text]).toEqual([true, expect.stringMatching(/^This call changed nothing\. .*503/)]);
  }
});

test('the error of an update that was not sent does not say that the budget lacks the entry', async () => {
  const { call, faults, ledger } = await startProgram();
  const { id } = entrySchema.parse(ledger.transactions(undefined).at(-1));
  const unavailable: Fault = { deliveries: 1, answer: '503' };
  // It reads what undo would need, and then what the update changes, each three times.
  faults.reads.push(...Array.from({ length: 6 }, () => unavailable));
  const { isError, text } = await call('update_transaction', { transaction_id: id, memo: 'New' });
  expect([isError, text]).toEqual([true, expect.stringContaining('nothing was sent')]);
  expect(text).not.toContain('does not have it');
});

test('the name of a budget is quoted in an error, so that it cannot look like a line of its own', async () => {
  const name = 'My\nbudget\u2028\u0085\u009b\u202e';
  const { call } = await startProgram({
    alter: ({ path }, body) =>
      path === '/v1/budgets' ? body.replace('"name":"Household"', `"name":${JSON.stringify(name)}`) : body,
  });
  const { isError, text } = await call('list_accounts', { budget_id: 'No such budget' });
  expect(isError).toBe(true);
  expect(text).toContain(String.raw`"My\nbudget\u2028\u0085\u009b\u202e"`);
  expect(text).not.toMatch(forbidden);
});
