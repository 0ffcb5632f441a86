/**
 * Parses a large JSON text in many short steps, with the same result as `JSON.parse`. Each outermost list is divided between
 * its elements, and the parts are parsed one by one. What remains is the outline: the text with a number in place of the
 * elements of each outermost list. It is parsed last, and then gets the lists.
 *
 * The text is valid if and only if the outline and all parts are. A single value outside all lists, and a single element of
 * a list, are parsed in one step, however large they are.
 */
import { isJsonObject, parseJson } from './json.ts';

export interface PartOptions {
  /** The text of some of the bytes, which begin and end outside of strings. */
  readonly textOf: (bytes: Buffer) => string;
  /** A part ends with the first element that makes it this long or longer. */
  readonly partBytes: number;
}

/** Yields after each part. Undefined if the text is not JSON. */
export function* parseJsonInParts(
  bytes: Buffer,
  { textOf, partBytes }: PartOptions,
): Generator<void, unknown> {
  const parsePart = (from: number, to: number): readonly unknown[] | undefined => {
    const rows = parseJson(`[${textOf(bytes.subarray(from, to))}]`);
    return Array.isArray(rows) ? rows : undefined;
  };
  const lists: unknown[][] = [];
  let outline = '';
  let from = 0;
  while (true) {
    const opening = nextBracket(bytes, from);
    outline += textOf(bytes.subarray(from, opening + 1));
    if (opening === bytes.length) break;
    outline += String(lists.length);
    const list: unknown[] = [];
    lists.push(list);
    from = opening + 1;
    for (let isFirst = true, isLast = false; !isLast; isFirst = false) {
      let end = likelyEnd(bytes, from, partBytes);
      let rows = end === undefined ? undefined : parsePart(from, end);
      if (end === undefined || rows === undefined) {
        end = certainEnd(bytes, from, partBytes);
        rows = parsePart(from, end);
      }
      isLast = bytes[end] !== COMMA;
      // A comma needs an element on both sides.
      if (!rows || (rows.length === 0 && !(isFirst && isLast))) return undefined;
      for (const row of rows) list.push(row);
      from = isLast ? end : end + 1;
      yield;
    }
  }
  const value = parseJson(outline);
  fillLists(value, lists);
  return value;
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The position of the next opening bracket outside of strings, or the end of the text. */
function nextBracket(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== OPENING_BRACKET)
    at = bytes[at] === QUOTE ? afterString(bytes, at) : at + 1;
  return Math.min(at, bytes.length);
}

/** How far the end of a part is searched by its look. */
const MAX_SEARCHED = 16_384;

/**
 * The position of a comma that probably separates two elements, because the same name follows as at the beginning of the
 * part. This is many times faster than looking at each byte. If the text up to it is valid, the comma is a separator:
 * within a string or an element, what has begun before would not be complete. Undefined if there is none.
 */
function likelyEnd(bytes: Buffer, from: number, partBytes: number): number | undefined {
  if (bytes[from] !== OPENING_BRACE) return undefined;
  const start = bytes.subarray(from, from + 100);
  const separator = Buffer.concat([Buffer.from('},'), start.subarray(0, start.indexOf(COLON) + 1)]);
  const searchedFrom = from + partBytes;
  const found = bytes.subarray(searchedFrom, searchedFrom + MAX_SEARCHED).indexOf(separator);
  return found === -1 ? undefined : searchedFrom + found + 1;
}

/** The position of the comma after the part, or of the bracket that ends the list. The end of the text if it is not valid. */
function certainEnd(bytes: Buffer, from: number, partBytes: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = afterString(bytes, at);
      continue;
    }
    if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth += 1;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (byte === COMMA && depth === 0 && at - from >= partBytes) return at;
    at += 1;
  }
  return bytes.length;
}

function afterString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** Every array of the outline has one element, the position of its list. Not recursive, because of deep nesting. */
function fillLists(outline: unknown, lists: readonly (readonly unknown[])[]): void {
  const values = [outline];
  for (const value of values) {
    if (isJsonObject(value)) values.push(...Object.values(value));
    if (!Array.isArray(value)) continue;
    const list = lists[Number(value.pop())] ?? [];
    for (const row of list) value.push(row);
  }
}
