/**
 * Parses the arguments of a call. Hosts and converters add arguments, and fill absent ones with null or an empty text.
 * An unknown argument is ignored and mentioned, unless it looks like a misspelt one of the tool. The size of the
 * arguments is checked before the schema is applied. Otherwise the schema could report a problem for each of a million
 * elements, and all callers would have to wait. Only the first few problems are reported.
 */
import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { listProblems } from '../format/text.ts';
import type { JsonObject } from '../platform/json.ts';
import { escapeUnseen, quote } from '../platform/quote.ts';

/** Limits above what any tool needs. */
const LIMITS = { elements: 2_000, fields: 100, characters: 10_000, values: 50_000 } as const;
const MAX_MESSAGE_LENGTH = 300;
const MAX_NOTES = 5;

export interface ParsedArguments {
  readonly value: JsonObject;
  /** What was ignored, in words. */
  readonly notes: readonly string[];
}

export type ParseResult = ParsedArguments | { readonly problems: string };

/** `shape` has the arguments that `schema` takes, by name. */
export function parseArguments(schema: z.ZodType, shape: JsonObject, args: unknown): ParseResult {
  if (isTooLarge(args)) return { problems: tooLarge };
  const emptied: string[] = [];
  const given = withoutEmpty(args ?? {}, emptied);
  const { known, ignored, misspelt } = separateUnknown(given, Object.keys(shape));
  if (misspelt.length > 0) return { problems: listProblems(misspelt) };
  const parsed = schema.safeParse(known);
  if (parsed.success) {
    const value = Object.fromEntries(Object.entries(Object(parsed.data)));
    return { value, notes: notesOn(ignored, emptied) };
  }
  const problems = parsed.error.issues.map(({ path, message }) => [path.join('.'), shorten(message)]);
  return {
    problems: listProblems(problems.map((pathAndMessage) => pathAndMessage.filter(Boolean).join(': '))),
  };
}

const tooLarge = `Too much at once: a list may have ${LIMITS.elements} elements, an object ${LIMITS.fields} fields, a text ${LIMITS.characters} characters, and all of it ${LIMITS.values} values.`;

function isTooLarge(args: unknown): boolean {
  const open = [args];
  let count = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string' && value.length > LIMITS.characters) return true;
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    if (!Array.isArray(value) && Object.keys(value).some((name) => name.length > LIMITS.characters))
      return true;
    count += inner.length;
    if (inner.length > (Array.isArray(value) ? LIMITS.elements : LIMITS.fields) || count > LIMITS.values)
      return true;
    open.push(...inner);
  }
  return false;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Removes fields that are null or an empty text, which mean "not given". Adds the paths of the empty texts to `emptied`.
 * A deeper level than any tool has is left as it is, for the schema to refuse.
 */
function withoutEmpty(value: unknown, emptied: string[], path: readonly string[] = []): unknown {
  if (path.length > MAX_DEPTH) return value;
  if (Array.isArray(value))
    return value.map((item, index) => withoutEmpty(item, emptied, [...path, String(index)]));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const fieldPath = [...path, name];
    if (field === '') emptied.push(fieldPath.join('.'));
    return field === '' || field === null ? [] : [[name, withoutEmpty(field, emptied, fieldPath)]];
  });
  return Object.fromEntries(fields);
}

/** `transactions.0.subtransactions.0` is the deepest object. */
const MAX_DEPTH = 5;

/** Separates the arguments that the tool does not have. Anything but an object is left for the schema to refuse. */
function separateUnknown(args: unknown, names: readonly string[]) {
  if (!isObject(args)) return { known: args, ignored: [], misspelt: [] };
  const entries = Object.entries(args);
  const unknown = entries.map(([name]) => name).filter((name) => !names.includes(name));
  const misspelt = unknown.flatMap((name) => {
    const meant = names.find((known) => isMisspelt(name, known));
    return meant === undefined ? [] : [`there is no argument ${shorten(quote(name))}, use ${meant}`];
  });
  return {
    known: Object.fromEntries(entries.filter(([name]) => names.includes(name))),
    ignored: unknown,
    misspelt,
  };
}

/** Whether a name is `known` in other letters (`accountId`), without its ending (`account`), or with a typing error. */
function isMisspelt(name: string, known: string): boolean {
  if (name.length > 2 * known.length + 4) return false;
  const plain = lettersOf(name);
  const knownPlain = lettersOf(known);
  if (plain.length < 3) return false;
  return (
    stemOf(plain) === stemOf(knownPlain) ||
    distance(plain, knownPlain) <= Math.floor(Math.max(plain.length, knownPlain.length) / 5)
  );
}

const lettersOf = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');
const stemOf = (letters: string) => letters.replace(/(id|ids|name|date)$/, '') || letters;

function notesOn(ignored: readonly string[], emptied: readonly string[]): string[] {
  const list = (names: readonly string[]) => {
    const shown = names.slice(0, MAX_NOTES).map((name) => shorten(quote(name)));
    return [...shown, ...(names.length > MAX_NOTES ? [`and ${names.length - MAX_NOTES} more`] : [])].join(
      ', ',
    );
  };
  return [
    ...(ignored.length > 0 ? [`Ignored, since this tool has no such argument: ${list(ignored)}.`] : []),
    ...(emptied.length > 0 ? [`Ignored, since an empty text means "not given": ${list(emptied)}.`] : []),
  ];
}

/** A message of zod may contain the names of unknown arguments. */
const shorten = (message: string) =>
  escapeUnseen(message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message);
