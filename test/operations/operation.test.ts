import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { operations } from '../../src/operations/index.ts';
import { operation } from '../../src/operations/operation.ts';
import { budgetId, id, text } from '../../src/schema/fields.ts';

const head = { name: 'get_thing', title: 'Get thing', description: 'A thing.', kind: 'read' } as const;
const output = { thing: z.object({ id: text }) };

const getThing = operation({
  ...head,
  route: 'GET /budgets/{budget_id}/things/{thing_id}',
  input: { budget_id: budgetId, thing_id: id },
  output,
  example: {},
});

describe('an entry compiles', () => {
  // The compiler checks these: a directive that expects no error is an error itself.
  test('only with every path parameter in its input', () => {
    operation({
      ...head,
      route: 'GET /budgets/{budget_id}/things/{thing_id}',
      // @ts-expect-error thing_id is missing
      input: { budget_id: budgetId },
      output,
      example: {},
    });
    // @ts-expect-error the input of a route with parameters is not empty
    operation({ ...head, route: 'GET /things/{thing_id}', input: {}, output, example: {} });
    operation({ ...head, route: 'GET /things', input: {}, output, example: {} });
  });

  test('only with a method and an absolute path', () => {
    // @ts-expect-error no such method
    operation({ ...head, route: 'FETCH /things', input: {}, output, example: {} });
    // @ts-expect-error no leading slash
    operation({ ...head, route: 'GET things', input: {}, output, example: {} });
  });

  test('only with an example of arguments that there are', () => {
    const input = { since_date: text };
    // @ts-expect-error no such argument
    operation({ ...head, route: 'GET /things', input, output, example: { since: '2026-11-21' } });
  });

  test('only with rows that its output holds', () => {
    const rows = { key: 'stuff', order: 'as sent' } as const;
    // @ts-expect-error no such property
    operation({ ...head, route: 'GET /things', input: {}, output, rows, example: {} });
  });
});

describe('an operation', () => {
  test('refuses arguments that it does not know', () => {
    expect(getThing.input.safeParse({ thing_id: 't-1' }).success).toBe(true);
    expect(getThing.input.safeParse({ thing_id: 't-1', thingId: 't-1' }).success).toBe(false);
  });

  test('accepts properties in the answer that it does not know', () => {
    expect(getThing.output.parse({ thing: { id: 't-1', colour: 'red' }, more: 1 })).toEqual({
      thing: { id: 't-1' },
    });
  });
});

describe('the table', () => {
  test('names each operation and each route once', () => {
    expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
    expect(new Set(operations.map(({ route }) => route)).size).toBe(operations.length);
  });

  test('reads by GET and by nothing else', () => {
    for (const { route, kind } of operations) expect(route.startsWith('GET ')).toBe(kind === 'read');
  });
});
