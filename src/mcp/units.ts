/**
 * Milliunits to currency units: the one place where amounts change their unit. Two walks over the same schema, so that
 * what is advertised and what is sent cannot part: `inUnits` turns the schema, `toUnits` the data.
 */
import { z } from 'zod';
import type { CurrencyFormat } from '../operations/budgets.ts';
import { milliunits } from '../operations/fields.ts';

const amountInUnits = z.number();

/** The schema of the same data with amounts in currency units, and defaults filled in. */
export function inUnits(schema: z.core.$ZodType): z.ZodType {
  if (schema === milliunits) return amountInUnits;
  if (schema instanceof z.ZodObject) return z.object(shapeInUnits(schema.shape));
  if (schema instanceof z.ZodArray) return z.array(inUnits(schema.element));
  if (schema instanceof z.ZodRecord) return z.record(z.string(), inUnits(schema.valueType));
  if (schema instanceof z.ZodNullable) return inUnits(schema.unwrap()).nullable();
  if (schema instanceof z.ZodOptional) return inUnits(schema.unwrap()).optional();
  if (schema instanceof z.ZodDefault) return inUnits(schema.unwrap());
  if (schema instanceof z.ZodNumber) return z.number();
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError('Not a schema that an operation can have.');
}

export function shapeInUnits(shape: z.core.$ZodShape): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, inUnits(field)]));
}

type Fields = Readonly<Record<string, unknown>>;

/** Data that `schema` has parsed, with amounts in currency units; exact to the thousandth below 2^52 milliunits. */
export function toUnits(schema: z.ZodObject, data: Fields): Record<string, unknown> {
  return mapValues(data, (value, name) => convert(schema.shape[name], value));
}

function convert(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema === milliunits && typeof value === 'number') return value / 1000;
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => convert(schema.element, item));
  if (schema instanceof z.ZodObject && isFields(value)) return toUnits(schema, value);
  if (schema instanceof z.ZodRecord && isFields(value))
    return mapValues(value, (each) => convert(schema.valueType, each));
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return convert(schema.unwrap(), value);
  return value;
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

function mapValues(data: Fields, map: (value: unknown, name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, map(value, name)]));
}

export type Money = (milliunits: number) => string;

/**
 * Amounts as the budget's owner writes them. Digits beyond those of the currency are shown where they are not zero:
 * nothing is rounded away.
 */
export function moneyIn(format: CurrencyFormat | null): Money {
  const { decimal_digits = 2, decimal_separator = '.', group_separator = '' } = format ?? {};
  return (milliunits) => {
    const digits = String(Math.abs(milliunits)).padStart(4, '0');
    const whole = digits.slice(0, -3).replace(/\B(?=(\d{3})+$)/g, group_separator);
    const decimals = digits.slice(-3).replace(/0+$/, '').padEnd(Math.min(decimal_digits, 3), '0');
    const number = decimals ? whole + decimal_separator + decimals : whole;
    const sign = milliunits < 0 ? '-' : '';
    if (!format?.display_symbol) return sign + number;
    const { currency_symbol } = format;
    return sign + (format.symbol_first ? currency_symbol + number : number + currency_symbol);
  };
}
