/**
 * Checks whether parsing a value would return an equal value: all fields are present that are not optional, none is
 * unknown, and all types are right. The value then does not need to be parsed into a copy, which for a large budget takes
 * about as long as parsing its JSON. It supports the kinds of schemas that outputs use. For other schemas, and for schemas that check more than
 * types, the answer is false and zod parses the value. It also finds the first problem of an invalid value, because zod
 * would collect a problem for each of a million wrong elements.
 */

import { z } from 'zod';
import type { JsonObject } from '../platform/json.ts';
import { flag, integer, milliunits, text } from '../schema/fields.ts';

/** `value` must come from JSON. True only if parsing would return an equal value. */
export function conformsWithoutTransform<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): value is z.output<Schema> {
  return checkOf(schema)(value);
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const never: Check = () => false;

/** The check of each schema, created when it is first used. */
const checks = new WeakMap<z.core.$ZodType, Check>([
  [text, isText],
  [flag, isFlag],
  [integer, Number.isSafeInteger],
  [milliunits, Number.isSafeInteger],
]);

function checkOf(schema: z.core.$ZodType): Check {
  const known = checks.get(schema);
  if (known) return known;
  const check = schema._zod.def.checks?.length ? never : checkOfKind(schema);
  checks.set(schema, check);
  return check;
}

function checkOfKind(schema: z.core.$ZodType): Check {
  if (schema instanceof z.ZodObject) return hasExactly(schema.shape);
  if (schema instanceof z.ZodArray) {
    const isElement = checkOf(schema.element);
    return (value) => Array.isArray(value) && value.every(isElement);
  }
  if (schema instanceof z.ZodRecord && schema.keyType === text) {
    const isValue = checkOf(schema.valueType);
    // zod reads the prototype under this name instead of the value.
    return (value) =>
      isJsonObject(value) && !Object.hasOwn(value, '__proto__') && Object.values(value).every(isValue);
  }
  if (schema instanceof z.ZodNullable) {
    const isInner = checkOf(schema.unwrap());
    return (value) => value === null || isInner(value);
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return checkOf(schema.unwrap());
  return never;
}

/** The order of fields does not matter. V8 is fastest with `for in`, and there may be two million fields. */
function hasExactly(shape: z.core.$ZodShape): Check {
  const fields = new Map(Object.entries(shape).map(([name, schema]) => [name, checkOf(schema)]));
  const optional = Object.keys(shape).filter((name) => shape[name] instanceof z.ZodOptional);
  return (value) => {
    if (!isJsonObject(value)) return false;
    let found = 0;
    for (const name in value) {
      if (!fields.get(name)?.(value[name])) return false;
      found += 1;
    }
    if (found === fields.size) return true;
    const missing = optional.filter((name) => !Object.hasOwn(value, name));
    return found + missing.length === fields.size;
  };
}

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
    if (checkOf(schema)(value)) return undefined;
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
  const isElement = checkOf(schema);
  for (const [at, value] of list.entries()) if (!isElement(value)) yield [at, schema, value];
}

function* fieldsOf(shape: z.core.$ZodShape, fields: JsonObject): Iterable<Part> {
  for (const [name, schema] of Object.entries(shape)) yield [name, schema, fields[name]];
}

function* entriesOf(schema: z.core.$ZodType, fields: JsonObject): Iterable<Part> {
  // zod reads the prototype under this name instead of the value.
  for (const name in fields) if (name !== '__proto__') yield [name, schema, fields[name]];
}
