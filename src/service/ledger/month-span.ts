/** Today, and the months that a budget has: without a gap, and never fewer than before, unless a commit is undone. */
import { addMonths, monthOf, monthRange } from './calendar.ts';
import type { UndoLog } from './undo-log.ts';

interface Span {
  readonly today: string;
  readonly first: string;
  readonly last: string;
}

export class MonthSpan {
  readonly #journal: UndoLog;
  #span: Span;

  constructor(today: string, journal: UndoLog) {
    this.#journal = journal;
    this.#span = { today, first: monthOf(today), last: monthOf(today) };
  }

  get today(): string {
    return this.#span.today;
  }
  get current(): string {
    return monthOf(this.#span.today);
  }
  get first(): string {
    return this.#span.first;
  }
  get last(): string {
    return this.#span.last;
  }

  /** True when a month has begun since. */
  setToday(today: string): boolean {
    const before = this.current;
    this.#become({ ...this.#span, today });
    return before !== this.current;
  }

  /** Grows to a month, and returns the earliest of the months that this added; undefined if it added none. */
  growTo(month: string): string | undefined {
    const { first, last } = this.#span;
    const added =
      month < first ? monthRange(month, addMonths(first, -1)) : monthRange(addMonths(last, 1), month);
    if (added.length > 0) {
      this.#become({
        ...this.#span,
        first: month < first ? month : first,
        last: month > last ? month : last,
      });
    }
    return added[0];
  }

  #become(span: Span): void {
    const before = this.#span;
    this.#span = span;
    this.#journal.note(() => {
      this.#span = before;
    });
  }
}
