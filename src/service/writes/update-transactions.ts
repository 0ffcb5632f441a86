/**
 * Updates one or many transactions, found by `id` or by `import_id`. Absent fields stay. A field that repeats the
 * current value is no change, so that a client can send a transaction back as it was read. Date, amount, category
 * and legs of a split are ignored. For the other side of a leg, the fields that the split determines are ignored.
 */
import { ServiceError } from '../errors.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { TransactionRecord } from '../ledger/records.ts';
import { splitOf, updateTransaction } from '../ledger/transactions.ts';
import { ImportIds } from './import-ids.ts';
import { accountProblems, lineProblems, resolveReferences, specifiesPayee } from './line-fields.ts';
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

/**
 * Updates in the order of the rows. Returns the ids, each once. Throws 400 with the problems of each invalid row.
 */
export function updateTransactions(state: LedgerState, rows: readonly unknown[]): string[] {
  const problems = new Problems();
  const payees = new PayeeNames(state);
  const importIds = new ImportIds(state);
  const ids = new Set<string>();
  for (const [index, value] of rows.entries()) {
    const row = problems.read(identifiedChange, value, index);
    if (row === undefined) continue;
    const { id, import_id, ...requested } = row;
    const found = find(state, importIds, row);
    if (typeof found === 'string') {
      problems.add([found], index);
      continue;
    }
    const change = withoutUnchanged(state, found, requested);
    if (problems.add(problemsOf(state, found, change), index)) continue;
    if (conflicts(importIds, found, change)) problems.add([CONFLICT], index);
    else applyChange(state, payees, found, change);
    ids.add(found.id);
  }
  problems.throwIfAny();
  return [...ids].filter((id) => state.transactions.has(id));
}

/**
 * Throws 400 with the problems. Throws 409 if the transaction moves to an account that has its import id already.
 */
export function updateSingleTransaction(state: LedgerState, before: TransactionRecord, row: unknown): void {
  const problems = new Problems();
  const change = withoutUnchanged(state, before, problems.read(transactionChange, row, 0) ?? {});
  problems.add(problemsOf(state, before, change), 0);
  problems.throwIfAny();
  if (conflicts(new ImportIds(state), before, change)) throw new ServiceError('conflict', CONFLICT);
  applyChange(state, new PayeeNames(state), before, change);
}

/**
 * Finds by `id` first. An import id that exists on several accounts also needs `account_id`. Returns the problem if
 * none is found.
 */
function find(
  state: LedgerState,
  importIds: ImportIds,
  { id, import_id, account_id }: { id?: string | null; import_id?: string | null; account_id?: string },
): TransactionRecord | string {
  if (id) return state.transactions.get(id) ?? 'id does not exist';
  if (!import_id) return 'id or import_id is required';
  const found = importIds.find(import_id);
  const [first, second] = found;
  if (first === undefined) return 'import_id does not exist';
  if (second === undefined) return first;
  return (
    found.find((candidate) => candidate.account_id === account_id) ?? 'import_id exists on several accounts'
  );
}

/** Removes the fields that repeat the current value, and those that are ignored for such a transaction. */
function withoutUnchanged(
  state: LedgerState,
  before: TransactionRecord,
  requested: TransactionChange,
): TransactionChange {
  const { account_id, date, amount, payee_id, payee_name, category_id, subtransactions, ...rest } = requested;
  const isLegOtherSide = splitOf(state, before) !== undefined;
  const isSplit = before.legs.length > 0;
  const repeatsPayee = typeof payee_id === 'string' && payee_id === before.payee_id;
  return {
    ...rest,
    ...(account_id === undefined || account_id === before.account_id || isLegOtherSide ? {} : { account_id }),
    ...(date === undefined || date === before.date || isLegOtherSide || isSplit ? {} : { date }),
    ...(amount === undefined || isLegOtherSide || isSplit ? {} : { amount }),
    ...(payee_id === undefined || repeatsPayee || isLegOtherSide ? {} : { payee_id }),
    ...(payee_name === undefined || repeatsPayee || isLegOtherSide ? {} : { payee_name }),
    ...(category_id === undefined || isSplit ? {} : { category_id }),
    ...(subtransactions === undefined || subtransactions.length === 0 || isLegOtherSide || isSplit
      ? {}
      : { subtransactions }),
  };
}

function* problemsOf(
  state: LedgerState,
  before: TransactionRecord,
  change: TransactionChange,
): Generator<string> {
  const account_id = change.account_id ?? before.account_id;
  if (change.account_id !== undefined) yield* accountProblems(state, change.account_id);
  if (change.date !== undefined) yield* dateProblems(state, change.date);
  yield* lineProblems(state, change, account_id);
  yield* splitProblems(state, { ...change, account_id, amount: change.amount ?? before.amount });
  const keptLines = specifiesPayee(change) || change.subtransactions ? before.legs : [before, ...before.legs];
  if (keptLines.some(({ transfer_account_id }) => transfer_account_id === account_id)) {
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

function applyChange(
  state: LedgerState,
  payees: PayeeNames,
  before: TransactionRecord,
  change: TransactionChange,
): void {
  const { payee_id, payee_name, category_id, subtransactions, ...fields } = change;
  updateTransaction(state, before.id, {
    ...fields,
    ...resolveReferences(state, payees, change),
    ...(subtransactions === undefined ? {} : { legs: legInputs(state, payees, subtransactions) }),
  });
}
