/** The common part of the three formats: lines, their ends, and the objects in them. */
import { isJsonObject, type JsonObject } from '../platform/json.ts';

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
