/** A table of transactions to sort and to filter. It scrolls in itself, and loads more rows as a person scrolls. */
import type { RowMark, TransactionsContent } from '../answers/view-data/transactions-content.ts';
import { button, el, name, note, phrase } from './element.ts';
import type { Drawing } from './page.ts';
import { amountCell, rowName } from './table.ts';
import { type Column, type ListedTransaction, TransactionList } from './transaction-list.ts';

/** So many rows are shown at first, and added at a time. Each addition costs as much as all rows before it. */
const FIRST = 60;
const PAGE = 500;
/** A shorter list needs no filter. */
const FILTERED_FROM = 6;

const columns: readonly (readonly [Column, label: string, className: string])[] = [
  ['date', 'Date', ''],
  ['payee', 'Payee', ''],
  ['category', 'Category', 'extra'],
  ['account', 'Account', 'extra'],
  ['amount', 'Amount', 'amount'],
];

const words: Readonly<Record<RowMark, string>> = {
  split: 'Split',
  part: 'part of a split',
  transfer: 'transfer',
  uncleared: 'uncleared',
  unapproved: 'not approved',
  likely_duplicate: 'likely duplicate',
  transfer_pair: 'transfer not linked',
  unusual_amount: 'unusual amount',
  against_habit: 'another category than usual',
  legs_missing: 'usually split',
  payee_seen_first: 'new payee',
  missing_in_account: 'missing in the account',
  not_at_bank: 'not at the bank',
  perhaps_mistyped: 'perhaps mistyped, or there with another day',
};

export class TransactionTable {
  readonly element: HTMLElement;
  readonly #drawing: Drawing;
  readonly #list: TransactionList;
  readonly #total: number;
  readonly #body = el('tbody');
  readonly #state = el('p', { class: 'empty', role: 'status' });
  readonly #more: HTMLElement;
  readonly #scroller: HTMLElement;
  #shown = 0;
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(content: TransactionsContent, drawing: Drawing) {
    const { tool, args } = drawing.question;
    this.#drawing = drawing;
    this.#total = content.total;
    this.#list = new TransactionList(content, drawing.money, (cursor) =>
      // The text of the answer is not shown, so it is short.
      drawing.more('transactions', { tool, args: { ...args, cursor, limit: 1 } }),
    );
    this.#more = button('more', () => this.#showMore(), {}, 'Show more');
    this.#scroller = el(
      'div',
      { class: 'scroller', role: 'region', tabindex: 0, 'aria-label': 'Transactions' },
      el('table', {}, el('thead', {}, this.#head()), this.#body),
      this.#more,
    );
    this.element = el(
      'section',
      { class: 'list' },
      content.total >= FILTERED_FROM && this.#filter(),
      this.#scroller,
      this.#state,
    );
    this.#append();
    new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) this.#showMore();
      },
      { root: this.#scroller },
    ).observe(this.#more);
  }

  #head(): HTMLElement {
    const heads = columns.map(([column, label, className]) => {
      const sort = () => {
        const direction = this.#list.sortBy(column);
        for (const each of heads) each.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', direction);
        this.#restart();
      };
      const head = el(
        'th',
        { scope: 'col', class: className, 'aria-sort': column === 'date' && 'descending' },
        button('sort', () => this.#run(() => this.#loadAll(), sort), {}, label),
      );
      return head;
    });
    return el('tr', {}, ...heads);
  }

  #filter(): HTMLElement {
    const filter = () => {
      this.#list.filterBy(input.value);
      this.#restart();
    };
    const oninput = () => {
      if (this.#list.isComplete) filter();
      else this.#run(() => this.#loadAll(), filter);
    };
    const placeholder = 'Payee, category, memo or amount';
    const input: HTMLInputElement = el('input', {
      type: 'search',
      placeholder,
      'aria-label': 'Filter',
      oninput,
    });
    return input;
  }

  #showMore(): void {
    if (this.#waiting > 0) return;
    this.#run(
      () => this.#list.load(this.#shown + 1),
      () => this.#append(PAGE),
    );
  }

  #loadAll(): Promise<void> {
    const { count } = this.#drawing;
    return this.#list.loadAll((loaded) => this.#say(`Loading ${count(loaded)} of ${count(this.#total)} …`));
  }

  /** Does one thing after another, because each may ask the server for more rows. */
  #run(load: () => Promise<void>, then: () => void): void {
    this.#waiting += 1;
    this.#scroller.setAttribute('aria-busy', 'true');
    this.#work = this.#work
      .then(load)
      .then(then, (error: unknown) => {
        // The rows that are shown stay, and the button for more of them can be pressed again.
        this.#say(error instanceof Error ? error.message : 'The rows could not be loaded.');
      })
      .finally(() => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#scroller.removeAttribute('aria-busy');
      });
  }

  #restart(): void {
    this.#body.replaceChildren();
    this.#shown = 0;
    this.#scroller.scrollTop = 0;
    this.#append();
  }

  #append(most = FIRST): void {
    const { rows, isComplete, isFiltered } = this.#list;
    const next = rows.slice(this.#shown, this.#shown + most);
    this.#body.append(...next.map((row) => rowOf(row, this.#drawing)));
    this.#shown += next.length;
    const isAll = isComplete && this.#shown >= rows.length;
    this.#more.hidden = isAll;
    const { count } = this.#drawing;
    const [matching, shown, total] = [rows.length, this.#shown, this.#total].map(count);
    if (isFiltered) this.#say(`${matching} of ${total} match.`);
    else this.#say(isAll && rows.length <= FIRST ? '' : `${shown} of ${total} shown.`);
  }

  #say(text: string): void {
    this.#state.replaceChildren(phrase(text));
  }
}

function rowOf({ row, payee, category, account }: ListedTransaction, drawing: Drawing): HTMLElement {
  const { dates, money } = drawing;
  const marks = (row.marks ?? []).filter((mark) => mark !== 'split').map((mark) => words[mark]);
  const notes = [...(row.flag ? [`${row.flag} flag`] : []), ...marks].join(', ');
  const noCategory = row.marks?.includes('split') ? words.split : 'No category';
  return el(
    'tr',
    {},
    el('td', { class: 'date' }, el('time', { datetime: row.date }, dates.day(row.date))),
    el(
      'th',
      { scope: 'row' },
      narrowingName('payee', payee, 'No payee', drawing),
      row.memo && el('small', {}, name(row.memo)),
      el('small', { class: 'narrow' }, name(category?.name ?? noCategory), ' · ', name(account.name)),
      notes && note(notes),
    ),
    el('td', { class: 'extra' }, narrowingName('category', category, noCategory, drawing)),
    el('td', { class: 'extra' }, name(account.name)),
    amountCell(money(row.amount), row.amount > 0 ? 'good' : ''),
  );
}

/** A name that asks for the same with one more condition, or `missing`. */
function narrowingName(
  argument: 'payee' | 'category',
  named: ListedTransaction['payee'],
  missing: string,
  { ask, question: { tool, args: all } }: Drawing,
): HTMLElement {
  if (!named) return el('span', { class: 'quiet' }, missing);
  const { cursor: _, limit: __, ...args } = all;
  const narrow =
    ask && args[argument] === undefined
      ? () => ask({ tool, args: { ...args, [argument]: named.id } })
      : undefined;
  return rowName(named.name, `${argument} ${named.id}`, narrow);
}
