/**
 * Whether an answer is already what a schema would make of it: every field there, none besides, each of its type. Then
 * it need not be parsed into a copy, which for a large budget takes about as long as reading its JSON. It knows the
 * kinds of schema that outputs are made of; one that it does not know, or that checks more than types, is never exact
 * and so is left to zod, as is whatever zod would strip, fill in or refuse. What is wrong is not its business.
 */
import { z } from 'zod';
import { flag, integer, milliunits, text } from '../operations/fields.ts';

/** `value` comes from JSON: plain objects, arrays and primitives. True only where parsing would give an equal value. */
export function isExactly<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): value is z.output<Schema> {
  return checkOf(schema)(value);
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const never: Check = () => false;

/** By schema, made at its first use. */
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
    // Under this name zod sees no value, but the prototype.
    return (value) =>
      isFields(value) && !Object.hasOwn(value, '__proto__') && Object.values(value).every(isValue);
  }
  if (schema instanceof z.ZodNullable) {
    const isInner = checkOf(schema.unwrap());
    return (value) => value === null || isInner(value);
  }
  if (schema instanceof z.ZodDefault) return checkOf(schema.unwrap());
  return never;
}

/** In any order. A walk along an object's own keys is what V8 does fastest: there may be two million fields. */
function hasExactly(shape: z.core.$ZodShape): Check {
  const fields = new Map(Object.entries(shape).map(([name, schema]) => [name, checkOf(schema)]));
  return (value) => {
    if (!isFields(value)) return false;
    let found = 0;
    for (const name in value) {
      if (!fields.get(name)?.(value[name])) return false;
      found += 1;
    }
    return found === fields.size;
  };
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
