/** The content of a file of a bank. No date is read yet, because that may take all of its rows. */
import { invalidInput } from '../../../base/errors.ts';
import type { DecimalSign } from './written-values.ts';

export interface WrittenRow {
  readonly date: string;
  /** In milliunits, with its sign. */
  readonly amount: number;
  /** The other side. */
  readonly payee?: string | undefined;
  readonly purpose?: string | undefined;
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
  /** Equal for files of one kind: the names of the columns, or the format. */
  readonly kind: string;
  /** The sign that the amounts were read with, if they have one. */
  readonly decimals?: DecimalSign | undefined;
  /** One for each account and currency. */
  readonly statements: readonly WrittenStatement[];
  /** Dates of other columns, which are written in the same order. */
  readonly otherDates?: readonly string[];
  /** Set if the file does not say which amounts are outflows: they have signs, or not even those. Purchases have a merchant each. */
  readonly openSigns?: 'signed' | 'unsigned' | 'purchases' | undefined;
  /** The lines or entries that were left out, because they have no date, no amount, or are not booked. */
  readonly skipped: number;
}

/** More would be no month or year of a person, and could not be compared in one call. */
export const MAX_ROWS = 10_000;
/** A person has no more accounts at one bank. */
const MAX_STATEMENTS = 50;

export const tooManyRows = () =>
  invalidInput(`The file has more than ${MAX_ROWS} rows. Export a shorter time, such as a year.`);

/** Statements from rows in the order of the file, by account and currency. Throws if there are too many rows. */
export class StatementRows {
  readonly #statements = new Map<string, WrittenStatement & { readonly rows: WrittenRow[] }>();
  #count = 0;

  add(row: WrittenRow, account?: string, currency?: string): void {
    this.#count += 1;
    if (this.#count > MAX_ROWS) throw tooManyRows();
    const key = `${account ?? ''}\n${currency ?? ''}`;
    const known = this.#statements.get(key);
    if (known) known.rows.push(row);
    else this.#statements.set(key, { account, currency, rows: [row] });
    if (this.#statements.size > MAX_STATEMENTS)
      throw invalidInput(`The file has rows of more than ${MAX_STATEMENTS} accounts.`);
  }

  get all(): readonly WrittenStatement[] {
    return [...this.#statements.values()];
  }
}
