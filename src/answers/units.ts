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
import { isAmount, type ValueKind } from '../base/schema/meaning.ts';
import { hasDefault, isPlain, isReadonly, mapData, shapeOf, withParts } from '../base/schema/walk.ts';
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

/** The schema of the same data with amounts in currency units and defaults filled in. */
export const schemaInUnits = memoize((schema: z.core.$ZodType): z.ZodType => {
  if (hasDefault(schema) || isReadonly(schema)) return schemaInUnits(schema.unwrap());
  const shape = shapeOf(schema);
  if (shape.schema !== schema) return withParts(schema, schemaInUnits);
  if (shape.meaning.row === 'category') return schemaInUnits(shownCategorySchema);
  if (shape.type === 'object') return z.object(shapeInUnits(shape.fields));
  return shape.type === 'number' ? number : withParts(schema, schemaInUnits);
});

export function shapeInUnits(shape: z.core.$ZodShape): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, schemaInUnits(field)]));
}

/** Data that `schema` has parsed, with amounts in currency units. They are exact to the thousandth below 2^52 milliunits. */
export const valuesToUnits = (schema: z.ZodObject, data: JsonObject): JsonObject =>
  mapData(schema, data, {
    value: ({ meaning }, value) => (typeof value === 'number' && isAmount(meaning) ? value / 1000 : value),
    object: ({ meaning }, object) => (meaning.row === 'category' ? shownCategory(object) : object),
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

/** The forms in which a host gives values. */
export type FieldForms = ReadonlyMap<ValueKind, z.ZodType>;

const amountForms: FieldForms = new Map([
  ['amount', amountFromUnits],
  ['amount_size', amountFromUnits],
  ['balance', amountFromUnits],
]);

/** The schema of the same input in the forms of a host. It parses to the type of `schema`. Fields that no host gives are left out. */
export function schemaFromUnits(schema: z.core.$ZodType, forms = amountForms): z.ZodType {
  const { schema: inner, meaning } = shapeOf(schema);
  const form = inner === schema && meaning.kind && forms.get(meaning.kind);
  if (!form) return withParts(schema, (part) => (isGiven(part) ? schemaFromUnits(part, forms) : undefined));
  // A limit of an amount is in milliunits.
  return isAmount(meaning) && !isPlain(schema) ? form.pipe(schema) : form;
}

const isGiven = (schema: z.core.$ZodType) => !shapeOf(schema).meaning.isResolved;

/** The paths in `data` of amounts with more decimals than the currency. */
export function excessPrecision(schema: z.ZodObject, data: JsonObject, digits: number): string[] {
  const found: string[] = [];
  mapData(schema, data, {
    value({ meaning }, value, path) {
      if (isAmount(meaning) && Number(value ?? 0) % 10 ** (3 - digits) !== 0) found.push(path.join('.'));
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
