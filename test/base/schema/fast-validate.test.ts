import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fastParse, firstProblem } from '../../../src/base/schema/fast-validate.ts';
import { integer, text } from '../../../src/base/schema/fields.ts';
import { parseTolerantly } from '../../../src/base/schema/tolerant-parse.ts';
import { atOnce } from '../../../src/base/turns.ts';
import { listAccounts } from '../../../src/operations/accounts.ts';
import { getBudget } from '../../../src/operations/budgets.ts';
import { listCategories } from '../../../src/operations/categories.ts';
import { listTransactions } from '../../../src/operations/transactions.ts';
import { type RunningService, startTestService } from '../../service/running-service.helper.ts';

interface Change {
  /** Which of the objects and arrays, and which of its fields or elements. */
  readonly of: number;
  readonly at: number;
  /** The new value. If it is omitted, the field is removed. */
  readonly json?: string;
  /** The name of a field that is added or replaced. */
  readonly name?: string;
}

function changeIn(data: unknown, { of, at, json, name }: Change): void {
  const places = objectsIn(data);
  const target = places[of % places.length] ?? {};
  const names = Object.keys(target);
  const key = (Array.isArray(target) ? undefined : name) ?? names[at % names.length] ?? '0';
  if (json !== undefined)
    // A plain assignment to `__proto__` would not create a field.
    Object.defineProperty(target, key, { ...field, value: JSON.parse(json) });
  else if (!Array.isArray(target)) Reflect.deleteProperty(target, key);
}

const field = { enumerable: true, configurable: true, writable: true };

/** Every object and array in `value`, itself first. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

describe('fastParse', () => {
  let running: RunningService;
  let sent: string;
  /** The same value with only the first few elements of every list. */
  let few: string;

  beforeAll(async () => {
    running = await startTestService();
    const { baseUrl, accessToken, user } = running;
    const response = await fetch(`${baseUrl}/budgets/${user.ledgers[0]?.id}`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    const { data } = z.object({ data: z.unknown() }).parse(await response.json());
    sent = JSON.stringify(data);
    few = JSON.stringify(data, (name, value) =>
      Array.isArray(value) && name !== 'accounts' ? value.slice(0, 2) : value,
    );
  });
  afterAll(() => running.close());

  test('a whole budget of the service is returned as it is, without a copy', () => {
    const data: unknown = JSON.parse(sent);
    expect(fastParse(getBudget.output, data)?.data).toBe(data);
    expect(sent).toMatch(/"debt_interest_rates":\{"/);
  });

  test.each([
    ['transactions', listTransactions],
    ['categories', listCategories],
    ['accounts', listAccounts],
  ] as const)(
    'a list of %s whose amounts come in three forms is parsed without zod, to milliunits only',
    async (path, { output }) => {
      const { baseUrl, accessToken, user } = running;
      const response = await fetch(`${baseUrl}/budgets/${user.ledgers[0]?.id}/${path}`, {
        headers: { authorization: `Bearer ${accessToken}` },
      });
      const { data } = z.object({ data: z.unknown() }).parse(await response.json());
      expect(JSON.stringify(data)).toContain('_formatted":');
      const parsed = fastParse(output, data)?.data;
      expect(parsed).toEqual(output.parse(data));
      expect(JSON.stringify(parsed)).not.toMatch(/_(formatted|currency)":/);
    },
  );

  test('a value is parsed as its schema parses it, and its first problem is the one that the schema finds', () => {
    const json = fc.constantFrom(
      ...['null', '0', '-1', '0.5', '9007199254740992', '"text"', '""', 'true'],
      ...['[]', '[null]', '{}', '{"a":1}', '{"a":0.5}', '{"__proto__":1}'],
    );
    const names = fc.constantFrom('later', '__proto__', 'constructor', 'memo', '0');
    const place = { of: fc.nat(), at: fc.nat() };
    const changes = fc.array(
      fc.oneof(fc.record({ ...place, json }), fc.record({ ...place, json, name: names }), fc.record(place)),
      { maxLength: 2 },
    );
    const seen = { exact: 0, not: 0, copied: 0, tolerated: 0 };
    fc.assert(
      fc.property(changes, (each) => {
        const data: unknown = JSON.parse(few);
        for (const change of each) changeIn(data, change);
        const parsed = getBudget.output.safeParse(data);
        const isExact = parsed.success && isDeepStrictEqual(parsed.data, data);
        const fast = fastParse(getBudget.output, data);
        const problem = firstProblem(getBudget.output, data);
        // The schema of a day takes any text.
        if (/^(date|date_first|date_next|month)$/.test(String(problem?.path.at(-1)))) {
          expect(fast).toBeUndefined();
          return;
        }
        expect(fast?.data).toEqual(parsed.data);
        const tolerant = atOnce(parseTolerantly(getBudget.output, data, { rowsInStep: 2 }));
        if (parsed.success) expect(tolerant?.data).toEqual(parsed.data);
        // What the schema refuses is refused here too, or named.
        else expect(tolerant?.gaps).not.toEqual([]);
        seen.tolerated += Number(!parsed.success && tolerant !== undefined);
        if (isExact) expect(fast?.data).toBe(data);
        seen.copied += Number(fast !== undefined && fast.data !== data);
        expect(problem).toEqual(
          parsed.success ? undefined : expect.objectContaining({ path: parsed.error.issues[0]?.path }),
        );
        seen[isExact ? 'exact' : 'not'] += 1;
      }),
      { numRuns: 2_000 },
    );
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(100);
  });

  test('the fields of a value may be in any order', () => {
    const value = { amount: 1, id: 'a' };
    expect(fastParse(z.object({ id: text, amount: integer }), value)?.data).toBe(value);
  });

  test('unknown fields are left out of a copy, and the value itself does not change', () => {
    const schema = z.object({ list: z.array(z.object({ id: text })), note: text.nullable().optional() });
    const value = { list: [{ id: 'a' }, { id: 'b', later: 1 }], later: [] };
    expect(fastParse(schema, value)?.data).toStrictEqual({ list: [{ id: 'a' }, { id: 'b' }] });
    expect(value).toEqual({ list: [{ id: 'a' }, { id: 'b', later: 1 }], later: [] });
  });

  test.each([
    ['refuses', z.strictObject({ id: text })],
    ['keeps', z.looseObject({ id: text })],
  ])('a schema that %s unknown fields does so', (_, schema) => {
    const value = { id: 'a', later: 1 };
    expect(fastParse<z.ZodType>(schema, value)?.data).toEqual(schema.safeParse(value).data);
  });

  test('missing fields get their default, and missing optional fields stay missing', () => {
    const schema = z.object({ id: text, note: text.nullable().default(null), color: text.optional() });
    expect(fastParse(schema, { id: 'a' })?.data).toStrictEqual({ id: 'a', note: null });
    expect(fastParse(schema, { note: 'b' })).toBeUndefined();
    const value = { id: 'a', note: null };
    expect(fastParse(schema, value)?.data).toBe(value);
  });

  test.each(['[]', '[1]', '{"__proto__":1}', '{"a":1,"__proto__":1}', '{"a":"1"}', 'null'])(
    'as a record of amounts, %s is parsed as zod parses it',
    (json) => {
      const schema = z.record(text, integer);
      expect(fastParse(schema, JSON.parse('{"a":1}'))).toEqual({ data: { a: 1 } });
      expect(fastParse(schema, JSON.parse(json))?.data).toEqual(schema.safeParse(JSON.parse(json)).data);
    },
  );

  test.each([
    ['checks more than types', z.object({ id: text }).refine(({ id }) => id !== ''), { id: 'a' }, { id: '' }],
    ['checks more of a field', z.object({ id: text.refine((id) => id !== '') }), { id: 'a' }, { id: '' }],
    ['changes what it is given', z.object({ id: text.transform((id) => id.trim()) }), { id: ' a' }, {}],
    ['is of a kind that outputs are not made of', z.union([text, integer]), 'a', null],
  ])('a value is left to zod if its schema %s', (_, schema, valid, invalid) => {
    expect(fastParse<z.ZodType>(schema, valid)?.data).toEqual(schema.parse(valid));
    expect(fastParse<z.ZodType>(schema, invalid)).toBeUndefined();
  });
});

describe('the first problem', () => {
  test('it ends the search: no further element of a list is checked', () => {
    const seen = new Set<unknown>();
    const element = z.unknown().refine((value) => {
      seen.add(value);
      return typeof value === 'string';
    });
    const schema = z.object({ list: z.array(element).optional() });
    const list = ['a', 'b', ...Array.from({ length: 100_000 }, (_, at) => at)];
    expect(firstProblem(schema, { list })).toMatchObject({ path: ['list', 2] });
    expect([...seen]).toEqual(['a', 'b', 0]);
  });

  test('an unknown field is no problem', () => {
    expect(firstProblem(z.object({ id: text }), { id: 'a', later: 1 })).toBeUndefined();
  });
});
