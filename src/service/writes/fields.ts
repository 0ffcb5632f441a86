/**
 * The fields of request bodies, each with its rule and the words in which the service refuses it. They know the form
 * of a value, and must not know whether what it names exists.
 */
import { z } from 'zod';

/** What is wrong with a value that is there; one that is not there is required. */
const must = (rule: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is required' : `must be ${rule}`),
});

const WHOLE_NUMBER = 'an integer in milliunits';

/** Milliunits; any integer that JSON can say exactly. Adding zero makes 0 of the -0 that JSON knows too. */
export const milliunits = z
  .number(must(WHOLE_NUMBER))
  .refine(Number.isSafeInteger, `must be ${WHOLE_NUMBER}`)
  .transform((amount) => amount + 0);

/** Text of at most so many characters, an emoji being one as far as it is one code point. */
export const text = (maximum = Number.POSITIVE_INFINITY) =>
  z
    .string(must('text'))
    .refine(
      (value) => value.length <= maximum || [...value].length <= maximum,
      `is too long (maximum is ${maximum} characters)`,
    );

export const name = (maximum?: number) =>
  text(maximum).refine((value) => value.trim() !== '', 'must not be blank');

export const NOT_A_UUID = 'must be formatted as a uuid (universally unique identifier)';

export const id = z.guid({ error: ({ input }) => (input === undefined ? 'is required' : NOT_A_UUID) });

export const date = z.iso.date(must('a date in the form YYYY-MM-DD'));

export const yesOrNo = z.boolean(must('true or false'));

/** One of some words. */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, must(`one of ${words.filter((word) => word !== '').join(', ')}`));

/** An object under its name, as every body has one. */
export const object = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape, must('an object'));

export const list = z.array(z.unknown(), must('a list'));

/** No flag is null, and may be written as an empty text. */
export const flagColor = oneOf(['red', 'orange', 'yellow', 'green', 'blue', 'purple', ''])
  .transform((color) => (color === '' ? null : color))
  .nullable();

/** What a transaction, a leg and a scheduled transaction have in common (specification, Transaction). */
export const leaf = {
  payee_id: id.nullable().exactOptional(),
  payee_name: text(200).nullable().exactOptional(),
  category_id: id.nullable().exactOptional(),
  memo: text(500).nullable().exactOptional(),
};
