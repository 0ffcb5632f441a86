/** What a file of a bank contains, as it is written: no date or amount is read yet, because that may take all of its rows. */
import { invalidInput } from '../../../base/errors.ts';
import type { DecimalSign } from './written-values.ts';

export interface WrittenRow {
  readonly date: string;
  readonly amount: string;
  /** What is to be subtracted from the amount. */
  readonly fee?: string;
  /** Whether the amount is the size of an outflow. */
  readonly isOutflow?: boolean;
  /** The payee, or else the purpose. */
  readonly text: string;
}

export interface WrittenStatement {
  /** Its number or name, where the file says it. */
  readonly account?: string | undefined;
  /** Such as `EUR`. */
  readonly currency?: string | undefined;
  readonly rows: readonly WrittenRow[];
}

export interface WrittenFile {
  readonly format: string;
  /** If the format has only one, or the numbers of the file fit only one. */
  readonly decimals?: DecimalSign | undefined;
  /** One for each account and currency. */
  readonly statements: readonly WrittenStatement[];
  /** Set if the file does not say which amounts are outflows: they have signs, or not even those. */
  readonly openSigns?: 'signed' | 'unsigned';
  /** The lines or entries that were left out, because they have no date, no amount, or are not booked. */
  readonly skipped: number;
}

/** Some lists have balances as rows. No payee has such a name. */
export const BALANCE =
  /^(opening|closing|start(ing)?|end(ing)?|previous|current|available|ledger) balance$|^(alter|neuer) (konto)?(saldo|stand)$|^(konto|anfangs|end|begin|eind)[ -]?(saldo|stand)$|^saldo (inicial|final|iniziale|finale|anterior)$/i;

/** More would be no month or year of a person, and could not be compared in one call. */
export const MAX_ROWS = 10_000;

export const tooManyRows = () =>
  invalidInput(`The file has more than ${MAX_ROWS} rows. Export a shorter time, such as a year.`);

/** Statements from rows in the order of the file, by account and currency. Throws if there are too many rows. */
export class StatementRows {
  readonly #statements = new Map<string, WrittenStatement & { readonly rows: WrittenRow[] }>();
  #count = 0;

  add(row: WrittenRow, account?: string, currency?: string): void {
    this.#count += 1;
    if (this.#count > MAX_ROWS) throw tooManyRows();
    const key = JSON.stringify([account, currency]);
    const known = this.#statements.get(key);
    if (known) known.rows.push(row);
    else this.#statements.set(key, { account, currency, rows: [row] });
  }

  get all(): readonly WrittenStatement[] {
    return [...this.#statements.values()];
  }
}
