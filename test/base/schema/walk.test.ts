/** The meaning of a field is found whatever the field is wrapped in, by all that reads schemas. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dateForms, resolveDates } from '../../../src/answers/references/dates.ts';
import { replaceReferences } from '../../../src/answers/references/resolve-references.ts';
import {
  amountFromUnits,
  schemaFromUnits,
  schemaInUnits,
  valuesToUnits,
} from '../../../src/answers/units.ts';
import { fastParse } from '../../../src/base/schema/fast-validate.ts';
import * as fields from '../../../src/base/schema/fields.ts';
import { isAmount, meanings } from '../../../src/base/schema/meaning.ts';
import { shapeOf, withParts } from '../../../src/base/schema/walk.ts';

/** A schema around another one, and a value of it around a value. */
type Wrapper = readonly [
  name: string,
  wrap: (schema: z.ZodType) => z.ZodType,
  value: (value: unknown) => unknown,
];

const same = (value: unknown) => value;

const wrappers: readonly Wrapper[] = [
  ['itself', (schema) => schema, same],
  ['optional', (schema) => schema.optional(), same],
  ['nullable', (schema) => schema.nullable(), same],
  ['clearable', (schema) => fields.clearable(schema), same],
  ['with a default', (schema) => schema.optional().default(undefined), same],
  ['or null', (schema) => fields.orNull(schema), same],
  ['unchangeable', (schema) => schema.readonly(), same],
  ['in a pipe', (schema) => schema.transform(same), same],
  ['prepared', (schema) => z.preprocess(same, schema), same],
  ['described', (schema) => schema.meta({ description: 'more' }), same],
  ['limited', (schema) => schema.refine(() => true), same],
  ['in a list', (schema) => z.array(schema), (value) => [value]],
  ['in a record', (schema) => z.record(z.string(), schema), (value) => ({ a: value })],
  ['in an object', (schema) => z.strictObject({ a: schema }), (value) => ({ a: value })],
  ['in rows', (schema) => z.array(z.object({ a: schema.optional() })).optional(), (value) => [{ a: value }]],
  ['in a choice', (schema) => z.union([z.literal('none'), schema]), same],
  [
    'in a list of a choice',
    (schema) => z.array(z.union([z.array(schema), z.null()])),
    (value) => [[value], null],
  ],
];

const ofField = Object.entries(fields).flatMap(([name, field]) =>
  field instanceof z.ZodType && meanings.has(shapeOf(field).schema) ? [[name, field] as const] : [],
);
const cases = ofField.flatMap(([name, field]) =>
  wrappers.map(
    ([wrapper, wrap, value]) => [name, wrapper, z.object({ x: wrap(field) }), value, field] as const,
  ),
);

it('there are fields of each meaning that a field can have', () => {
  const found = ofField.map(([, field]) => shapeOf(field).meaning);
  expect(new Set(found.flatMap(({ kind }) => kind ?? []))).toEqual(
    new Set(['amount', 'amount_size', 'balance', ...dateForms.keys(), 'frequency']),
  );
  expect(new Set(found.flatMap(({ reference }) => reference ?? [])).size).toBe(8);
});

describe.each(cases)('%s %s', (_, __, schema, wrapped, field) => {
  const { meaning } = shapeOf(field);
  const { kind, reference, isValid } = meaning;

  it('has its meaning', () => {
    if (isAmount(meaning)) {
      const units = { x: wrapped(-12.5) };
      const milliunits = { x: wrapped(-12_500) };
      expect(valuesToUnits(schema, milliunits)).toEqual(units);
      expect(schemaInUnits(schema).parse(units)).toEqual(units);
      expect(schemaFromUnits(schema).parse(units)).toEqual(milliunits);
    }
    if (kind !== undefined && dateForms.has(kind)) {
      const given = schemaFromUnits(schema, dateForms).parse({ x: wrapped('2026-11-21') });
      const [day] =
        JSON.stringify(resolveDates(schema, Object(given), '2026-11-25', () => {})).match(/2026.{6}/) ?? [];
      expect(day).toBe(kind === 'month' ? '2026-11-01' : '2026-11-21');
      const today = schemaFromUnits(schema, dateForms).parse({ x: wrapped('today') });
      expect(JSON.stringify(resolveDates(schema, Object(today), '2026-11-25', () => {}))).toContain(
        '2026-11-',
      );
    }
    if (kind === 'frequency') {
      const forms = new Map([[kind, z.string().transform(() => 'monthly')]]);
      expect(schemaFromUnits(schema, forms).parse({ x: wrapped('each month') })).toEqual({
        x: wrapped('monthly'),
      });
    }
    if (reference) {
      const replaced = replaceReferences(
        schema,
        { x: wrapped('Cash') },
        {
          reference: (kind, text) => `${kind} ${text}`,
          payee: () => undefined,
        },
      );
      expect(replaced).toEqual({ x: wrapped(`${reference} Cash`) });
    }
    if (isValid) {
      expect(fastParse(schema, { x: wrapped('2026-11-21') })).toEqual({ data: { x: wrapped('2026-11-21') } });
    }
  });
});

it('a limit of an amount is kept, in currency units', () => {
  const limited = schemaFromUnits(fields.milliunits.max(10_000));
  expect(limited.parse(10)).toBe(10_000);
  expect(limited.safeParse(10.01).success).toBe(false);
});

it('a field that no host gives is in no schema of a host, and its value stays', () => {
  const schema = z.strictObject({
    name: z.string(),
    id: fields.payeeId.optional().register(meanings, { isResolved: true }),
  });
  expect(schemaFromUnits(schema).parse({ name: 'Shop' })).toEqual({ name: 'Shop' });
  expect(schemaFromUnits(schema).safeParse({ name: 'Shop', id: 'a' }).success).toBe(false);
});

it.each([
  ['a map', z.map(z.string(), fields.milliunits)],
  ['a tuple', z.tuple([fields.milliunits])],
  ['an intersection', z.intersection(z.object({ a: fields.milliunits }), z.object({}))],
  ['a promise', z.promise(fields.milliunits)],
  ['a value that is caught', fields.milliunits.catch(0)],
])('%s is no schema that can be read, so that no meaning is lost in it', (_, schema) => {
  expect(() => shapeOf(schema)).toThrow(TypeError);
  expect(() => withParts(schema, (part) => part)).toThrow(TypeError);
  expect(() => schemaFromUnits(z.object({ x: schema }), new Map([['amount', amountFromUnits]]))).toThrow(
    TypeError,
  );
});
