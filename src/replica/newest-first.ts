/**
 * The order of transactions, and rows that are kept in it. A change is noted in constant time and carried out when
 * somebody asks for the rows, which are copied once for any number of changes: what was handed out never changes.
 */
interface Row {
  readonly id: string;
  readonly date: string;
}

/** By date, latest first, and by id within a day: an order that does not depend on what else is in the list. */
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

  /** `rows` are in order already. */
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

  /** Those on or after a date. */
  since(date: string): readonly R[] {
    const { rows } = this;
    return rows.slice(0, firstIndexBefore(rows, date));
  }

  /** Those of the month that begins on `month`. */
  within(month: string): readonly R[] {
    const { rows } = this;
    // No day comes after the 31st, and dates compare as text.
    return rows.slice(firstIndexBefore(rows, `${month.slice(0, 7)}-32`), firstIndexBefore(rows, month));
  }

  /** Takes `before` out, which must be there, and puts `after`, the same row as it is now, at its place. */
  replace(id: string, before: R | undefined, after: R | undefined): void {
    this.#size += (after ? 1 : 0) - (before ? 1 : 0);
    const noted = this.#pending.get(id);
    this.#pending.set(id, { before: noted ? noted.before : before, after });
  }
}

/** One pass over the rows, which copies everything between two places of change at once. */
function applyReplacements<R extends Row>(rows: readonly R[], replacements: readonly Replacement<R>[]): R[] {
  const gone = replacements.flatMap(({ before }) => before ?? []).map((row) => indexOfRow(rows, row));
  const added = replacements
    .flatMap(({ after }) => after ?? [])
    .sort(compareNewestFirst)
    .map((row) => ({ place: indexOfRow(rows, row), row }));
  const edits = [...added, ...gone.map((place) => ({ place, row: undefined }))];
  const pieces: R[][] = [];
  let from = 0;
  for (const { place, row } of edits.sort((a, b) => a.place - b.place)) {
    pieces.push(rows.slice(from, place));
    if (row) pieces.push([row]);
    from = row ? place : place + 1;
  }
  // Concatenation copies the pieces as wholes; flat() would walk every row.
  const none: R[] = [];
  return none.concat(...pieces, rows.slice(from));
}

const indexOfRow = <R extends Row>(rows: readonly R[], row: R) =>
  firstIndexWhere(rows, (each) => compareNewestFirst(each, row) >= 0);

const firstIndexBefore = (rows: readonly Row[], date: string) =>
  firstIndexWhere(rows, (each) => each.date < date);

/** The first place from which `isThere` holds on, found in a logarithmic number of steps. */
function firstIndexWhere<R>(rows: readonly R[], isThere: (row: R) => boolean): number {
  let from = 0;
  let to = rows.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const row = rows[middle];
    if (row !== undefined && isThere(row)) to = middle;
    else from = middle + 1;
  }
  return from;
}
