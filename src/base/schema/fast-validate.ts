/**
 * Parses values from JSON as zod does, but much faster: zod takes longer for a large budget than parsing its JSON does. A value is
 * returned itself if parsing would not change it. Objects with unknown fields are copied without them. Services since 1.82
 * send every amount outside the export in two more forms, which are such fields. Schemas of kinds that outputs are not made
 * of, and those that check more than types, are left to zod.
 */

import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';
import { meanings } from './meaning.ts';
import { hasDefault, isInteger, isNullable, isOptional, isPlain, shapeOf } from './walk.ts';

type Schema = z.core.$ZodType;

/** Undefined if the schema refuses the value. */
type Parsed<Of extends Schema> = { readonly data: z.output<Of> } | undefined;

export const fastParse = <Of extends Schema>(schema: Of, value: unknown): Parsed<Of> =>
  resultOf<Of>(parserOf(schema)(value));

export const resultOf = <Of extends Schema>(data: unknown): Parsed<Of> =>
  isParsed<Of>(data) ? { data } : undefined;

const isParsed = <Of extends Schema>(data: unknown): data is z.output<Of> => data !== INVALID;

/** The schema refuses the value. */
export const INVALID = Symbol('invalid');

/** Returns the value itself, a changed copy, or `INVALID`. */
type Parser = (value: unknown) => unknown;

const parserIf =
  (isValid: (value: unknown) => boolean): Parser =>
  (value) =>
    isValid(value) ? value : INVALID;

/** The parser of each schema, created when it is first used. */
const parsers = new WeakMap<Schema, Parser>();

export function parserOf(schema: Schema): Parser {
  const known = parsers.get(schema);
  if (known) return known;
  const parser = withMeaning(schema, (isPlain(schema) && parserOfKind(schema)) || zodParser(schema));
  parsers.set(schema, parser);
  return parser;
}

function withMeaning(schema: Schema, parse: Parser): Parser {
  const { isValid, isParsed } = meanings.get(schema) ?? {};
  if (isParsed) return (value) => (isParsed(value) ? value : parse(value));
  return isValid ? parserIf(isValid) : parse;
}

function zodParser(schema: Schema): Parser {
  return (value) => {
    const { success, data } = z.safeParse(schema, value);
    return success ? data : INVALID;
  };
}

function parserOfKind(schema: Schema): Parser | undefined {
  if (isNullable(schema)) {
    const parse = parserOf(schema.unwrap());
    return (value) => (value === null ? value : parse(value));
  }
  if (isOptional(schema) || hasDefault(schema)) {
    const parse = parserOf(schema.unwrap());
    return (value) => (value === undefined ? z.parse(schema, value) : parse(value));
  }
  const { type, fields, values, schema: inner } = shapeOf(schema);
  if (inner !== schema) return undefined;
  if (type === 'object') return objectParser(fields);
  if (type === 'list' && values) return arrayParser(parserOf(values));
  if (type === 'record' && values) return recordParser(schema, parserOf(values));
  if (type === 'text') return parserIf((value) => typeof value === 'string');
  if (type === 'flag') return parserIf((value) => typeof value === 'boolean');
  return type === 'number' && isInteger(schema) ? parserIf(Number.isSafeInteger) : undefined;
}

function recordParser(schema: Schema, parse: Parser): Parser {
  const parseOther = zodParser(schema);
  return (value) => {
    // zod reads the prototype under this name instead of the value.
    const isSame =
      isJsonObject(value) &&
      !Object.hasOwn(value, '__proto__') &&
      Object.values(value).every((inner) => parse(inner) === inner);
    return isSame ? value : parseOther(value);
  };
}

function arrayParser(parse: Parser): Parser {
  return (value) => {
    if (!Array.isArray(value)) return INVALID;
    let copy: unknown[] | undefined;
    for (const [at, element] of value.entries()) {
      const parsed = parse(element);
      if (parsed === INVALID) return INVALID;
      if (parsed !== element) copy ??= value.slice(0, at);
      copy?.push(parsed);
    }
    return copy ?? value;
  };
}

/** The order of fields does not matter. V8 is fastest with `for in`, and there may be two million fields. */
function objectParser(shape: Readonly<Record<string, Schema>>): Parser {
  const fields = new Map(Object.entries(shape).map(([name, schema]) => [name, parserOf(schema)]));
  return (value) => {
    if (!isJsonObject(value)) return INVALID;
    let found = 0;
    let hasUnknown = false;
    let changed: Map<string, unknown> | undefined;
    for (const name in value) {
      const parse = fields.get(name);
      if (!parse) {
        hasUnknown = true;
        continue;
      }
      const field = value[name];
      const parsed = parse(field);
      if (parsed === INVALID) return INVALID;
      if (parsed !== field) changed = (changed ?? new Map()).set(name, parsed);
      found += 1;
    }
    if (found < fields.size)
      for (const [name, parse] of fields) {
        if (Object.hasOwn(value, name)) continue;
        const missing = parse(undefined);
        if (missing === INVALID) return INVALID;
        if (missing !== undefined) changed = (changed ?? new Map()).set(name, missing);
      }
    return hasUnknown || changed ? copyOf(value, fields.keys(), changed) : value;
  };
}

/** Copies field by field, which is faster than removing fields. */
function copyOf(
  value: JsonObject,
  names: Iterable<string>,
  changed: ReadonlyMap<string, unknown> | undefined,
): JsonObject {
  const copy: Record<string, unknown> = {};
  for (const name of names)
    if (changed?.has(name)) copy[name] = changed.get(name);
    else if (Object.hasOwn(value, name)) copy[name] = value[name];
  return copy;
}

/** Undefined if there is none. zod would collect a problem for each of a million wrong elements. */
export function firstProblem(schema: Schema, value: unknown): z.core.$ZodIssue | undefined {
  for (const [name, part, inner] of partsOf(schema, value)) {
    if (parserOf(part)(inner) !== INVALID) continue;
    const problem = firstProblem(part, inner);
    return problem && { ...problem, path: [name, ...problem.path] };
  }
  const problem = z.safeParse(schema, value).error?.issues[0];
  if (problem || parserOf(schema)(value) !== INVALID) return problem;
  return { code: 'custom', path: [], input: value, message: 'Invalid input: expected a day' };
}

/** The elements of a list, or the fields of an object. */
function* partsOf(
  schema: Schema,
  value: unknown,
): Iterable<readonly [name: PropertyKey, part: Schema, value: unknown]> {
  const { type, fields, values } = shapeOf(schema);
  if (type === 'list' && values && Array.isArray(value))
    for (const [at, element] of value.entries()) yield [at, values, element];
  if (type === 'object' && isJsonObject(value))
    for (const [name, field] of Object.entries(fields)) yield [name, field, value[name]];
}
