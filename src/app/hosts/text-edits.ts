/** The common part of the three formats: lines, their ends, the objects in them, and how a person sees a change. */
import { isJsonObject, type JsonObject } from '../../base/json.ts';

/** How one format of configuration files is changed. All functions throw for a text that is not of the format. */
export interface ConfigFormat {
  parse(text: string): unknown;
  /** Writes `entry` as `name` at `keys`, in the place of one that is there. Everything else stays as it is. */
  set(text: string, keys: readonly string[], name: string, entry: JsonObject): string;
  remove(text: string, keys: readonly string[], name: string): string;
}

/** The text cannot be changed without changing more than the entry. The message completes "the file". */
export class CannotEdit extends Error {}

export const lineEndOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** Ends the last line, if there is one. */
export const withLineEnd = (text: string): string =>
  text === '' || text.endsWith('\n') ? text : text + lineEndOf(text);

/** Each line with its end. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The object at `keys`. Undefined if there is none. Throws if something else is there. */
export function objectAt(value: unknown, keys: readonly string[]): JsonObject | undefined {
  let at = value;
  for (const key of ['', ...keys]) {
    if (key !== '') at = isJsonObject(at) ? at[key] : undefined;
    if (at === undefined || at === null) return undefined;
    if (!isJsonObject(at)) throw new CannotEdit(`has no object at ${keys.join('.')}`);
  }
  return isJsonObject(at) ? at : undefined;
}

/** An object with the entry at the end of the path. */
export const nested = (path: readonly string[], entry: JsonObject): JsonObject =>
  path.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), entry);

const MAX_CHARACTERS = 160;

/** The lines that a change of a file removes and adds, for a person who has to agree to it. */
export function previewOf(before: string, after: string): string {
  const [old, made] = [linesOf(before), linesOf(after)];
  let same = 0;
  while (same < Math.min(old.length, made.length) && old[same] === made[same]) same += 1;
  let end = 0;
  while (
    end < Math.min(old.length, made.length) - same &&
    old[old.length - 1 - end] === made[made.length - 1 - end]
  )
    end += 1;
  const removed = old.slice(same, old.length - end).map((line) => `- ${shown(line)}\n`);
  const added = made.slice(same, made.length - end).map((line) => `+ ${shown(line)}\n`);
  return `@@ line ${same + 1} @@\n${[...removed, ...added].join('')}`;
}

/** The entry of this server may carry a token that a person has written there. */
const SECRET = /((?:token|secret|password|key)["']?\s*[:=]\s*["']?|bearer (?![{$]))[^"',}\s]+/gi;

/** Signs that would move the cursor, or change the direction of a text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A line may be the whole of a file, with what other servers keep in it. */
function shown(line: string): string {
  const text = line
    .replace(/[\r\n]+$/, '')
    .replaceAll('\t', '  ')
    .replaceAll(INVISIBLE, '?');
  const masked = text.replaceAll(SECRET, '$1…');
  return masked.length > MAX_CHARACTERS ? `${masked.slice(0, 40)}… (a line of ${text.length} signs)` : masked;
}
