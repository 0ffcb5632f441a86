/**
 * Parses values much faster than zod, which for a large budget takes longer than parsing its JSON. A value is returned
 * itself if all fields are present that are not optional, none is unknown, and all types are right. Objects with unknown
 * fields are copied without them, as zod does. Services since 1.82 send every amount outside the export in two more forms,
 * which are such fields. It supports the kinds of schemas that outputs use. For other schemas, and for schemas that check
 * more than types, zod must parse the value. It also finds the first problem of an invalid value, because zod would
 * collect a problem for each of a million wrong elements. Long lists are parsed in short steps.
 */

import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../json.ts';
import { flag, integer, milliunits, text } from './fields.ts';
import { isTransactionSummary, transactionSummary } from './transaction.ts';

/** The value differs from the schema, or the schema is not supported. */
const UNPARSED = Symbol('unparsed');

/** `value` must come from JSON. Returns what parsing would return. Undefined if zod must decide. */
export function fastParse<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): { readonly data: z.output<Schema> } | undefined {
  const data = parserOf(schema)(value);
  return isParsed<Schema>(data) ? { data } : undefined;
}

const isParsed = <Schema extends z.core.$ZodType>(data: unknown): data is z.output<Schema> =>
  data !== UNPARSED;

/** Returns the value itself, a copy without unknown fields, or `UNPARSED`. */
type Parser = (value: unknown) => unknown;

const parserIf =
  (isValid: (value: unknown) => boolean): Parser =>
  (value) =>
    isValid(value) ? value : UNPARSED;

const safeInteger = parserIf(Number.isSafeInteger);
const never = parserIf(() => false);

/** The parser of each schema, created when it is first used. */
const parsers = new WeakMap<z.core.$ZodType, Parser>([
  [text, parserIf((value) => typeof value === 'string')],
  [flag, parserIf((value) => typeof value === 'boolean')],
  [integer, safeInteger],
  [milliunits, safeInteger],
]);

/** For most rows of an export. */
const summaryParser = objectParser(transactionSummary);
parsers.set(transactionSummary, (row) => (isTransactionSummary(row) ? row : summaryParser(row)));

function parserOf(schema: z.core.$ZodType): Parser {
  const known = parsers.get(schema);
  if (known) return known;
  const parser = schema._zod.def.checks?.length ? never : parserOfKind(schema);
  parsers.set(schema, parser);
  return parser;
}

const conforms = (schema: z.core.$ZodType, value: unknown) => parserOf(schema)(value) !== UNPARSED;

function parserOfKind(schema: z.core.$ZodType): Parser {
  if (schema instanceof z.ZodObject) return objectParser(schema);
  if (schema instanceof z.ZodArray) return arrayParser(parserOf(schema.element));
  if (schema instanceof z.ZodRecord && schema.keyType === text) {
    const parse = parserOf(schema.valueType);
    // zod reads the prototype under this name instead of the value.
    return parserIf(
      (value) =>
        isJsonObject(value) &&
        !Object.hasOwn(value, '__proto__') &&
        Object.values(value).every((inner) => parse(inner) === inner),
    );
  }
  if (schema instanceof z.ZodNullable) {
    const parse = parserOf(schema.unwrap());
    return (value) => (value === null ? value : parse(value));
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return parserOf(schema.unwrap());
  return never;
}

function arrayParser(parse: Parser): Parser {
  return (value) => {
    if (!Array.isArray(value)) return UNPARSED;
    let copy: unknown[] | undefined;
    for (const [at, element] of value.entries()) {
      const parsed = parse(element);
      if (parsed === UNPARSED) return UNPARSED;
      if (parsed !== element) copy ??= value.slice(0, at);
      copy?.push(parsed);
    }
    return copy ?? value;
  };
}

/** The order of fields does not matter. V8 is fastest with `for in`, and there may be two million fields. */
function objectParser({ shape, def: { catchall } }: z.ZodObject): Parser {
  const fields = new Map(Object.entries(shape).map(([name, schema]) => [name, parserOf(schema)]));
  const optional = Object.keys(shape).filter((name) => shape[name] instanceof z.ZodOptional);
  return (value) => {
    if (!isJsonObject(value)) return UNPARSED;
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
      if (parsed === UNPARSED) return UNPARSED;
      if (parsed !== field) changed = (changed ?? new Map()).set(name, parsed);
      found += 1;
    }
    if (hasUnknown && catchall) return UNPARSED;
    const isComplete =
      found === fields.size ||
      found + optional.filter((name) => !Object.hasOwn(value, name)).length === fields.size;
    if (!isComplete) return UNPARSED;
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
    if (Object.hasOwn(value, name)) copy[name] = changed?.has(name) ? changed.get(name) : value[name];
  return copy;
}

export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The first problem. Undefined if the schema accepts the value, also if parsing would change it. */
export function firstProblem(schema: z.core.$ZodType, value: unknown): Problem | undefined {
  if (schema instanceof z.ZodNullable && value !== null) return firstProblem(schema.unwrap(), value);
  if ((schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) && value !== undefined)
    return firstProblem(schema.unwrap(), value);
  const parts = partsOf(schema, value);
  if (parts === undefined) {
    if (conforms(schema, value)) return undefined;
    const [issue] = z.safeParse(schema, value).error?.issues ?? [];
    return issue;
  }
  for (const [name, part, inner] of parts) {
    const problem = firstProblem(part, inner);
    if (problem) return { ...problem, path: [name, ...problem.path] };
  }
  return undefined;
}

type Part = readonly [name: PropertyKey, schema: z.core.$ZodType, value: unknown];

/** Undefined if the value has no parts, has the wrong type, or the schema also checks the value as a whole. */
function partsOf(schema: z.core.$ZodType, value: unknown): Iterable<Part> | undefined {
  if (schema._zod.def.checks?.length) return undefined;
  if (schema instanceof z.ZodArray && Array.isArray(value)) return elementsOf(schema.element, value);
  if (!isJsonObject(value)) return undefined;
  if (schema instanceof z.ZodObject) return fieldsOf(schema.shape, value);
  return schema instanceof z.ZodRecord ? entriesOf(schema.valueType, value) : undefined;
}

/** Omits the elements that conform, which is much faster than searching each of them for problems. */
function* elementsOf(schema: z.core.$ZodType, list: readonly unknown[]): Iterable<Part> {
  const parse = parserOf(schema);
  for (const [at, value] of list.entries()) if (parse(value) === UNPARSED) yield [at, schema, value];
}

function* fieldsOf(shape: z.core.$ZodShape, fields: JsonObject): Iterable<Part> {
  for (const [name, schema] of Object.entries(shape)) yield [name, schema, fields[name]];
}

function* entriesOf(schema: z.core.$ZodType, fields: JsonObject): Iterable<Part> {
  // zod reads the prototype under this name instead of the value.
  for (const name in fields) if (name !== '__proto__') yield [name, schema, fields[name]];
}

/**
 * Parses the long lists of a response in short steps. They are taken out of their response, so that what remains is parsed at
 * once, and are added to the result. A list with a wrong element is not taken out: parsing then finds the problem. `parseRest` gets the value with an empty list in place of each long one. Yields after each step.
 */
export function* parseInSteps<Data>(
  schema: z.core.$ZodType,
  value: unknown,
  rowsInStep: number,
  parseRest: (rest: unknown) => Data,
): Generator<void, Data> {
  const lists: { readonly path: readonly string[]; readonly rows: readonly unknown[] }[] = [];
  const data = parseRest(yield* withoutLists(schema, value, []));
  for (const { path, rows } of lists) {
    const list = path.reduce<unknown>((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), data);
    if (Array.isArray(list)) for (const row of rows) list.push(row);
  }
  return data;

  function* withoutLists(
    schema: z.core.$ZodType,
    value: unknown,
    path: readonly string[],
  ): Generator<void, unknown> {
    // The schema also checks the value as a whole.
    if (schema._zod.def.checks?.length) return value;
    if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
      return yield* withoutLists(schema.unwrap(), value, path);
    if (schema instanceof z.ZodObject && isJsonObject(value)) {
      const fields = { ...value };
      for (const [name, inner] of Object.entries(schema.shape))
        if (Object.hasOwn(value, name))
          fields[name] = yield* withoutLists(inner, value[name], [...path, name]);
      return fields;
    }
    if (!(schema instanceof z.ZodArray && Array.isArray(value)) || value.length <= rowsInStep) return value;
    const parse = parserOf(schema.element);
    const rows: unknown[] = [];
    for (const row of value) {
      let parsed = parse(row);
      if (parsed === UNPARSED) {
        // A row with missing fields is parsed by zod, which adds them.
        if (firstProblem(schema.element, row)) return value;
        parsed = z.parse(schema.element, row);
      }
      rows.push(parsed);
      if (rows.length % rowsInStep === 0) yield;
    }
    lists.push({ path, rows });
    return [];
  }
}
