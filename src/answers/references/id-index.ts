/** The ids of one kind of thing, to abbreviate them and to find them by their beginning. Pure. */

/** Shorter texts are not read as the beginning of an id, because short words of the letters a to f are names. */
const MIN_LENGTH = 6;
/** Two characters more than are unique now, so that an abbreviated id stays unique when things are added. */
const MARGIN = 2;
/** Ids are grouped by so many characters. Ids of different groups differ within the minimum length and its margin. */
const GROUPED_BY = MIN_LENGTH - MARGIN;

/** `<uuid>_<YYYY-MM-DD>`: the id of a transaction that a schedule entered. Those of one schedule differ in the date only. */
const DATED = /^(.+)_(\d{4}-\d\d-\d\d)$/s;

interface IdParts {
  /** The id without its date. */
  readonly base: string;
  readonly date?: string | undefined;
}

function partsOf(id: string): IdParts {
  const [, base = id, date] = DATED.exec(id) ?? [];
  return { base, date };
}

export class IdIndex {
  readonly #ids: readonly string[];
  /**
   * The position of the last id of each group, and for each id the position of the one before it in its group. This is
   * built faster than a sorted list, which matters for 100,000 transactions that change often.
   */
  readonly #last = new Map<number, number>();
  readonly #previous: Int32Array;

  constructor(ids: readonly string[]) {
    this.#ids = ids;
    this.#previous = new Int32Array(ids.length);
    for (const [at, id] of ids.entries()) {
      const group = groupNumber(id);
      this.#previous[at] = this.#last.get(group) ?? NONE;
      this.#last.set(group, at);
    }
  }

  has(id: string): boolean {
    return this.#groupOf(id).includes(id);
  }

  /** The ids that begin with a text. If the text ends in a date, the ids have that date, and begin with the rest. */
  withPrefix(text: string): string[] {
    const { base, date } = partsOf(text);
    if (base.length < MIN_LENGTH) return [];
    return this.#groupOf(base).filter(
      (id) => id.startsWith(base) && (date === undefined || partsOf(id).date === date),
    );
  }

  /** The shortest text, with a margin, that stands for this id only. An unknown id is not abbreviated. */
  abbreviated(id: string): string {
    const group = this.#groupOf(id);
    if (!group.includes(id)) return id;
    const { base, date } = partsOf(id);
    const others = group.filter((other) => other !== id).map((other) => partsOf(other).base);
    // Without a date, nothing but the whole id distinguishes it from the ids of its schedule.
    if (date === undefined && others.includes(base)) return id;
    let shared = 0;
    for (const other of others) if (other !== base) shared = Math.max(shared, sharedLength(base, other));
    const prefix = base.slice(0, Math.max(MIN_LENGTH, shared + 1 + MARGIN));
    return date === undefined ? prefix : `${prefix}_${date}`;
  }

  /** The ids that have the most characters in common with the beginning of a text, at least four. */
  nearest(text: string, count: number): string[] {
    return this.#groupOf(text)
      .filter((id) => sharedLength(id, text) >= GROUPED_BY)
      .toSorted((a, b) => sharedLength(b, text) - sharedLength(a, text))
      .slice(0, count);
  }

  /** At least the ids that begin with the same four characters as a text. */
  #groupOf(text: string): string[] {
    const group: string[] = [];
    let at = this.#last.get(groupNumber(text)) ?? NONE;
    while (at !== NONE) {
      group.push(this.#ids[at] ?? '');
      at = this.#previous[at] ?? NONE;
    }
    return group.reverse();
  }
}

const NONE = -1;

/** Equal for texts that begin alike, as a number because those are faster keys. Other texts may have the same number. */
function groupNumber(text: string): number {
  let group = 0;
  for (let at = 0; at < GROUPED_BY; at += 1) group = group * 128 + (text.charCodeAt(at) & 127);
  return group;
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
