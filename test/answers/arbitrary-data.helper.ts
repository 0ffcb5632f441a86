import fc from 'fast-check';
import { z } from 'zod';
import { dayText } from '../../src/base/schema/fields.ts';

/** The possible texts of a field, by its name. */
export type Texts = (field: string) => fc.Arbitrary<string>;

const word = fc.stringMatching(/^[a-z0-9-]{1,12}$/);

/** Text as users and banks type it: several scripts, quotes, line breaks, invisible characters. */
export const anything = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(
      '"',
      '\\',
      '\n',
      '\r',
      '\t',
      '\u0085',
      '\u2028',
      '\u2029',
      '\u202e',
      '\u200f',
      '👩‍👧',
      'ש',
    ),
  ),
  maxLength: 12,
});

const typed = /name|memo|note/;

/** A day as the service writes it. */
const day = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2060-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** Simple words for values of the service, and any text for values that users type. */
export const realisticTexts: Texts = (field) => (typed.test(field) ? anything : word);

/** Data as a schema of the operations returns it after parsing. */
export function arbitraryOf(
  schema: z.core.$ZodType,
  texts: Texts = realisticTexts,
  field = '',
): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodObject) return objectOf(schema, texts);
  if (schema instanceof z.ZodArray)
    return fc.array(arbitraryOf(schema.element, texts, field), { maxLength: 3 });
  if (schema instanceof z.ZodRecord)
    return fc.dictionary(word, arbitraryOf(schema.valueType, texts, field), { maxKeys: 3 });
  if (schema instanceof z.ZodNullable) return fc.option(arbitraryOf(schema.unwrap(), texts, field));
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return arbitraryOf(schema.unwrap(), texts, field);
  if (schema instanceof z.ZodNumber) return fc.integer({ min: -(2 ** 42), max: 2 ** 42 });
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema === dayText) return day;
  if (schema instanceof z.ZodString) return texts(field);
  throw new TypeError('A kind of schema that operations did not have when this was written.');
}

/** Optional fields may be missing. Fields with a default are always present. */
export function objectOf(schema: z.ZodObject, texts: Texts = realisticTexts) {
  const fields = Object.entries(schema.shape);
  return fc.record(
    Object.fromEntries(fields.map(([name, field]) => [name, arbitraryOf(field, texts, name)])),
    {
      requiredKeys: fields.filter(([, field]) => !(field instanceof z.ZodOptional)).map(([name]) => name),
      noNullPrototype: true,
    },
  );
}
