/**
 * Changing transactions that exist, one or many, found by `id` or by `import_id`. What a row leaves out stays; what
 * it repeats unchanged is no change, so that a transaction can be sent back as it was read. A split ignores its date,
 * amount, category and legs; the other side of a split's leg ignores what follows from the split.
 */
import { ServiceError } from '../errors.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { TransactionRecord } from '../ledger/records.ts';
import { splitOf, updateTransaction } from '../ledger/transactions.ts';
import { ImportIds } from './import-ids.ts';
import { accountProblems, leafProblems, resolved, saysPayee } from './leaf.ts';
import { PayeeNames } from './payee-names.ts';
import { Problems } from './problems.ts';
import { legInputs, splitProblems } from './split.ts';
import {
  dateProblems,
  identifiedChange,
  type TransactionChange,
  transactionChange,
} from './transaction-fields.ts';

const CONFLICT = 'import_id exists on the account already';

/** Updates in the order of the rows and returns the ids, each once. Throws 400 naming each wrong row. */
export function updateTransactions(books: LedgerState, rows: readonly unknown[]): string[] {
  const problems = new Problems();
  const payees = new PayeeNames(books);
  const importIds = new ImportIds(books);
  const ids = new Set<string>();
  for (const [index, value] of rows.entries()) {
    const row = problems.read(identifiedChange, value, index);
    if (row === undefined) continue;
    const { id, import_id, ...said } = row;
    const found = find(books, importIds, row);
    if (typeof found === 'string') {
      problems.add([found], index);
      continue;
    }
    const change = effective(books, found, said);
    if (problems.add(problemsOf(books, found, change), index)) continue;
    if (conflicts(importIds, found, change)) problems.add([CONFLICT], index);
    else apply(books, payees, found, change);
    ids.add(found.id);
  }
  problems.throwIfAny();
  return [...ids].filter((id) => books.transactions.has(id));
}

/** Throws 400 naming what is wrong, and 409 where it moves to an account that has its import id already. */
export function updateTransactionOf(books: LedgerState, before: TransactionRecord, row: unknown): void {
  const problems = new Problems();
  const change = effective(books, before, problems.read(transactionChange, row, 0) ?? {});
  problems.add(problemsOf(books, before, change), 0);
  problems.throwIfAny();
  if (conflicts(new ImportIds(books), before, change)) throw new ServiceError('conflict', CONFLICT);
  apply(books, new PayeeNames(books), before, change);
}

/** The id wins. An import id that several accounts have needs the account too. A text says why none was found. */
function find(
  books: LedgerState,
  importIds: ImportIds,
  { id, import_id, account_id }: { id?: string | null; import_id?: string | null; account_id?: string },
): TransactionRecord | string {
  if (id) return books.transactions.get(id) ?? 'id does not exist';
  if (!import_id) return 'id or import_id is required';
  const found = importIds.find(import_id);
  const [only, another] = found;
  if (only === undefined) return 'import_id does not exist';
  if (another === undefined) return only;
  return found.find((each) => each.account_id === account_id) ?? 'import_id exists on several accounts';
}

/** The row without what changes nothing: what it repeats, and what such a transaction ignores. */
function effective(
  books: LedgerState,
  before: TransactionRecord,
  said: TransactionChange,
): TransactionChange {
  const { account_id, date, amount, payee_id, payee_name, category_id, subtransactions, ...rest } = said;
  const isBound = splitOf(books, before) !== undefined;
  const isSplit = before.legs.length > 0;
  const repeatsPayee = typeof payee_id === 'string' && payee_id === before.payee_id;
  return {
    ...rest,
    ...(account_id === undefined || account_id === before.account_id || isBound ? {} : { account_id }),
    ...(date === undefined || date === before.date || isBound || isSplit ? {} : { date }),
    ...(amount === undefined || isBound || isSplit ? {} : { amount }),
    ...(payee_id === undefined || repeatsPayee || isBound ? {} : { payee_id }),
    ...(payee_name === undefined || repeatsPayee || isBound ? {} : { payee_name }),
    ...(category_id === undefined || isSplit ? {} : { category_id }),
    ...(subtransactions === undefined || subtransactions.length === 0 || isBound || isSplit
      ? {}
      : { subtransactions }),
  };
}

function* problemsOf(
  books: LedgerState,
  before: TransactionRecord,
  change: TransactionChange,
): Generator<string> {
  const account_id = change.account_id ?? before.account_id;
  if (change.account_id !== undefined) yield* accountProblems(books, change.account_id);
  if (change.date !== undefined) yield* dateProblems(books, change.date);
  yield* leafProblems(books, change, account_id);
  yield* splitProblems(books, { ...change, account_id, amount: change.amount ?? before.amount });
  const kept = saysPayee(change) || change.subtransactions ? before.legs : [before, ...before.legs];
  if (kept.some(({ transfer_account_id }) => transfer_account_id === account_id)) {
    yield 'account_id must not be the account that the transaction transfers to';
  }
}

function conflicts(
  importIds: ImportIds,
  before: TransactionRecord,
  { account_id }: TransactionChange,
): boolean {
  if (before.import_id === null || account_id === undefined) return false;
  return importIds.isTaken(before.import_id, account_id);
}

function apply(
  books: LedgerState,
  payees: PayeeNames,
  before: TransactionRecord,
  change: TransactionChange,
): void {
  const { payee_id, payee_name, category_id, subtransactions, ...own } = change;
  updateTransaction(books, before.id, {
    ...own,
    ...resolved(books, payees, change),
    ...(subtransactions === undefined ? {} : { legs: legInputs(books, payees, subtransactions) }),
  });
}
