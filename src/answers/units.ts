/**
 * Converts milliunits to currency units and back. This is the only place that converts amounts. The conversions of
 * schemas and of data walk the operation's schema in the same way, so that advertised and real values agree:
 * `schemaInUnits` converts the output schema and `valuesToUnits` its data. `schemaFromUnits` converts the input
 * schema, which parses the data.
 */
import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { visible } from '../base/quote.ts';
import type { CurrencyFormat } from '../base/schema/budget.ts';
import { category } from '../base/schema/category.ts';
import { amountSchemas } from '../base/schema/fields.ts';
import { mapData } from '../base/schema/map-data.ts';
import { shownCategory, shownCategorySchema } from './shown-category.ts';

const number = z.number();

/** Caches the result for a schema. Schemas share most of their parts, and each new one costs start-up time. */
function memoize<Schema extends z.core.$ZodType>(create: (schema: Schema) => z.ZodType) {
  const cache = new WeakMap<Schema, z.ZodType>();
  return (schema: Schema): z.ZodType => {
    const cached = cache.get(schema) ?? create(schema);
    cache.set(schema, cached);
    return cached;
  };
}

const nullable = memoize((schema: z.ZodType) => schema.nullable());
const optional = memoize((schema: z.ZodType) => schema.optional());

/** The schema of the same data with amounts in currency units and defaults filled in. */
export const schemaInUnits = memoize((schema: z.core.$ZodType): z.ZodType => {
  if (schema === category) return schemaInUnits(shownCategorySchema);
  if (schema instanceof z.ZodObject) return z.object(shapeInUnits(schema.shape));
  if (schema instanceof z.ZodArray) return z.array(schemaInUnits(schema.element));
  if (schema instanceof z.ZodRecord) return z.record(z.string(), schemaInUnits(schema.valueType));
  if (schema instanceof z.ZodNullable) return nullable(schemaInUnits(schema.unwrap()));
  if (schema instanceof z.ZodOptional) return optional(schemaInUnits(schema.unwrap()));
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodReadonly)
    return schemaInUnits(schema.unwrap());
  if (schema instanceof z.ZodNumber) return number;
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError('Not a schema that an operation can have.');
});

export function shapeInUnits(shape: z.core.$ZodShape): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, schemaInUnits(field)]));
}

/** Data that `schema` has parsed, with amounts in currency units. They are exact to the thousandth below 2^52 milliunits. */
export const valuesToUnits = (schema: z.ZodObject, data: JsonObject): JsonObject =>
  mapData(schema, data, {
    value: (each, value) => (typeof value === 'number' && amountSchemas.has(each) ? value / 1000 : value),
    object: (each, object) => (each === category ? shownCategory(object) : object),
  });

/**
 * An amount of the input. The rounding error of a sum of decimals (0.1 + 0.2) is removed. A real fourth decimal is
 * refused, never rounded.
 */
export const amountFromUnits = z.number().transform((units, context) => {
  const text = units.toFixed(3);
  const milliunits = Number(text.replace('.', '')) || 0;
  const isExact = Math.abs(units - Number(text)) <= Math.abs(units) * Number.EPSILON * 2;
  if (Number.isSafeInteger(milliunits) && Math.abs(units) < MAX_UNITS && isExact) return milliunits;
  context.issues.push({
    code: 'custom',
    input: units,
    message: isExact ? 'is too large for an amount' : 'must have at most three decimals',
  });
  return z.NEVER;
});

/** Below this limit, thousandths of a number are exact enough to distinguish. */
const MAX_UNITS = 2 ** 42;

/** Schemas of fields that a host gives in another form, with that form. */
export type FieldForms = ReadonlyMap<z.core.$ZodType, z.ZodType>;

const amountForms: FieldForms = new Map([...amountSchemas].map((schema) => [schema, amountFromUnits]));

/** The schema of the same input with amounts in currency units. It parses to the type of `schema`. */
export function schemaFromUnits(schema: z.core.$ZodType, forms = amountForms): z.ZodType {
  const form = forms.get(schema);
  if (form) return form;
  // Clones keep the other checks of the schema, such as limits and the sum of splits.
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => [name, schemaFromUnits(field, forms)]);
    return schema.clone({ ...schema.def, shape: Object.fromEntries(fields) });
  }
  if (schema instanceof z.ZodArray)
    return schema.clone({ ...schema.def, element: schemaFromUnits(schema.element, forms) });
  if (schema instanceof z.ZodNullable) return schemaFromUnits(schema.unwrap(), forms).nullable();
  if (schema instanceof z.ZodOptional) {
    const { description } = schema;
    const made = schemaFromUnits(schema.unwrap(), forms).optional();
    return description === undefined ? made : made.meta({ description });
  }
  if (schema instanceof z.ZodPipe)
    return schema.clone({ ...schema.def, in: schemaFromUnits(schema.in, forms) });
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError('Not a schema that an operation can have.');
}

/** The paths in `data` of amounts with more decimals than the currency. */
export function excessPrecision(schema: z.ZodObject, data: JsonObject, digits: number): string[] {
  const found: string[] = [];
  mapData(schema, data, {
    value(each, value, path) {
      if (amountSchemas.has(each) && Number(value ?? 0) % 10 ** (3 - digits) !== 0)
        found.push(path.join('.'));
      return value;
    },
  });
  return found;
}

/** The smallest amount of a currency with so many decimals, such as 10 milliunits for a cent. */
export const smallestUnit = (decimals: number): number => 10 ** (3 - Math.min(3, decimals));

export type Money = (milliunits: number) => string;

/** Formats amounts as arguments take them: plain decimals without symbol and separators. Nothing is rounded. */
export const plainAmounts = (format: CurrencyFormat | null): Money =>
  moneyFormatter(format && { ...format, decimal_separator: '.', group_separator: '', display_symbol: false });

/**
 * Formats amounts for a person, in the budget's format. More digits than those of the currency are shown if they are not
 * zero, so nothing is rounded.
 */
export function moneyFormatter(format: CurrencyFormat | null): Money {
  const decimal_separator = sign(format?.decimal_separator ?? '.');
  const group_separator = sign(format?.group_separator ?? '');
  const currency_symbol = sign(format?.currency_symbol ?? '');
  const fewestDecimals = Math.min(format?.decimal_digits ?? 2, 3);
  return (milliunits) => {
    const minus = milliunits < 0 ? '-' : '';
    const digits = String(Math.abs(milliunits)).padStart(4, '0');
    const whole = digits.slice(0, -3).replace(/\B(?=(?:\d{3}){1,5}$)/g, () => group_separator);
    const decimals = digits
      .slice(-3)
      .replace(/0{1,3}$/, '')
      .padEnd(fewestDecimals, '0');
    const number = decimals ? whole + decimal_separator + decimals : whole;
    if (!format?.display_symbol) return minus + number;
    return minus + (format.symbol_first ? currency_symbol + number : number + currency_symbol);
  };
}

/**
 * Symbols are not quoted, because quotes would make amounts hard to read. Invisible direction marks, which some
 * symbols contain, are made visible, because they would reorder the line.
 */
const sign = (text: string) => visible(text).slice(0, 8);
