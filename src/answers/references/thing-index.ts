/** The things of one kind, found by their ids or by their names. Pure. */
import { distance } from 'fastest-levenshtein';
import { fold } from '../../base/fold.ts';
import { decodeHtml } from '../../base/html-text.ts';

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
   * built faster than a sorted list or a map, which matters for 100,000 transactions that change often.
   */
  readonly #last: Int32Array;
  readonly #previous: Int32Array;
  readonly #groupBits: number;

  constructor(ids: readonly string[]) {
    this.#ids = ids;
    this.#groupBits = Math.ceil(Math.log2(ids.length + 2));
    this.#last = new Int32Array(2 ** this.#groupBits).fill(NO_POSITION);
    this.#previous = new Int32Array(ids.length);
    let at = 0;
    for (const id of ids) {
      const group = groupNumber(id, this.#groupBits);
      this.#previous[at] = this.#last[group] ?? NO_POSITION;
      this.#last[group] = at;
      at += 1;
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
  nearest(text: string): string[] {
    return this.#groupOf(text)
      .filter((id) => sharedLength(id, text) >= GROUPED_BY)
      .toSorted((a, b) => sharedLength(b, text) - sharedLength(a, text));
  }

  /** At least the ids that begin with the same four characters as a text. */
  #groupOf(text: string): string[] {
    const group: string[] = [];
    let at = this.#last[groupNumber(text, this.#groupBits)] ?? NO_POSITION;
    while (at !== NO_POSITION) {
      group.push(this.#ids[at] ?? '');
      at = this.#previous[at] ?? NO_POSITION;
    }
    return group.reverse();
  }
}

const NO_POSITION = -1;

/** A number of so many bits, equal for texts that begin alike. Other texts may have the same number. */
function groupNumber(text: string, bits: number): number {
  let start = 0;
  for (let at = 0; at < GROUPED_BY; at += 1) start = start * 128 + (text.charCodeAt(at) & 127);
  // Fibonacci hashing: the upper bits of the product depend on all of `start`.
  return Math.imul(start, 0x9e3779b1) >>> (32 - bits);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

export interface NamedThing {
  readonly id: string;
  readonly name: string;
  /** The name of its group. `Group: Name` also names it. */
  readonly group?: string | undefined;
  /**
   * False for what the user has put away, such as a closed account. Only its exact name finds it, unless something that is listed
   * has that name, or one that differs from it by case, spaces, accents or emoji only.
   */
  readonly isListed: boolean;
}

export interface ThingsOfKind {
  /** The arrays that the rest is made from. While they are the same, the rest is too. */
  readonly rows: readonly (readonly unknown[])[];
  ids(): readonly string[];
  /** Empty for things without names. */
  named(): readonly NamedThing[];
  nameOf(id: string): string | undefined;
  /** How a message names a thing, and what distinguishes it from others of that name. Empty if there is no such thing. */
  describe(id: string): readonly Description[];
}

export interface Description {
  readonly name: string;
  readonly distinctions: readonly (string | false | undefined)[];
}

interface NameKeys extends Pick<NamedThing, 'id' | 'name'> {
  readonly keys: readonly string[];
}

/**
 * The names of one kind of thing, to find them as they are written, or ignoring case, spaces, accents, emoji and whether
 * "and" is written as `&`.
 */
export class NameIndex {
  // Most names have one thing, for which a set would take five times the memory of a list.
  readonly #exact = new Map<string, string[]>();
  readonly #exactUnlisted = new Map<string, string[]>();
  readonly #loose = new Map<string, string[]>();
  /** All things, also those that are not listed. */
  readonly #all: NameKeys[] = [];
  readonly #listed: NameKeys[] = [];

  constructor(things: readonly NamedThing[]) {
    for (const { id, name, group, isListed } of things) {
      const exact = isListed ? this.#exact : this.#exactUnlisted;
      add(exact, name, id);
      if (group !== undefined) add(exact, `${group}: ${name}`, id);
      const [key, groupKey] = [looseKey(name), looseKey(group ?? '')];
      const keys = groupKey === '' ? [key] : [key, `${groupKey}:${key}`];
      const named = { id, name, keys };
      this.#all.push(named);
      if (isListed) this.#listed.push(named);
      // A name of emoji only has no letters to compare.
      if (isListed && key !== '') for (const each of keys) add(this.#loose, each, id);
    }
  }

  /**
   * The ids of the things with this name: of those that are listed, or else of those whose name differs only as described above.
   * If there are none, of the others with this name.
   */
  find(text: string): readonly string[] {
    const names = [text, decodeHtml(text)];
    const exactIn = (index: ReadonlyMap<string, string[]>) =>
      names.map((name) => index.get(name)).find(Boolean);
    return exactIn(this.#exact) ?? this.#alike(text) ?? exactIn(this.#exactUnlisted) ?? [];
  }

  #alike(text: string): readonly string[] | undefined {
    return this.#loose.get(looseKey(decodeHtml(text)));
  }

  /** The ids of all listed things that a question may mean by a name: names differ only as described above. */
  findAlike(text: string): readonly string[] {
    return this.#alike(text) ?? this.find(text);
  }

  /**
   * The ids of the listed things with the one name that is at most two letters from the text, if those with another name are more
   * than three letters from it. Digits are no typing errors: `Visa 1` is not `Visa 2`.
   */
  findMistyped(text: string): readonly string[] {
    const wanted = looseKey(decodeHtml(text));
    if (wanted.length < MIN_MISTYPED) return [];
    const near = [...this.#loose]
      .filter(([key]) => Math.abs(key.length - wanted.length) <= CLEARLY_OTHER)
      .map(([key, ids]) => ({ key, ids, letters: distance(key, wanted) }))
      .filter(({ letters }) => letters <= CLEARLY_OTHER)
      .toSorted((a, b) => a.letters - b.letters);
    const [best] = near;
    if (!best || best.letters > MISTYPED || digitsIn(best.key) !== digitsIn(wanted)) return [];
    return near.every(({ ids }) => ids.every((id) => best.ids.includes(id))) ? best.ids : [];
  }

  /** The ids of the listed things whose name has all words of the text and others. */
  findLonger(text: string): string[] {
    const wanted = looseKey(text);
    const words = wordsIn(text);
    if (words.length === 0) return [];
    return this.#listed
      .filter(({ keys: [key = ''] }) => key !== wanted && key.includes(words[0] ?? ''))
      .filter(({ name }) => {
        const has = wordsIn(name);
        return words.every((word) => has.includes(word));
      })
      .map(({ id }) => id);
  }

  /** The ids of the things whose names are similar to a text, the most similar first. */
  nearest(text: string): string[] {
    const similarity = similarityTo(looseKey(text));
    return this.#all
      .map(({ id, keys }) => ({ id, similarity: Math.max(...keys.map(similarity)) }))
      .filter(({ similarity }) => similarity >= SIMILAR)
      .toSorted((a, b) => b.similarity - a.similarity)
      .map(({ id }) => id);
  }
}

/** The most letters by which a name may be mistyped, and within which no other name may be. */
const MISTYPED = 2;
const CLEARLY_OTHER = 3;
/** A word of three letters is near many others. */
const MIN_MISTYPED = 4;

const digitsIn = (key: string) => key.replace(/\P{N}/gu, '');
const wordsIn = (name: string): readonly string[] => fold(name).match(/[\p{L}\p{N}]+/gu) ?? [];

function add(map: Map<string, string[]>, key: string, id: string): void {
  const ids = map.get(key);
  if (ids) ids.push(id);
  else map.set(key, [id]);
}

/** Removed before the text is decomposed, because some emoji decompose to letters. */
const emojiAndSpaces =
  /[0-9#*]\ufe0f?\u20e3|[\s\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

/** People say and dictate `and` for `&`. */
const and = /(?<=\s)(?:and|et|und)(?=\s)/giu;

/** Equal for names that differ in case, spaces, accents, emoji and the form of "and" only. Empty if nothing else is left. */
function looseKey(written: string): string {
  const name = written.replace(and, '&');
  // Most names, for which the pattern is slow.
  if (/^[\x20-\x7e]*$/.test(name)) return name.replaceAll(' ', '').toLowerCase();
  return fold(name.replace(emojiAndSpaces, '')).replace(/\s/gu, '');
}

/** A name is similar to a text if they have this share of their letter pairs in common. Less is near to nothing. */
const SIMILAR = 0.4;

/** Longer texts are compared by their beginning, so that a long text costs no more. */
const MAX_COMPARED = 60;

/** The share of letter pairs that a text has in common with `wanted`. More than 1 if one contains the other. */
function similarityTo(wanted: string): (text: string) => number {
  const wantedPairs = new Set(letterPairs(wanted));
  return (text) => {
    if (text === '' || wanted === '') return 0;
    const pairs = letterPairs(text);
    const common = pairs.filter((pair) => wantedPairs.has(pair)).length;
    const share = (2 * common) / (pairs.length + wantedPairs.size);
    return text.includes(wanted) || wanted.includes(text) ? 1 + share : share;
  };
}

function letterPairs(text: string): string[] {
  const padded = ` ${text.slice(0, MAX_COMPARED)} `;
  return Array.from({ length: padded.length - 1 }, (_, at) => padded.slice(at, at + 2));
}
