/**
 * Parses a large JSON text in many short steps, with the same result as `JSON.parse`. Objects that follow each other in a list
 * are cut out in parts, which are parsed one by one. What remains is the outline: the text with a placeholder for each part.
 * It is parsed last, and then gets the parts.
 *
 * Where to cut is a guess. A part that can be parsed as a list has whole elements, and if its placeholder is found in a list
 * of the outline, the part is in that list. If a guess was wrong, the whole text is parsed at once.
 */
import { isJsonObject, parseJson } from './json.ts';

export interface PartOptions {
  /** The text of some of the bytes, which begin and end outside of strings, or of a part in brackets. */
  readonly textOf: (bytes: Buffer) => string;
  /** A part is at least this long, and rarely much longer. */
  readonly partBytes: number;
  /** As `parseJson`, for a part as a list, and for what is not cut. */
  readonly parse?: (json: string) => unknown;
}

type Rows = readonly unknown[];

/** Yields after some parts. Undefined if the text is not JSON. */
export function* parseJsonInParts(
  bytes: Buffer,
  { textOf, partBytes, parse = parseJson }: PartOptions,
): Generator<void, unknown> {
  const parts: Rows[] = [];
  const outline: Buffer[] = [];
  let from = 0;
  let failures = 0;
  // For a part between brackets. Brackets around its text would make V8 copy that text before it is parsed.
  const list = Buffer.alloc((MAX_TRIES + 1) * partBytes + 2, '[');
  for (let at = 0; at < bytes.length; ) {
    const separator = separatorIn(bytes, at);
    if (!separator) {
      at += SEARCHED_BYTES;
      continue;
    }
    const start = separator.at + separator.bytes.lastIndexOf('{');
    const part = partAt(start, separator.bytes);
    if ((parts.length + failures) % PARTS_IN_STEP === 0) yield;
    if (!part) {
      // The next separator may be that of another list. If a part cannot begin there either, this one is left in the outline.
      failures += 1;
      at = start + (failures % 2 === 0 ? partBytes : 0);
      continue;
    }
    outline.push(bytes.subarray(from, start), Buffer.from(`{"${PLACE}":${parts.length}}`));
    parts.push(part.rows);
    from = part.end;
    at = from - 1;
  }
  outline.push(bytes.subarray(from));
  const value = parse(textOf(Buffer.concat(outline)));
  return fill(value, parts) ? value : parse(textOf(bytes));

  /** Ends before one of the next separators. With another one, the part would end within an element. */
  function partAt(start: number, separator: Buffer): { rows: Rows; end: number } | undefined {
    let end = start + partBytes;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const found = bytes.subarray(end, end + partBytes).indexOf(separator);
      if (found === -1) return undefined;
      end += found + 1;
      const length = 1 + bytes.copy(list, 1, start, end) + list.write(']', 1 + end - start);
      const rows = parse(textOf(list.subarray(0, length)));
      if (Array.isArray(rows)) return { rows, end };
    }
    return undefined;
  }
}

/** A turn of the event loop takes longer than parsing one part. */
const PARTS_IN_STEP = 8;
const MAX_TRIES = 4;
const SEARCHED_BYTES = 512;

/** The end of an object, and the beginning of the next one with its first name. */
const SEPARATOR = /\}\s*,\s*\{\s*"[^"]*"/;

/** The first separator in some of the next bytes. */
function separatorIn(bytes: Buffer, from: number): { at: number; bytes: Buffer } | undefined {
  const match = SEPARATOR.exec(bytes.toString('latin1', from, from + SEARCHED_BYTES));
  return match ? { at: from + match.index, bytes: Buffer.from(match[0], 'latin1') } : undefined;
}

/** The name of the only field of a placeholder, which has the number of the part. */
const PLACE = 'budget-mcp part';

/** Puts the parts into the lists of the outline. Returns whether all are there. Not recursive, because of deep nesting. */
function fill(outline: unknown, parts: readonly Rows[]): boolean {
  const values = [outline];
  let found = 0;
  for (const value of values) {
    if (isJsonObject(value)) for (const each of Object.values(value)) values.push(each);
    if (!Array.isArray(value)) continue;
    for (const element of value.splice(0)) {
      const part = isJsonObject(element) ? parts[Number(element[PLACE])] : undefined;
      for (const row of part ?? [element]) value.push(row);
      if (part) found += 1;
      else values.push(element);
    }
  }
  return found === parts.length;
}
