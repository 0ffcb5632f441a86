/**
 * Creates transactions: new ones of the user, and imports from a bank. Each row is parsed, checked and created
 * before the next one, so a row sees the results of the rows before it. The problems of all rows are collected and
 * thrown at the end, and the commit then undoes everything.
 */
import type { LedgerState } from '../ledger/ledger-state.ts';
import { addTransaction, type TransactionInput } from '../ledger/transactions.ts';
import { ImportIds } from './import-ids.ts';
import { findMatch, mergeImport } from './import-matching.ts';
import { accountProblems, lineProblems, resolveReferences } from './line-fields.ts';
import { PayeeNames } from './payee-names.ts';
import { Problems } from './problems.ts';
import { legInputs, splitProblems } from './split.ts';
import { dateProblems, type NewTransaction, newTransaction } from './transaction-fields.ts';

export interface Created {
  /** In the order of the rows, without duplicates. */
  readonly transaction_ids: string[];
  /** Import ids that exist on the account already, also from an earlier row. These rows were skipped. */
  readonly duplicate_import_ids: string[];
}

/** Throws 400 with the problems of each invalid row. */
export function createTransactions(state: LedgerState, rows: readonly unknown[]): Created {
  const problems = new Problems();
  const creator = new TransactionCreator(state);
  const created: Created = { transaction_ids: [], duplicate_import_ids: [] };
  for (const [index, value] of rows.entries()) {
    const row = problems.read(newTransaction, value, index);
    if (row === undefined || problems.add(problemsOf(state, row), index)) continue;
    const id = creator.create(row);
    if (id !== undefined) created.transaction_ids.push(id);
    else created.duplicate_import_ids.push(row.import_id ?? '');
  }
  problems.throwIfAny();
  return created;
}

/** Imports the transactions that the banks of linked accounts have reported. Returns their ids. */
export function importPending(state: LedgerState): string[] {
  const creator = new TransactionCreator(state);
  const ids = [...state.pending.values()].map(({ id, ...transaction }) => {
    state.removePending(id);
    return creator.create({ ...transaction, cleared: 'cleared' });
  });
  return ids.filter((id) => id !== undefined);
}

function* problemsOf(state: LedgerState, row: NewTransaction): Generator<string> {
  yield* accountProblems(state, row.account_id);
  yield* dateProblems(state, row.date);
  yield* lineProblems(state, row, row.account_id);
  yield* splitProblems(state, row);
}

/** Creates the transactions of one request. */
class TransactionCreator {
  readonly #state: LedgerState;
  readonly #payees: PayeeNames;
  readonly #importIds: ImportIds;

  constructor(state: LedgerState) {
    this.#state = state;
    this.#payees = new PayeeNames(state);
    this.#importIds = new ImportIds(state);
  }

  /**
   * Creates a transaction. One with an import id is merged with a matching transaction, if there is one. Returns the
   * id of the created or merged transaction, or undefined for a duplicate, which is skipped.
   */
  create(row: NewTransaction): string | undefined {
    const importId = row.import_id || null;
    if (importId === null) return addTransaction(this.#state, this.#input(row)).id;
    if (this.#importIds.isTaken(importId, row.account_id)) return undefined;
    const id = this.#import(row);
    this.#importIds.add(importId, id);
    return id;
  }

  #import(row: NewTransaction): string {
    const existing = findMatch(this.#state, row);
    if (existing === undefined) return addTransaction(this.#state, this.#input(row)).id;
    const unsplit = { ...row, subtransactions: [] };
    const withPayee = existing.payee_id === null ? unsplit : { ...unsplit, payee_id: existing.payee_id };
    mergeImport(this.#state, existing, this.#input(withPayee));
    return existing.id;
  }

  #input(row: NewTransaction): TransactionInput {
    const { payee_id, payee_name, category_id, subtransactions = [], import_id, ...fields } = row;
    const name = import_id ? (payee_name?.trim() ?? null) : null;
    return {
      ...fields,
      ...resolveReferences(this.#state, this.#payees, row),
      import_id: import_id || null,
      import_payee_name: name,
      import_payee_name_original: name === null ? null : (payee_name ?? null),
      legs: legInputs(this.#state, this.#payees, subtransactions),
    };
  }
}
