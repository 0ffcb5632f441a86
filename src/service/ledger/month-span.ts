/**
 * The current date and the months of a budget. The months have no gap, and their number never decreases, unless a
 * commit is undone.
 */
import { addMonths, monthOf, monthRange } from './calendar.ts';
import type { UndoLog } from './undo-log.ts';

interface Span {
  readonly today: string;
  readonly first: string;
  readonly last: string;
}

export class MonthSpan {
  readonly #undoLog: UndoLog;
  #span: Span;

  constructor(today: string, undoLog: UndoLog) {
    this.#undoLog = undoLog;
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

  /** Returns true if a new month has begun. */
  setToday(today: string): boolean {
    const before = this.current;
    this.#setSpan({ ...this.#span, today });
    return before !== this.current;
  }

  /** Extends the span to a month. Returns the earliest month that was added, or undefined if none was. */
  extendTo(month: string): string | undefined {
    const { first, last } = this.#span;
    const added =
      month < first ? monthRange(month, addMonths(first, -1)) : monthRange(addMonths(last, 1), month);
    if (added.length > 0) {
      this.#setSpan({
        ...this.#span,
        first: month < first ? month : first,
        last: month > last ? month : last,
      });
    }
    return added[0];
  }

  #setSpan(span: Span): void {
    const before = this.#span;
    this.#span = span;
    this.#undoLog.record(() => {
      this.#span = before;
    });
  }
}
