import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { budgetId, id, text } from '../../src/base/schema/fields.ts';
import { operations } from '../../src/operations/index.ts';
import { operation } from '../../src/operations/operation.ts';

const head = { name: 'get_thing', title: 'Get thing', description: 'A thing.' };
const output = { thing: z.object({ id: text }) };

const getThing = operation({
  ...head,
  route: 'GET /budgets/{budget_id}/things/{thing_id}',
  input: { budget_id: budgetId, thing_id: id },
  output,
});

describe('the type of an operation', () => {
  // The compiler checks these. A `@ts-expect-error` without an error is an error.
  test('an operation compiles only if its input has every path parameter', () => {
    operation({
      ...head,
      route: 'GET /budgets/{budget_id}/things/{thing_id}',
      // @ts-expect-error thing_id is missing
      input: { budget_id: budgetId },
      output,
    });
    // @ts-expect-error the input of a route with parameters is not empty
    operation({ ...head, route: 'GET /things/{thing_id}', input: {}, output });
    operation({ ...head, route: 'GET /things', input: {}, output });
  });

  test('an operation compiles only with a known method and an absolute path', () => {
    // @ts-expect-error no such method
    operation({ ...head, route: 'FETCH /things', input: {}, output });
    // @ts-expect-error no leading slash
    operation({ ...head, route: 'GET things', input: {}, output });
  });

  test('an operation compiles only if its example uses existing arguments', () => {
    const input = { since_date: text };
    // @ts-expect-error no such argument
    operation({ ...head, route: 'GET /things', input, output, example: { since: '2026-11-21' } });
  });

  test('an operation compiles only if its output has the property of its rows', () => {
    const rows = { key: 'stuff', order: 'as sent' } as const;
    // @ts-expect-error no such property
    operation({ ...head, route: 'GET /things', input: {}, output, rows });
  });
});

describe('the schemas of an operation', () => {
  test('the input of an operation refuses unknown arguments', () => {
    expect(getThing.input.safeParse({ thing_id: 't-1' }).success).toBe(true);
    expect(getThing.input.safeParse({ thing_id: 't-1', thingId: 't-1' }).success).toBe(false);
  });

  test('the output of an operation ignores unknown properties of the response', () => {
    expect(getThing.output.parse({ thing: { id: 't-1', colour: 'red' }, more: 1 })).toEqual({
      thing: { id: 't-1' },
    });
  });
});

describe('the list of operations', () => {
  test('the list of operations has each name and each route once', () => {
    expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
    expect(new Set(operations.map(({ route }) => route)).size).toBe(operations.length);
  });

  test('operations that read use GET, and operations that write do not', () => {
    for (const { route, kind } of operations) expect(route.startsWith('GET ')).toBe(kind === 'read');
  });
});
