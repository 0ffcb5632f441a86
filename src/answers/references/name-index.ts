/**
 * The names of one kind of thing, to find them as they are written, or ignoring case, spaces, accents, emoji and whether
 * "and" is written as `&`. Pure.
 */
import { fold } from '../../base/fold.ts';

export interface NamedThing {
  readonly id: string;
  readonly name: string;
  /** The name of its group. `Group: Name` also names it. */
  readonly group?: string | undefined;
  /** False for what the user has put away, such as a closed account. Only its exact name finds it. */
  readonly isListed: boolean;
}

export class NameIndex {
  readonly #exact = new Map<string, Set<string>>();
  readonly #loose = new Map<string, Set<string>>();
  /** All things, also those that are not listed. */
  readonly #keys: { readonly id: string; readonly key: string; readonly groupKey: string }[] = [];

  constructor(things: readonly NamedThing[]) {
    for (const { id, name, group, isListed } of things) {
      const [key, groupKey] = [looseKey(name), looseKey(group ?? '')];
      this.#keys.push({ id, key, groupKey });
      add(this.#exact, name, id);
      if (group !== undefined) add(this.#exact, `${group}: ${name}`, id);
      // A name of emoji only has no letters to compare.
      if (!isListed || key === '') continue;
      add(this.#loose, key, id);
      if (groupKey !== '') add(this.#loose, `${groupKey}:${key}`, id);
    }
  }

  /** The ids of the things with this name. If there are none, of those whose name differs only as described above. */
  find(text: string): ReadonlySet<string> {
    return this.#exact.get(text) ?? this.#loose.get(looseKey(text)) ?? NONE;
  }

  /** The ids of the things whose names are most similar, most similar first. */
  nearest(text: string, count: number): string[] {
    const similarity = similarityTo(looseKey(text));
    return this.#keys
      .map(({ id, key, groupKey }) => ({
        id,
        similarity: Math.max(similarity(key), groupKey === '' ? 0 : similarity(`${groupKey}:${key}`)),
      }))
      .toSorted((a, b) => b.similarity - a.similarity)
      .slice(0, count)
      .map(({ id }) => id);
  }
}

const NONE: ReadonlySet<string> = new Set();

function add(map: Map<string, Set<string>>, key: string, id: string): void {
  const ids = map.get(key);
  if (ids) ids.add(id);
  else map.set(key, new Set([id]));
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
