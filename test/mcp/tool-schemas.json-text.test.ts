/** Arguments that a host sends as JSON text, though their schema takes no text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { shapeOf } from '../../src/base/schema/walk.ts';
import { catalogue } from '../../src/features/catalogue.ts';
import { watchEvents } from '../../src/features/watch/watch-events.ts';
import { schemasOf } from '../../src/mcp/tool-schemas.ts';
import { fuzzRuns } from '../fuzz.helper.ts';

/** A value, and the same one with some of its parts as JSON text. */
type Pair = readonly [native: unknown, sent: unknown];

const text = fc.constantFrom('123', 'true', '[]', '{}', 'null', '', '2026-11', '2026-11-20', 'today', 'Rent');

/** Values of a schema, and some that it refuses. */
function pairs(schema: z.core.$ZodType | undefined): fc.Arbitrary<Pair> {
  const plain = schema && shapeOf(schema).schema;
  if (plain instanceof z.ZodObject) {
    const fields = Object.entries(plain.shape).map(([name, field]) => [name, pairs(field)] as const);
    return withText(fc.record(Object.fromEntries(fields), { requiredKeys: [] }), (pair, at) =>
      Object.fromEntries(Object.entries(pair).map(([name, value]) => [name, value?.[at]])),
    );
  }
  if (plain instanceof z.ZodArray)
    return withText(fc.array(pairs(plain.element), { maxLength: 3 }), (items, at) =>
      items.map((item) => item[at]),
    );
  if (plain instanceof z.ZodNumber)
    return withText(
      fc.oneof(fc.nat(3), fc.integer(), fc.constantFrom(-4.5, 0.0001, 1e300)),
      (value) => value,
    );
  if (plain instanceof z.ZodBoolean) return withText(fc.boolean(), (value) => value);
  const words: fc.Arbitrary<unknown> = plain instanceof z.ZodEnum ? fc.constantFrom(...plain.options) : text;
  return words.map((value): Pair => [value, value]);
}

/** `at` says which of the values of a pair to take. */
const withText = <Made>(made: fc.Arbitrary<Made>, partsOf: (made: Made, at: 0 | 1) => unknown) =>
  fc.tuple(made, fc.boolean()).map(([each, isText]): Pair => {
    const sent = partsOf(each, 1);
    return [partsOf(each, 0), isText ? JSON.stringify(sent) : sent];
  });

const withSchemas = [...catalogue, ...watchEvents].map(
  (each) => [each.name, schemasOf(each, 'writes')] as const,
);

describe('arguments as JSON text', () => {
  it.each(withSchemas)('%s takes any part that is no text as its JSON text too', (_, { input, parse }) => {
    const outcome = (args: unknown) => {
      try {
        return parse(args);
      } catch (error) {
        return String(error);
      }
    };
    const fields = Object.entries(input.shape).map(([name, field]) => [name, pairs(field)] as const);
    fc.assert(
      fc.property(fc.record(Object.fromEntries(fields), { requiredKeys: [] }), (args) => {
        const given = (at: 0 | 1) =>
          Object.fromEntries(Object.entries(args).map(([name, pair]) => [name, pair?.[at]]));
        expect(outcome(given(1))).toEqual(outcome(given(0)));
      }),
      { numRuns: fuzzRuns(30) },
    );
  });

  const row = { account_id: 'a', date: '2026-11-20', amount: -1.5 };
  const { parse } = schemasOf(
    catalogue.find(({ name }) => name === 'create_transactions') ?? expect.unreachable(),
  );

  it.each(['1,150', '1.150,00', '€12', '0x10', ' 5 5', 'yes', '"1"', 'true', '[1]'])(
    'the text %j is no amount',
    (amount) => {
      expect(() => parse({ transactions: [{ ...row, amount }] })).toThrow('transactions.0.amount');
    },
  );

  it('a text stays a text, though it looks like JSON', () => {
    const memo = '{"amount":1}';
    const { own } = parse({
      transactions: JSON.stringify([{ ...row, amount: '-1.5', payee_name: '123', memo }]),
    });
    expect(own).toEqual({ transactions: [{ ...row, amount: -1500, payee_name: '123', memo }] });
  });

  it('rows as text may be longer than a text may be, and as many as a list may have', () => {
    const rows = (count: number) => JSON.stringify(Array.from({ length: count }, () => row));
    expect(parse({ transactions: rows(1_000) }).own['transactions']).toHaveLength(1_000);
    expect(() => parse({ transactions: rows(2_001) })).toThrow('Too much at once');
  });
});
