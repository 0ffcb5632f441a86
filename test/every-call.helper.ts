/** Calls of every tool on a budget: with its required arguments only, and with those that give the longest answers. */
import { z } from 'zod';
import { catalogue } from '../src/features/catalogue.ts';
import type { Export } from '../src/model/replica/entities.ts';

export type Budget = Export['budget'];

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The largest `limit`. */
const ALL_ROWS = 500;
/** The largest number of rows of a write. */
const WRITTEN_ROWS = 1_000;
/** More legs than an answer has room for. */
const SPLIT_LEGS = 400;
/** The largest number of rows of a bank's list. */
const MAX_LISTED_ROWS = 2_000;
/** More than an answer has room for. A slow machine enters them within the ten seconds of an answer. */
const STATEMENT_ROWS = 400;

/** Groups of the service's own, which cannot be changed. */
const internalGroups = ['Internal Master Category', 'Credit Card Payments', 'Hidden Categories'];

/** The most frequent of these values, which is the one with the longest list of transactions. */
function mostFrequent(values: readonly (string | null | undefined)[]): string {
  const counts = new Map<string, number>();
  for (const value of values) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  return first?.[0] ?? '';
}

/** Transactions that can be changed without a decision about transfers or legs. */
const plainOf = ({ transactions, subtransactions }: Budget) => {
  const splits = new Set(subtransactions.map(({ transaction_id }) => transaction_id));
  return transactions.filter(
    ({ id, deleted, transfer_account_id }) => !deleted && transfer_account_id === null && !splits.has(id),
  );
};

function argumentsOf(budget: Budget) {
  const { transactions } = budget;
  const account_id = mostFrequent(transactions.map((row) => row.account_id));
  const [scheduled] = budget.scheduled_transactions;
  const ownGroups = budget.category_groups.filter(({ name }) => !internalGroups.includes(name));
  return {
    account_id,
    category_id: mostFrequent(transactions.map((row) => row.category_id)),
    payee_id: mostFrequent(transactions.map((row) => row.payee_id)),
    month: mostFrequent(transactions.map((row) => `${row.date.slice(0, 7)}-01`)),
    payee_location_id: budget.payee_locations[0]?.id,
    payee_with_locations: mostFrequent(budget.payee_locations.map((row) => row.payee_id)),
    category_group_id: ownGroups[0]?.id,
    /** The category that has most left. */
    giver: budget.categories
      .filter((row) => ownGroups.some(({ id }) => id === row.category_group_id))
      .toSorted((a, b) => b.balance - a.balance)[0]?.id,
    split: budget.subtransactions[0]?.transaction_id,
    scheduled: scheduled?.id,
    scheduled_account: scheduled?.account_id,
    scheduled_date: scheduled?.date_next,
    date:
      transactions
        .map((row) => row.date)
        .toSorted()
        .at(-1) ?? '',
  };
}

/** Reads with their required arguments. These answers are the ones that a model reads by default. */
export function defaultReads(budget: Budget): readonly Call[] {
  const { split, scheduled, payee_with_locations, ...ids } = argumentsOf(budget);
  const known: Readonly<Record<string, unknown>> = {
    ...ids,
    account: ids.account_id,
    transaction_id: split,
    scheduled_transaction_id: scheduled,
    balance: 0,
  };
  const others: Readonly<Record<string, Call['args']>> = {
    list_payee_locations_by_payee: { payee_id: payee_with_locations },
    report: { of: 'spending', by: 'payee', monthly: true },
    reconcile_account: { account: ids.account_id, balance: 0 },
  };
  return catalogue
    .filter(({ kind, needsStatements, name }) => kind === 'read' && !needsStatements && name !== 'stop_watch')
    .map(({ name, input }) => {
      const required = Object.entries(input.shape).filter(
        ([, field]) => !z.safeParse(field, undefined).success,
      );
      const args = Object.fromEntries(required.map(([field]) => [field, known[field]]));
      return { name, args: others[name] ?? args };
    });
}

/** Writes of one thing. They change the budget, and each of them succeeds once. */
export function defaultWrites(budget: Budget): readonly Call[] {
  const { account_id, category_id, payee_id, date, category_group_id, ...ids } = argumentsOf(budget);
  const [changed, changedToo, deleted] = plainOf(budget);
  const scheduled_transaction_id = ids.scheduled;
  const { scheduled_account, scheduled_date } = ids;
  const cleared = budget.accounts.find(({ id }) => id === account_id)?.cleared_balance ?? 0;
  return [
    {
      name: 'apply_reconciliation',
      args: { account: account_id, balance: cleared / 1_000, transactions: [], confirm: true },
    },
    // A payee of the example household, with one transaction that is not approved.
    { name: 'approve_transactions', args: { payee: 'Jonas', expected: 1 } },
    { name: 'create_account', args: { name: 'New account', type: 'savings', balance: 1 } },
    { name: 'create_category', args: { category_group_id, name: 'New category' } },
    { name: 'update_category', args: { category_id, note: 'New note' } },
    { name: 'update_month_category', args: { month: 'current', category_id, budgeted: 12.34 } },
    { name: 'move_budgeted', args: { from: ids.giver, to: category_id, amount: 1 } },
    { name: 'assign_money', args: { amounts: [{ category: category_id, amount: 1 }] } },
    { name: 'create_category_group', args: { name: 'New group' } },
    { name: 'update_category_group', args: { category_group_id, name: 'Renamed group' } },
    { name: 'create_payee', args: { name: 'New payee' } },
    { name: 'update_payee', args: { payee_id, name: 'Renamed payee' } },
    { name: 'create_transactions', args: { transactions: [{ account_id, date, amount: -1 }] } },
    { name: 'update_transactions', args: { transactions: [{ id: changed?.id, memo: 'New memo' }] } },
    { name: 'update_transaction', args: { transaction_id: changedToo?.id, memo: 'New memo' } },
    { name: 'delete_transaction', args: { transaction_id: deleted?.id, confirm: true } },
    { name: 'import_transactions', args: {} },
    { name: 'create_scheduled_transaction', args: { account_id, date: scheduled_date, amount: -1 } },
    {
      name: 'update_scheduled_transaction',
      args: {
        scheduled_transaction_id,
        account_id: scheduled_account,
        date: scheduled_date,
        memo: 'New memo',
      },
    },
    { name: 'delete_scheduled_transaction', args: { scheduled_transaction_id, confirm: true } },
    { name: 'undo', args: { confirm: true } },
  ];
}

/** A file of the bank with thousands of rows, none of which is in a budget. */
export const statement = {
  name: 'large.csv',
  text: [
    'Date,Payee,Amount',
    ...Array.from(
      { length: STATEMENT_ROWS },
      (_, at) => `2026-01-${10 + (at % 20)},Row ${at} of the bank,-${at + 1}.01`,
    ),
  ].join('\n'),
};

/** The calls about it. The folder has to have it. */
export function statementCalls(budget: Budget): readonly Call[] {
  // The account is a card, whose statements may have their signs either way.
  const compared = {
    account: argumentsOf(budget).account_id,
    statement: `${statement.name} (signs as written)`,
  };
  return [
    { name: 'list_statements', args: {} },
    { name: 'reconcile_account', args: compared },
    { name: 'enter_statement', args: { ...compared, dry_run: true } },
    { name: 'enter_statement', args: compared },
  ];
}

/** The calls whose answers would be the longest. */
export function largestCalls(budget: Budget): readonly Call[] {
  const { account_id, category_id, date } = argumentsOf(budget);
  const rows = plainOf(budget).slice(-WRITTEN_ROWS);
  const created = Array.from({ length: WRITTEN_ROWS }, (_, at) => ({
    account_id,
    date,
    amount: -at - 1,
    category_id,
    payee_name: `New payee ${at}`,
    memo: `Memo of row ${at}`,
  }));
  const listed = Array.from({ length: MAX_LISTED_ROWS }, (_, at) => ({
    date,
    amount: -at - 1,
    text: `Row ${at} of the bank's list`,
  }));
  const changed = rows.map(({ id }, at) => ({ id, memo: `Memo of row ${at}` }));
  const splits = Array.from({ length: 5 }, () => ({
    account_id,
    date,
    amount: -SPLIT_LEGS,
    subtransactions: Array.from({ length: SPLIT_LEGS }, (_, at) => ({
      amount: -1,
      category_id,
      memo: `Memo of leg ${at}`,
    })),
  }));
  return [
    { name: 'list_budgets', args: { include_accounts: true } },
    ...defaultReads(budget)
      .filter(({ name }) => /^(list_(\w+_)?|find_)transactions$/.test(name) && !name.includes('scheduled'))
      .map(({ name, args }) => ({ name, args: { ...args, limit: ALL_ROWS } })),
    { name: 'report', args: { of: 'spending', by: 'payee', since: '2000-01', top: 1_000 } },
    { name: 'report', args: { of: 'spending', by: 'payee', monthly: true, since: '2025-01', top: 1_000 } },
    { name: 'refresh_budget', args: { full: true } },
    { name: 'reconcile_account', args: { account: account_id, rows: listed } },
    { name: 'apply_reconciliation', args: { account: account_id, balance: 0, enter: true, dry_run: true } },
    { name: 'create_transactions', args: { transactions: created, dry_run: true } },
    { name: 'create_transactions', args: { transactions: created, confirm: true } },
    { name: 'update_transactions', args: { transactions: changed, dry_run: true } },
    { name: 'update_transactions', args: { transactions: changed, confirm: true } },
    { name: 'create_transactions', args: { transactions: splits, dry_run: true } },
    { name: 'create_transactions', args: { transactions: splits } },
    { name: 'list_account_transactions', args: { account_id, since_date: date, limit: ALL_ROWS } },
    { name: 'list_category_transactions', args: { category_id, since_date: date, limit: ALL_ROWS } },
  ];
}
