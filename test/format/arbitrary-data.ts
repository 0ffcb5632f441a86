import fc from 'fast-check';
import { z } from 'zod';

/** By the name of a field, the texts that it may hold. */
export type Texts = (field: string) => fc.Arbitrary<string>;

const word = fc.stringMatching(/^[a-z0-9-]{1,12}$/);

/** Whatever people and banks type: several scripts, quotes, breaks, marks that cannot be seen. */
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

/** Words for what the service chooses, and anything for what users type. */
export const realisticTexts: Texts = (field) => (typed.test(field) ? anything : word);

/** Data as a schema of the operations table gives it back, once it has parsed an answer. */
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
  if (schema instanceof z.ZodString) return texts(field);
  throw new TypeError('A kind of schema that operations did not have when this was written.');
}

/** What is optional may be missing; what has a default never is. */
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
