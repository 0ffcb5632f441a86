/** Writes the transactions of an invented household as a person and as banks write them. It knows nothing of reviews. */
import { addDays, addMonths, dayNumber, onDay } from '../../../src/base/calendar.ts';
import { Chance } from '../../bench/forecast/household-chance.ts';
import {
  type AccountKey,
  categoryOf,
  countries,
  type Names,
  type PayeeKey,
  type TransferKey,
} from './blind-names.helper.ts';

/** Amounts are milliunits, dates `YYYY-MM-DD`. Accounts and categories are given by their names. */
export interface BlindTransaction {
  readonly account: string;
  readonly date: string;
  readonly amount: number;
  readonly payee: string;
  /** The bank's text after the service has cleaned it, and before. */
  readonly importPayee: string | null;
  readonly importPayeeOriginal: string | null;
  readonly memo: string | null;
  readonly category: string | null;
  readonly approved: boolean;
  readonly cleared: 'cleared' | 'uncleared' | 'reconciled';
  readonly importId: string | null;
  /** Empty, or the legs of a split, whose amounts add up to the amount. */
  readonly legs: readonly { readonly amount: number; readonly category: string }[];
  readonly transferAccount: string | null;
  /** The index of the other side of a transfer. */
  readonly transferTransaction: number | null;
}

/** The same without indices, which are known at the end. */
export type Row = Omit<BlindTransaction, 'transferTransaction'>;

export interface Case<Reference> {
  readonly kind: 'duplicate' | 'transfer' | 'unusual';
  readonly transactions: readonly Reference[];
  /** In words, for the reader of a failed test. */
  readonly because: string;
}

/** Rounded to cents. */
export const milliunits = (units: number): number => Math.round(units * 100) * 10;

/** As the service shows the text of a bank. */
export const cleaned = (bank: string) =>
  bank
    .toLowerCase()
    .replace(/[\d*/]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(^|[\s.-])\p{L}/gu, (letter) => letter.toUpperCase());

export class Book {
  readonly chance: Chance;
  readonly names: Names;
  readonly today: string;
  readonly begins: string;
  /** What the banks reported after this day is not approved yet. */
  readonly approvedUntil: string;
  readonly accounts: readonly AccountKey[];
  readonly rows: Row[] = [];
  readonly #truths: Case<Row>[] = [];
  readonly #lookAlikes: Case<Row>[] = [];
  readonly #links = new Map<Row, Row>();
  readonly #imports = new Map<string, number>();
  readonly #numbersImports: boolean;

  constructor(seed: number) {
    const chance = new Chance(seed);
    this.chance = chance;
    this.names = chance.pick(countries);
    const december = chance.of(0.2);
    this.today = december ? `2025-12-${chance.whole(15, 28)}` : addDays('2025-01-15', chance.whole(0, 330));
    this.begins = addMonths(this.today, -chance.whole(12, 18));
    this.approvedUntil = addDays(this.today, -chance.whole(16, 21));
    this.accounts = [
      'checking',
      'savings',
      'cash',
      'card',
      ...(chance.of(0.65) ? (['second'] as const) : []),
    ];
    this.#numbersImports = chance.of(0.5);
  }

  isNew = (date: string): boolean => date > this.approvedUntil;

  /** A day that is not approved yet, at least so many days ago. */
  newDay(daysAgo = 0): string {
    const days = dayNumber(this.today) - dayNumber(this.approvedUntil) - 1;
    return addDays(this.today, -this.chance.whole(daysAgo, days));
  }

  /** All days of a monthly series, the last day of all first. */
  monthsBefore(last: string): string[] {
    const dates: string[] = [];
    for (let months = 0; ; months += 1) {
      const date = onDay(addMonths(last, -months), Number(last.slice(8)));
      if (date < this.begins) return dates;
      dates.push(date);
    }
  }

  /** A purchase or payment as a bank reports it. Approved and in its category if it is old. */
  imported(account: AccountKey, date: string, units: number, key: PayeeKey, changes: Partial<Row> = {}): Row {
    const { chance, names } = this;
    const [name, bank] = names.payees[key];
    const fromAccount = /rent|bills|subscriptions|income|shared/.test(categoryOf[key]);
    const text = names.written[fromAccount ? 'account' : 'card'](bank, date, chance.whole(1000, 9999));
    const old = !this.isNew(date);
    const known = old || chance.of(0.75);
    const category = known && (old || chance.of(0.75)) ? names.categories[categoryOf[key]] : null;
    return this.reported(account, date, units, text, {
      payee: known ? name : cleaned(bank),
      importPayee: cleaned(bank),
      category,
      ...changes,
    });
  }

  /** Whatever a bank reports, by its own text. */
  reported(account: AccountKey, date: string, units: number, text: string, changes: Partial<Row> = {}): Row {
    const row = this.#row(account, date, units, cleaned(text));
    return this.#add({
      ...row,
      importPayee: row.payee,
      importPayeeOriginal: text,
      approved: !this.isNew(date),
      importId: this.#numbersImports ? this.#numberedId(account, date, row.amount) : this.#bankId(),
      ...changes,
    });
  }

  /** As a person enters it, who approves it by that. */
  typed(account: AccountKey, date: string, units: number, key: PayeeKey, changes: Partial<Row> = {}): Row {
    return this.#add({
      ...this.#row(account, date, units, this.names.payees[key][0]),
      category: this.names.categories[categoryOf[key]],
      cleared: account === 'cash' || !this.isNew(date) ? 'cleared' : 'uncleared',
      ...changes,
    });
  }

  /** Both sides of a transfer as two ordinary transactions. A person types the side in cash. */
  unlinked(
    key: TransferKey,
    [from, to]: readonly [AccountKey, AccountKey],
    [leaves, arrives]: readonly [string, string],
    units: number,
  ): Row[] {
    const side = (account: AccountKey, date: string, amount: number, text: string) => {
      if (account !== 'cash') return this.reported(account, date, amount, text);
      const category = amount > 0 ? this.names.categories.income : null;
      return this.#add({ ...this.#row(account, date, amount, text), category });
    };
    const [out, into] = this.names.transfers[key];
    return [side(from, leaves, -units, out), side(to, arrives, units, into)];
  }

  /** Both sides of a transfer that the person has entered or linked. */
  linked([from, to]: readonly [AccountKey, AccountKey], date: string, units: number): readonly [Row, Row] {
    const side = (account: AccountKey, other: AccountKey, amount: number) => {
      const transferAccount = this.names.accounts[other];
      return this.#add({
        ...this.#row(account, date, amount, `Transfer : ${transferAccount}`),
        transferAccount,
      });
    };
    const [out, into] = [side(from, to, -units), side(to, from, units)];
    this.#links.set(out, into).set(into, out);
    return [out, into];
  }

  /** The same row as a bank reports it again, with another id. */
  again(row: Row, changes: Partial<Row>): Row {
    const importId = this.#bankId();
    return this.#add({ ...row, importId, legs: [], approved: false, cleared: 'cleared', ...changes });
  }

  shown(kind: Case<Row>['kind'], because: string, ...transactions: Row[]): void {
    this.#truths.push({ kind, transactions, because });
  }

  notShown(kind: Case<Row>['kind'], because: string, ...transactions: Row[]): void {
    this.#lookAlikes.push({ kind, transactions, because });
  }

  isInCase = (row: Row): boolean =>
    [...this.#truths, ...this.#lookAlikes].some(({ transactions }) => transactions.includes(row));

  /** All rows, oldest first, and the cases by their indices. */
  finish() {
    const rows = this.rows.toSorted((a, b) => dayNumber(a.date) - dayNumber(b.date));
    const indices = new Map(rows.map((row, index) => [row, index]));
    const indexOf = (row: Row) => indices.get(row) ?? -1;
    const indexed = ({ kind, transactions, because }: Case<Row>): Case<number> => {
      return { kind, transactions: transactions.map(indexOf), because };
    };
    const transactions = rows.map((row): BlindTransaction => {
      const other = this.#links.get(row);
      return { ...row, transferTransaction: other === undefined ? null : indexOf(other) };
    });
    return { transactions, truths: this.#truths.map(indexed), lookAlikes: this.#lookAlikes.map(indexed) };
  }

  #add(row: Row): Row {
    this.rows.push(row);
    return row;
  }

  #row(account: AccountKey, date: string, units: number, payee: string): Row {
    return {
      account: this.names.accounts[account],
      date,
      amount: milliunits(units),
      payee,
      importPayee: null,
      importPayeeOriginal: null,
      memo: null,
      category: null,
      approved: true,
      cleared: date < addDays(this.today, -60) ? 'reconciled' : 'cleared',
      importId: null,
      legs: [],
      transferAccount: null,
    };
  }

  /** Equal imports of one day on an account are numbered. */
  #numberedId(account: AccountKey, date: string, amount: number): string {
    const key = `${account} ${date} ${amount}`;
    const number = (this.#imports.get(key) ?? 0) + 1;
    this.#imports.set(key, number);
    return `YNAB:${amount}:${date}:${number}`;
  }

  #bankId = () => Array.from({ length: 4 }, () => this.chance.whole(4096, 65_535).toString(16)).join('');
}
