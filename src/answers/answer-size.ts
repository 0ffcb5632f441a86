/**
 * The size of an answer. A model pays for each token of it, and hosts cut or hide long answers. Tokens are estimated by
 * bytes. `Room` limits what a tool chooses to show. `cutLines` and `cutData` are for whatever is still too long then.
 */
import { isJsonObject, type JsonObject } from '../base/json.ts';

/** About 10,000 tokens of text. */
export const MAX_BYTES = 24_000;
/** About 10,000 tokens of structured content, in which names repeat. */
export const MAX_JSON_BYTES = 31_000;
/** About 2,000 tokens with the first and the last line. */
const DEFAULT_BYTES = 4_800;
/** For a call that asks for more rows than the default. The rest of `MAX_BYTES` is for notes. */
const LONG_BYTES = 22_000;
/** For the rows of structured content. The rest of `MAX_JSON_BYTES` is for its other fields. */
const JSON_BYTES = 28_500;

const uuid = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gi;
/** A UUID of 36 bytes has as many tokens as 74 bytes of other text. */
const EXTRA_BYTES_OF_UUID = 38;

const listedNumber = /[[,]-?\d/g;
/** A short number in a list has a token for each of its few bytes. */
const EXTRA_BYTES_OF_LISTED_NUMBER = 6;

/** A line of text with its line break, or JSON with the comma after it. */
export const sizeOf = (text: string): number =>
  Buffer.byteLength(text) + 1 + EXTRA_BYTES_OF_UUID * (text.match(uuid)?.length ?? 0);

/** The bytes that are left in an answer. Its rows take from them. */
export class Room {
  #text: number;
  #json: number;

  private constructor(text: number, json: number) {
    this.#text = text;
    this.#json = json;
  }

  /** With `structured`, the rows also have to fit the structured content, where they are larger. */
  static forAnswer({ structured = false } = {}): Room {
    return new Room(DEFAULT_BYTES, structured ? JSON_BYTES : Number.POSITIVE_INFINITY);
  }

  static unlimited(): Room {
    return new Room(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  }

  get isLimited(): boolean {
    return Number.isFinite(this.#text);
  }

  /** For a call that asks for a long answer. */
  extend(): void {
    this.#text += LONG_BYTES - DEFAULT_BYTES;
  }

  has(text: string, row: JsonObject): boolean {
    return !this.isLimited || (sizeOf(text) <= this.#text && this.#sizeOfJson(row) <= this.#json);
  }

  /** Takes the bytes of a row if there is room for them, or if the row is shown anyway. */
  take(text: string, row: JsonObject, isForced = false): boolean {
    const isTaken = isForced || this.has(text, row);
    if (isTaken) {
      this.#text -= sizeOf(text);
      this.#json -= this.#sizeOfJson(row);
    }
    return isTaken;
  }

  #sizeOfJson(row: JsonObject): number {
    if (!Number.isFinite(this.#json)) return 0;
    const json = JSON.stringify(row);
    return sizeOf(json) + EXTRA_BYTES_OF_LISTED_NUMBER * (json.match(listedNumber)?.length ?? 0);
  }
}

/** The first lines, if all of them are too long for an answer. The last line then says so. */
export function cutLines(lines: readonly string[]): readonly string[] {
  const single = lines.flatMap((line) => line.split('\n'));
  let left = MAX_BYTES;
  for (const [index, line] of single.entries()) {
    left -= sizeOf(line);
    if (left < 0)
      return [
        ...single.slice(0, index),
        `This answer is too long: ${single.length - index} lines were left out here.`,
      ];
  }
  return lines;
}

const MAX_CHARACTERS = 2_000;

/**
 * Structured content that fits an answer. If it is too long, all its lists are cut to the same number of entries, the
 * largest that fits. `cut` then has the true length of each list, and of each long text, by its path.
 */
export function cutData(data: JsonObject): JsonObject {
  if (fitsJson(data)) return data;
  const cutTo = (max: number): JsonObject => {
    const cut: Record<string, number> = {};
    return { ...cutLists(data, max, cut), cut };
  };
  return cutTo(largestThat(1, longestList(data), (max) => fitsJson(cutTo(max))));
}

const fitsJson = (data: JsonObject) => sizeOf(JSON.stringify(data)) <= MAX_JSON_BYTES;

/** The largest number from `from` to `to` that is good, if all up to it are. Returns `from` if none is. */
export function largestThat(from: number, to: number, isGood: (number: number) => boolean): number {
  let [good, bad] = [from, to + 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isGood(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

function longestList(value: unknown): number {
  const inner = isJsonObject(value) ? Object.values(value) : Array.isArray(value) ? value : [];
  return Math.max(Array.isArray(value) ? value.length : 0, ...inner.map(longestList));
}

/** Notes in `cut` the true lengths of what it cuts. */
function cutLists(data: JsonObject, max: number, cut: Record<string, number>): JsonObject {
  const cutValue = (value: unknown, path: string): unknown => {
    if (typeof value === 'string' && value.length > MAX_CHARACTERS) {
      cut[path] = value.length;
      return `${value.slice(0, MAX_CHARACTERS)}…`;
    }
    if (Array.isArray(value)) {
      if (value.length > max) cut[path] = value.length;
      return value.slice(0, max).map((each, index) => cutValue(each, `${path}.${index}`));
    }
    return isJsonObject(value) ? cutFields(value, `${path}.`) : value;
  };
  const cutFields = (object: JsonObject, prefix: string): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, cutValue(value, prefix + name)]));
  return cutFields(data, '');
}
