/**
 * Entering transactions: the user's own, one or many, and those that a bank reported. A row is read, checked and
 * entered before the next, so that it sees what the rows before it made. What is wrong is gathered over all rows and
 * thrown at the end: the commit around it then undoes everything.
 */
import type { LedgerState } from '../ledger/ledger-state.ts';
import { addTransaction, type TransactionInput } from '../ledger/transactions.ts';
import { ImportIds } from './import-ids.ts';
import { enteredBefore, match } from './import-matching.ts';
import { accountProblems, leafProblems, resolved } from './leaf.ts';
import { PayeeNames } from './payee-names.ts';
import { Problems } from './problems.ts';
import { legInputs, splitProblems } from './split.ts';
import { dateProblems, type NewTransaction, newTransaction } from './transaction-fields.ts';

export interface Created {
  /** In the order of the rows, without the duplicates. */
  readonly transaction_ids: string[];
  /** Import ids that the account had already, also by an earlier row; these rows were left out. */
  readonly duplicate_import_ids: string[];
}

/** Throws 400 naming each wrong row. */
export function createTransactions(books: LedgerState, rows: readonly unknown[]): Created {
  const problems = new Problems();
  const register = new Register(books);
  const created: Created = { transaction_ids: [], duplicate_import_ids: [] };
  for (const [index, value] of rows.entries()) {
    const row = problems.read(newTransaction, value, index);
    if (row === undefined || problems.add(problemsOf(books, row), index)) continue;
    const id = register.enter(row);
    if (id !== undefined) created.transaction_ids.push(id);
    else created.duplicate_import_ids.push(row.import_id ?? '');
  }
  problems.throwIfAny();
  return created;
}

/** Imports what the banks of linked accounts have reported; returns the ids of the transactions. */
export function importPending(books: LedgerState): string[] {
  const register = new Register(books);
  const ids = [...books.pending.values()].map(({ id, ...transaction }) => {
    books.removePending(id);
    return register.enter({ ...transaction, cleared: 'cleared' });
  });
  return ids.filter((id) => id !== undefined);
}

function* problemsOf(books: LedgerState, row: NewTransaction): Generator<string> {
  yield* accountProblems(books, row.account_id);
  yield* dateProblems(books, row.date);
  yield* leafProblems(books, row, row.account_id);
  yield* splitProblems(books, row);
}

/** The register as one request writes into it. */
class Register {
  readonly #books: LedgerState;
  readonly #payees: PayeeNames;
  readonly #importIds: ImportIds;

  constructor(books: LedgerState) {
    this.#books = books;
    this.#payees = new PayeeNames(books);
    this.#importIds = new ImportIds(books);
  }

  /**
   * Enters a transaction, or matches it to one that was entered before if it has an import id. Returns the id under
   * which it is in the register; undefined for a duplicate, which is not entered.
   */
  enter(row: NewTransaction): string | undefined {
    const importId = row.import_id || null;
    if (importId === null) return addTransaction(this.#books, this.#input(row)).id;
    if (this.#importIds.isTaken(importId, row.account_id)) return undefined;
    const id = this.#import(row);
    this.#importIds.add(importId, id);
    return id;
  }

  #import(row: NewTransaction): string {
    const entered = enteredBefore(this.#books, row);
    if (entered === undefined) return addTransaction(this.#books, this.#input(row)).id;
    const unsplit = { ...row, subtransactions: [] };
    const known = entered.payee_id === null ? unsplit : { ...unsplit, payee_id: entered.payee_id };
    match(this.#books, entered, this.#input(known));
    return entered.id;
  }

  #input(row: NewTransaction): TransactionInput {
    const { payee_id, payee_name, category_id, subtransactions = [], import_id, ...own } = row;
    const name = import_id ? (payee_name?.trim() ?? null) : null;
    return {
      ...own,
      ...resolved(this.#books, this.#payees, row),
      import_id: import_id || null,
      import_payee_name: name,
      import_payee_name_original: name === null ? null : (payee_name ?? null),
      legs: legInputs(this.#books, this.#payees, subtransactions),
    };
  }
}
