import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import { isJsonObject } from '../../../src/base/json.ts';
import { atOnce } from '../../../src/base/turns.ts';
import { getBudget } from '../../../src/operations/budgets.ts';
import { listTransactions } from '../../../src/operations/transactions.ts';
import { decodeInSteps, decodeResponse, redactionOf } from '../../../src/session/http/codec.ts';
import { fuzzRuns } from '../../fuzz.helper.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';

const headers = { 'content-type': 'application/json' };
const redact = (text: string) => text;

const inSteps = (json: string, partBytes: number, rowsInStep: number) =>
  atOnce(
    decodeInSteps(
      getBudget,
      { status: 200, headers, body: Buffer.from(json) },
      { redact, partBytes, rowsInStep },
    ),
  );
const atOneTime = (json: string) => decodeResponse(getBudget, { status: 200, headers, body: json });

/** The data, or the code and the message of the error. */
function outcomeOf(decode: () => unknown): unknown {
  try {
    return { data: decode() };
  } catch (error) {
    if (error instanceof BudgetError) return { code: error.code, message: error.message };
    throw error;
  }
}

/** Every object and array in `value`, itself first. */
const placesIn = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(placesIn)] : [];

interface Change {
  readonly place: number;
  readonly field: number;
  /** Added or replaced. Without it, the field is removed. */
  readonly json?: string;
  readonly name?: string;
}

function change(body: unknown, { place, field, json, name }: Change): void {
  const places = placesIn(body);
  const target = places[place % places.length] ?? {};
  const names = Object.keys(target);
  const key = (Array.isArray(target) ? undefined : name) ?? names[field % names.length] ?? '0';
  if (json !== undefined)
    Object.defineProperty(target, key, {
      value: JSON.parse(json),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  else if (!Array.isArray(target)) Reflect.deleteProperty(target, key);
}

const position = { place: fc.nat(), field: fc.nat() };
const value = fc.constantFrom(
  'null',
  '1',
  '9007199254740993',
  '"},{\\"id\\":"',
  '[]',
  '[[1],{}]',
  '{}',
  'true',
);
const anyChange = fc.oneof(
  fc.record({ ...position, json: value }),
  fc.record({ ...position, json: value, name: fc.constantFrom('later', '__proto__', 'id', 'data') }),
  fc.record(position),
);

test('an export that is decoded in steps has the same data or error as one that is decoded at once', async () => {
  const data = await directReader(smallLedger()).export();
  const few = JSON.stringify({ data }, (_, each) => (Array.isArray(each) ? each.slice(0, 4) : each));
  const seen = { decoded: 0, refused: 0 };
  const sizes = [fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 5 })] as const;
  fc.assert(
    fc.property(
      fc.array(anyChange, { maxLength: 3 }),
      fc.constantFrom(undefined, 1),
      ...sizes,
      (changes, spaces, partBytes, rowsInStep) => {
        const body: unknown = JSON.parse(few);
        for (const each of changes) change(body, each);
        const json = JSON.stringify(body, null, spaces);
        const expected = outcomeOf(() => atOneTime(json));
        const actual = outcomeOf(() => inSteps(json, partBytes, rowsInStep));
        expect(isDeepStrictEqual(actual, expected), JSON.stringify([actual, expected])).toBe(true);
        seen[isJsonObject(expected) && 'data' in expected ? 'decoded' : 'refused'] += 1;
      },
    ),
    { numRuns: fuzzRuns(500) },
  );
  expect(Math.min(seen.decoded, seen.refused)).toBeGreaterThan(5);
});

test('a long list whose rows lack a field that may be null is decoded in steps too', () => {
  const row = (at: number) => ({ id: `t-${at}`, date: '2026-01-01', amount: at, cleared: 'cleared' });
  const rows = Array.from({ length: 3_000 }, (_, at) => ({
    ...row(at),
    approved: true,
    account_id: 'a',
    deleted: false,
    account_name: 'A',
    subtransactions: [],
  }));
  const body = JSON.stringify({ data: { transactions: rows, server_knowledge: 7 } });
  const steps = decodeInSteps(
    listTransactions,
    { status: 200, headers, body: Buffer.from(body) },
    { redact, rowsInStep: 100 },
  );
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count += 1;
  expect(step.value).toStrictEqual(decodeResponse(listTransactions, { status: 200, headers, body }));
  expect(step.value.transactions[2_999]).toMatchObject({ id: 't-2999', memo: null });
  expect(count).toBeGreaterThan(30);
});

test('a large body that is not JSON is refused like a small one', () => {
  const html = `<html>${'x'.repeat(5_000)}[</html>`;
  expect(outcomeOf(() => inSteps(html, 1_000, 100))).toEqual(outcomeOf(() => atOneTime(html)));
});

test('a token that a large response repeats is removed from every part of it', async () => {
  const token = 'a-secret/token';
  const { server_knowledge, budget } = await directReader(smallLedger()).export();
  const payees = budget.payees.map((payee, at) => ({ ...payee, name: `${token} ${at}` }));
  const json = JSON.stringify({ data: { server_knowledge, budget: { ...budget, name: token, payees } } });
  const response = { status: 200, headers, body: Buffer.from(json.replaceAll('/', '\\/')) };
  const data = atOnce(decodeInSteps(getBudget, response, { redact: redactionOf(token), partBytes: 200 }));
  expect(data.budget.name).toBe('(secret)');
  expect(data.budget.payees.map(({ name }) => name)).toEqual(payees.map((_, at) => `(secret) ${at}`));
});
