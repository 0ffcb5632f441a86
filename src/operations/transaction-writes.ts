/** Operations that create, change, delete and import transactions (docs/interface.md, Transaction). */
import { z } from 'zod';
import { type Days, isToCome } from '../base/calendar.ts';
import type { JsonObject } from '../base/json.ts';
import { budgetId, integer, text, transactionId } from '../base/schema/fields.ts';
import { type Transaction, transaction } from '../base/schema/transaction.ts';
import { changedTransaction, changes, newTransaction } from '../base/schema/transaction-fields.ts';
import { otherSidesOf } from '../model/bookkeeping/entries.ts';
import { type EntryKey, refersTo } from '../model/bookkeeping/entry-key.ts';
import { isUpdated, matchesCreated, matchesImported, matchOneToOne } from '../model/bookkeeping/matching.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import { EXAMPLE_ID, idsIn, operation, type ReadDelta } from './operation.ts';
import { ROWS_PER_REQUEST } from './row-batches.ts';
import { payeesNamed, takeBackCreation, takeBackDeletion, takeBackUpdate } from './transaction-reversals.ts';
import {
  simulateChange,
  simulateCreation,
  simulateDeletion,
  simulateUpdates,
} from './transaction-simulation.ts';
import { getTransaction, listAccountTransactions, listTransactions } from './transactions.ts';

/** The service refuses transactions in the future. */
const inFuture = (date: string | undefined, days: Days, where = 'date') =>
  date !== undefined && isToCome(date, days)
    ? [
        `${where} ${date} is in the future (today is ${days.today}), and can be entered from that day on: use create_scheduled_transaction, or wait`,
      ]
    : [];

type Dated = { readonly date?: string | undefined };

const rowsInFuture = ({ transactions }: { readonly transactions: readonly Dated[] }, days: Days) =>
  transactions.flatMap(({ date }, row) => inFuture(date, days, `transactions.${row}.date`));

/** For the person, the day may have begun. */
function notYet(rows: readonly Dated[], ofService: string): readonly string[] {
  const last = rows.reduce((last, { date = '' }) => (date > last ? date : last), '');
  if (last <= ofService) return [];
  return [
    `For the service, which counts days in UTC, today is ${ofService}: it takes ${last} from ${last} 00:00 UTC on at the latest.`,
  ];
}

const saved = {
  transaction_ids: z.array(text),
  transaction: transaction.optional(),
  transactions: z.array(transaction).optional(),
  duplicate_import_ids: z.array(text).optional(),
  server_knowledge: integer,
};

const singleOutput = { transaction, server_knowledge: integer.optional() };

/** Merges rows about the same transaction. Later rows replace the fields of earlier ones. */
function mergedById<Row extends EntryKey>(rows: readonly Row[]): Row[] {
  const merged = new Map<string, Row>();
  for (const row of rows) {
    const key = row.id ?? `import ${row.import_id}`;
    merged.set(key, { ...merged.get(key), ...row });
  }
  return [...merged.values()];
}

/** Whether a transaction comes from an import. One that an import was matched to counts too. */
const isImport = ({ import_id, deleted }: Transaction) => import_id !== null && !deleted;

const idsOf = (rows: readonly Transaction[]) => rows.map((row) => row.id);

/** The ids of the transactions that the rows of an update refer to. */
function updatedIds({ transactions }: BudgetReplica, rows: readonly EntryKey[]): string[] {
  const withoutId = new Set(rows.flatMap(({ id, import_id }) => (id === undefined ? (import_id ?? []) : [])));
  const imported =
    withoutId.size === 0
      ? []
      : transactions.list({}).filter(({ import_id }) => import_id !== null && withoutId.has(import_id));
  return [...new Set([...rows.flatMap(({ id }) => id ?? []), ...imported.map(({ id }) => id)])];
}

/** The transactions of a write and the other sides of their transfers, as the replica has them. */
function withOtherSides({ transactions }: BudgetReplica, ids: readonly string[]): readonly JsonObject[] {
  const rows = ids.map((id) => transactions.get(id));
  const others = [...new Set(rows.flatMap(otherSidesOf))]
    .filter((id) => !ids.includes(id))
    .map((id) => transactions.get(id));
  return [...rows, ...others];
}

/** A service may answer with an id that nothing can be read by. */
const isId = (transaction_id: string) => getTransaction.input.safeParse({ transaction_id }).success;

/** A transaction and the other sides of its transfers, as the service has them. */
async function readWithOtherSides(read: ReadDelta): Promise<readonly JsonObject[]> {
  const { transaction } = await read(getTransaction);
  const rows = [transaction];
  for (const transaction_id of otherSidesOf(transaction).filter(isId))
    rows.push((await read(getTransaction, { pathParameters: { transaction_id } })).transaction);
  return rows;
}

const sentRows = z.object({ transactions: z.array(z.record(z.string(), z.unknown())) });

export const createTransactions = operation({
  name: 'create_transactions',
  description:
    'Enters (adds, logs, records) what was spent, paid, earned, returned or sent, one or more: "I just spent 12 at the bakery", "add a receipt from yesterday", "put in 30 cash for lunch", "took 60 from the ATM", "paid 100 off the card from checking". Nothing is paid. A split has subtransactions, no category_id. Transfers name the other account: payee_name "Transfer : Savings". Ids may be names.',
  route: 'POST /budgets/{budget_id}/transactions',
  input: { budget_id: budgetId, transactions: z.array(newTransaction).min(1).max(ROWS_PER_REQUEST) },
  batch: 'transactions',
  output: saved,
  check: rowsInFuture,
  whenRefused: ({ transactions }, ofService) => notYet(transactions, ofService),
  body: ({ transactions }) =>
    transactions.length === 1 ? { transaction: transactions[0] } : { transactions },
  recover: async (readDelta, { transactions: sent }) => {
    const { transactions: changed, server_knowledge } = await readDelta(listTransactions);
    const [rows, manual] = [sent.filter((row) => row.import_id), sent.filter((row) => !row.import_id)];
    // Matched transactions come last, because they may be older ones with the same fields.
    const isMatched = (row: Transaction) => Number(row.matched_transaction_id !== null);
    const candidates = changed.toSorted((a, b) => isMatched(a) - isMatched(b));
    const matched = matchOneToOne(manual, candidates, matchesCreated);
    const imported = rows.flatMap(
      (row) => changed.find((candidate) => matchesImported(row, candidate)) ?? [],
    );
    // The write is atomic. Imports that do not appear in the delta existed before.
    if (!matched || matched.length + imported.length === 0) return undefined;
    const created = [...matched, ...imported];
    const [transaction] = created;
    if (transaction && sent.length === 1)
      return { transaction_ids: idsOf(created), transaction, server_knowledge };
    const skipped = rows.filter((row) => !imported.some((candidate) => matchesImported(row, candidate)));
    return {
      transaction_ids: idsOf(created),
      transactions: created,
      duplicate_import_ids: skipped.flatMap(({ import_id }) => import_id ?? []),
      server_knowledge,
    };
  },
  duplicateRefusal: {
    code: 'conflict',
    // The row is not in the delta, so it existed before the write.
    appliedBefore: async (readDelta, { transactions: rows }) => {
      const [row] = rows;
      if (!row) return false;
      const { transactions } = await readDelta(listAccountTransactions, {
        pathParameters: { account_id: row.account_id },
        isWhole: true,
      });
      return transactions.some((candidate) => matchesImported(row, candidate));
    },
  },
  isDuplicateResponse: ({ transaction_ids }) => transaction_ids.length === 0,
  simulate: (readCurrent, { transactions }, rules) => simulateCreation(readCurrent, transactions, rules),
  stateBefore: ({ payees }, { transactions: rows }) => payeesNamed(payees.list(), rows),
  stateAfter: (replica, { transaction_ids }) => withOtherSides(replica, transaction_ids),
  takeBack: takeBackCreation,
  example: {
    transactions: [{ account_id: EXAMPLE_ID, date: '2026-11-01', amount: -4.5, payee_name: 'Corner Bakery' }],
  },
});

export const updateTransactions = operation({
  name: 'update_transactions',
  description:
    'Changes several transactions, all or none, each by id or import_id: approve (ok) those or the rest of them, everything that came in, recategorize everything from a shop, merge one category or payee into another. Omitted fields stay; a split keeps date, amount and legs.',
  route: 'PATCH /budgets/{budget_id}/transactions',
  input: { budget_id: budgetId, transactions: z.array(changedTransaction).min(1).max(ROWS_PER_REQUEST) },
  batch: 'transactions',
  output: saved,
  check: rowsInFuture,
  whenRefused: ({ transactions }, ofService) => notYet(transactions, ofService),
  body: ({ transactions }) => ({ transactions }),
  recover: async (readDelta, { transactions: sent }) => {
    const { transactions, server_knowledge } = await readDelta(listTransactions);
    // The write is atomic, and rows without a change are not in the delta. One changed row proves the whole write.
    const changed = mergedById(sent).flatMap((row) => {
      const { id, import_id, ...fields } = row;
      const found = transactions.filter((candidate) => refersTo(row, candidate));
      return found.map((each) => ({ sent: fields, found: each }));
    });
    if (!isUpdated(changed)) return undefined;
    const rows = changed.map(({ found }) => found);
    return { transaction_ids: idsOf(rows), transactions: rows, server_knowledge };
  },
  simulate: (readCurrent, { transactions }, rules) => simulateUpdates(readCurrent, transactions, rules),
  stateBefore: (replica, { transactions: rows }) => withOtherSides(replica, updatedIds(replica, rows)),
  readStateBefore: async (read, { transactions: sent }) => {
    const { transactions } = await read(listTransactions);
    const isSent = (row: Transaction) => sent.some((each) => refersTo(each, row));
    const rows = transactions.filter(isSent);
    const others = new Set(rows.flatMap(otherSidesOf));
    return [...rows, ...transactions.filter((row) => others.has(row.id) && !isSent(row))];
  },
  takeBack: (written) => takeBackUpdate(sentRows.parse(written.input).transactions, written),
  example: { transactions: [{ id: EXAMPLE_ID, memo: 'Bread and coffee' }] },
});

export const importTransactions = operation({
  name: 'import_transactions',
  description: 'Pulls in the newest transactions from linked banks.',
  route: 'POST /budgets/{budget_id}/transactions/import',
  input: { budget_id: budgetId },
  output: { transaction_ids: z.array(text) },
  // In the delta, new rows cannot be distinguished from changed ones without the ids from before.
  readBefore: idsIn(listTransactions, ({ transactions }) => transactions.filter(isImport)),
  recover: async (readDelta, _, idsBefore) => {
    const { transactions } = await readDelta(listTransactions);
    const transaction_ids = idsOf(transactions.filter((row) => isImport(row) && !idsBefore.has(row.id)));
    return transaction_ids.length > 0 ? { transaction_ids } : undefined;
  },
  isDuplicateResponse: ({ transaction_ids }) => transaction_ids.length === 0,
  takeBack: () => ({ impossible: 'the bank has these transactions. Delete those that are wrong one by one' }),
});

export const updateTransaction = operation({
  name: 'update_transaction',
  description:
    'Fixes one transaction: "it was 12, not 21", "money out, not in", "wrong account, it was paid with the other card", "that one was on the 5th", "put it under Food"; moves it to another category (recategorizes), puts a note on it, splits it in half or three ways, marks it as cleared, approves or flags it. Omitted fields stay, as do date, amount and legs of a split: the answer says what helps.',
  route: 'PUT /budgets/{budget_id}/transactions/{transaction_id}',
  input: { budget_id: budgetId, transaction_id: transactionId, ...changes },
  output: singleOutput,
  check: ({ date }, days) => inFuture(date, days),
  whenRefused: (change, ofService) => notYet([change], ofService),
  body: (transaction) => ({ transaction }),
  recover: async (readDelta, { budget_id: _, transaction_id, ...sent }) => {
    const { transactions, server_knowledge } = await readDelta(listTransactions);
    const transaction = transactions.find((candidate) => candidate.id === transaction_id);
    if (!transaction || !isUpdated([{ sent, found: transaction }])) return undefined;
    return { transaction, server_knowledge };
  },
  simulate: simulateChange,
  stateBefore: (replica, { transaction_id }) => withOtherSides(replica, [transaction_id]),
  readStateBefore: readWithOtherSides,
  takeBack: (written) => takeBackUpdate([{ ...written.input, id: written.input['transaction_id'] }], written),
  example: { transaction_id: EXAMPLE_ID, memo: 'Bread and coffee', approved: true },
});

export const deleteTransaction = operation({
  name: 'delete_transaction',
  description:
    'Deletes one transaction (both sides of a transfer): gets rid of a duplicate, removes a test, takes off what was canceled or did not go through.',
  route: 'DELETE /budgets/{budget_id}/transactions/{transaction_id}',
  input: { budget_id: budgetId, transaction_id: transactionId },
  output: singleOutput,
  readBefore: async (readDelta) => {
    const { transaction, server_knowledge } = await readDelta(getTransaction);
    const rows = transaction.deleted ? [] : [transaction];
    return { ids: new Set(idsOf(rows)), server_knowledge, rows };
  },
  duplicateRefusal: {
    code: 'resource_not_found',
    appliedBefore: async (_readDelta, { transaction_id }, idsBefore) => !idsBefore.has(transaction_id),
  },
  recover: async (readDelta, { transaction_id }) => {
    const { transactions, server_knowledge } = await readDelta(listTransactions);
    const transaction = transactions.find(
      (candidate) => candidate.id === transaction_id && candidate.deleted,
    );
    return transaction && { transaction, server_knowledge };
  },
  simulate: (readCurrent, _, rules) => simulateDeletion(readCurrent, rules),
  stateBefore: (replica, { transaction_id }) => withOtherSides(replica, [transaction_id]),
  takeBack: takeBackDeletion,
  example: { transaction_id: EXAMPLE_ID },
});
