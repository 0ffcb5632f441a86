/**
 * A list of transactions in order. A change is recorded in constant time and applied when the rows are next read.
 * Applying copies the rows once for any number of changes, so returned arrays never change.
 */
interface Row {
  readonly id: string;
  readonly date: string;
}

/** By date, latest first, and by id within a day. The order of two rows does not depend on other rows. */
export function compareNewestFirst(a: Row, b: Row): number {
  if (a.date !== b.date) return a.date < b.date ? 1 : -1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

interface Replacement<R> {
  readonly before: R | undefined;
  readonly after: R | undefined;
}

export class NewestFirstList<R extends Row> {
  #rows: readonly R[];
  #size: number;
  readonly #pending = new Map<string, Replacement<R>>();

  /** `rows` must be in order. */
  constructor(rows: readonly R[] = []) {
    this.#rows = rows;
    this.#size = rows.length;
  }

  get size(): number {
    return this.#size;
  }

  get rows(): readonly R[] {
    if (this.#pending.size > 0) {
      this.#rows = applyReplacements(this.#rows, [...this.#pending.values()]);
      this.#pending.clear();
    }
    return this.#rows;
  }

  /** The rows from one date to another, both included. Undefined means no limit. */
  between(since: string | undefined, until: string | undefined): readonly R[] {
    const { rows } = this;
    if (since === undefined && until === undefined) return rows;
    return rows.slice(
      until === undefined ? 0 : firstIndexWhere(rows, ({ date }) => date <= until),
      since === undefined ? rows.length : firstIndexBefore(rows, since),
    );
  }

  /** The rows of the month that begins on `month`. */
  within(month: string): readonly R[] {
    const { rows } = this;
    // The 32nd is after every day of the month in text order.
    return rows.slice(firstIndexBefore(rows, `${month.slice(0, 7)}-32`), firstIndexBefore(rows, month));
  }

  /** Replaces `before`, which must be in the list, with `after`. Undefined means no row. */
  replace(id: string, before: R | undefined, after: R | undefined): void {
    this.#size += (after ? 1 : 0) - (before ? 1 : 0);
    const recorded = this.#pending.get(id);
    this.#pending.set(id, { before: recorded ? recorded.before : before, after });
  }
}

/** Applies all replacements in one pass. The rows between two replacements are copied at once. */
function applyReplacements<R extends Row>(rows: readonly R[], replacements: readonly Replacement<R>[]): R[] {
  const removedAt = replacements.flatMap(({ before }) => before ?? []).map((row) => indexOfRow(rows, row));
  const added = replacements
    .flatMap(({ after }) => after ?? [])
    .sort(compareNewestFirst)
    .map((row) => ({ place: indexOfRow(rows, row), row }));
  const edits = [...added, ...removedAt.map((index) => ({ place: index, row: undefined }))];
  const pieces: R[][] = [];
  let from = 0;
  for (const { place: index, row } of edits.sort((a, b) => a.place - b.place)) {
    pieces.push(rows.slice(from, index));
    if (row) pieces.push([row]);
    from = row ? index : index + 1;
  }
  pieces.push(rows.slice(from));
  return joined(pieces);
}

/** A call with more arguments would overflow the stack. */
const MAX_ARGUMENTS = 1_000;

/** `concat` copies arrays as a whole, unlike `flat`. */
function joined<R>(pieces: readonly (readonly R[])[]): R[] {
  let rows: R[] = [];
  for (let from = 0; from < pieces.length; from += MAX_ARGUMENTS)
    rows = rows.concat(...pieces.slice(from, from + MAX_ARGUMENTS));
  return rows;
}

const indexOfRow = <R extends Row>(rows: readonly R[], row: R) =>
  firstIndexWhere(rows, (candidate) => compareNewestFirst(candidate, row) >= 0);

const firstIndexBefore = (rows: readonly Row[], date: string) =>
  firstIndexWhere(rows, (candidate) => candidate.date < date);

/** The first index from which `isThere` is true, by binary search. */
function firstIndexWhere<R>(rows: readonly R[], isAfter: (row: R) => boolean): number {
  let from = 0;
  let to = rows.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const row = rows[middle];
    if (row !== undefined && isAfter(row)) to = middle;
    else from = middle + 1;
  }
  return from;
}
