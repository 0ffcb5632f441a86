/** The transactions of a view: the pages that are loaded, sorted and filtered. It draws nothing. */
import type { TransactionsContent } from '../answers/view-data/transactions-content.ts';
import type { Money } from './money.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface ListedTransaction {
  readonly row: TransactionsContent['rows'][number];
  readonly account: Named;
  readonly payee: Named | undefined;
  readonly category: Named | undefined;
}

export type Column = 'date' | 'payee' | 'category' | 'account' | 'amount';
export type Direction = 'ascending' | 'descending';

/** More rows than these are not sorted here. */
const MAX_ROWS = 20_000;

export class TransactionList {
  readonly #total: number;
  readonly #money: Money;
  readonly #next: (cursor: string) => Promise<TransactionsContent>;
  #loaded: ListedTransaction[];
  #cursor: string | null;
  #sorted: { readonly column: Column; readonly direction: Direction } = {
    column: 'date',
    direction: 'descending',
  };
  #words: readonly string[] = [];
  #rows: readonly ListedTransaction[] | undefined;

  /** `next` gets the page of a cursor. Amounts are found as `money` writes them. */
  constructor(
    first: TransactionsContent,
    money: Money,
    next: (cursor: string) => Promise<TransactionsContent>,
  ) {
    this.#total = first.total;
    this.#money = money;
    this.#next = next;
    this.#loaded = listed(first);
    this.#cursor = first.next_cursor;
  }

  get isComplete(): boolean {
    return this.#cursor === null;
  }

  get isFiltered(): boolean {
    return this.#words.length > 0;
  }

  /** The loaded rows that match, in order. */
  get rows(): readonly ListedTransaction[] {
    this.#rows ??= this.#ordered(this.#loaded.filter((each) => this.#matches(each)));
    return this.#rows;
  }

  /** Loads pages until there are so many rows. */
  async load(count: number): Promise<void> {
    while (this.#cursor !== null && this.rows.length < count) {
      const page = await this.#next(this.#cursor);
      this.#loaded = [...this.#loaded, ...listed(page)];
      this.#cursor = page.next_cursor;
      this.#rows = undefined;
    }
  }

  /** Throws if there are too many rows. */
  async loadAll(onProgress: (loaded: number) => void): Promise<void> {
    if (this.#total > MAX_ROWS)
      throw new Error('There are too many rows for this. Ask for fewer, such as one year.');
    while (this.#cursor !== null) {
      onProgress(this.#loaded.length);
      await this.load(this.rows.length + 1);
    }
  }

  /** Sorts by a column, or turns the order around if it is sorted by it. */
  sortBy(column: Column): Direction {
    const first = column === 'date' || column === 'amount' ? 'descending' : 'ascending';
    const other = first === 'ascending' ? 'descending' : 'ascending';
    const direction = this.#sorted.column === column && this.#sorted.direction === first ? other : first;
    this.#sorted = { column, direction };
    this.#rows = undefined;
    return direction;
  }

  filterBy(text: string): void {
    this.#words = folded(text).split(/\s+/).filter(Boolean);
    this.#rows = undefined;
  }

  #matches({ row, account, payee, category }: ListedTransaction): boolean {
    if (this.#words.length === 0) return true;
    const { date, amount, memo = '', marks = [] } = row;
    const amounts = [amount / 1000, this.#money(amount)];
    const text = folded(
      [date, ...amounts, payee?.name, category?.name, account.name, memo, ...marks].join(' '),
    );
    return this.#words.every((word) => text.includes(word));
  }

  #ordered(rows: readonly ListedTransaction[]): readonly ListedTransaction[] {
    const { column, direction } = this.#sorted;
    // The server's order is by date already.
    if (column === 'date') return direction === 'descending' ? rows : rows.toReversed();
    const sign = direction === 'ascending' ? 1 : -1;
    if (column === 'amount') return rows.toSorted((a, b) => sign * (a.row.amount - b.row.amount));
    const collator = new Intl.Collator();
    const nameOf = (each: ListedTransaction) => each[column]?.name ?? '';
    return rows.toSorted((a, b) => sign * collator.compare(nameOf(a), nameOf(b)));
  }
}

const unnamed: Named = { id: '', name: '' };

const listed = ({ rows, accounts, payees, categories }: TransactionsContent): ListedTransaction[] =>
  rows.map((row) => ({
    row,
    account: accounts[row.account] ?? unnamed,
    payee: row.payee === undefined ? undefined : payees[row.payee],
    category: row.category === undefined ? undefined : categories[row.category],
  }));

const folded = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
