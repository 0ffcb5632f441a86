/**
 * Schemas for the fields of request bodies, with the service's error messages. They check the form of a value, not
 * whether an entity exists.
 */
import { z } from 'zod';

/** An absent value is required, a present one must follow the rule. */
const mustBe = (rule: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is required' : `must be ${rule}`),
});

const WHOLE_NUMBER = 'an integer in milliunits';

/** Milliunits: any integer that JSON represents exactly. Adding zero converts -0, which JSON allows, to 0. */
export const milliunits = z
  .number(mustBe(WHOLE_NUMBER))
  .refine(Number.isSafeInteger, `must be ${WHOLE_NUMBER}`)
  .transform((amount) => amount + 0);

/** Text with a maximum length in code points. */
export const text = (maximum = Number.POSITIVE_INFINITY) =>
  z
    .string(mustBe('text'))
    .refine(
      (value) => value.length <= maximum || [...value].length <= maximum,
      `is too long (maximum is ${maximum} characters)`,
    );

export const name = (maximum?: number) =>
  text(maximum).refine((value) => value.trim() !== '', 'must not be blank');

export const NOT_A_UUID = 'must be formatted as a uuid (universally unique identifier)';

export const id = z.guid({ error: ({ input }) => (input === undefined ? 'is required' : NOT_A_UUID) });

export const date = z.iso.date(mustBe('a date in the form YYYY-MM-DD'));

export const trueOrFalse = z.boolean(mustBe('true or false'));

/** One of the given words. */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, mustBe(`one of ${words.filter((word) => word !== '').join(', ')}`));

/** The object that wraps the fields of a body. */
export const objectWithFields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape, mustBe('an object'));

export const list = z.array(z.unknown(), mustBe('a list'));

/** No flag is null. An empty text is accepted for null. */
export const flagColor = oneOf(['red', 'orange', 'yellow', 'green', 'blue', 'purple', ''])
  .transform((color) => (color === '' ? null : color))
  .nullable();

/** The common fields of a transaction, a leg and a scheduled transaction (docs/interface.md, Transaction). */
export const lineFields = {
  payee_id: id.nullable().exactOptional(),
  payee_name: text(200).nullable().exactOptional(),
  category_id: id.nullable().exactOptional(),
  memo: text(500).nullable().exactOptional(),
};
