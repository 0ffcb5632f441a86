/** Whether a replica and the service answer the same, field by field. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { BudgetError } from '../../src/errors.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { BudgetReplica } from '../../src/replica/budget-replica.ts';
import type { Asked, Input } from './asked.ts';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const keyOf = (row: object) => String(('id' in row && row.id) || ('month' in row && row.month));
const byKey = (a: object, b: object) => (keyOf(a) < keyOf(b) ? -1 : 1);

/** The same with every list by id: a list has no order of its own, or one that is tested by itself. */
function settled(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(isObject).toSorted(byKey).map(settled);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, settled(each)]));
}

/** An answer, or the code of the error. */
async function outcomeOf(answer: () => unknown): Promise<unknown> {
  try {
    return settled(await answer());
  } catch (error) {
    if (error instanceof BudgetError) return error.code;
    throw error;
  }
}

export async function expectSameAnswer(
  replica: BudgetReplica,
  service: Asked,
  operation: Operation,
  input: Input,
): Promise<void> {
  const parsed = operation.input.parse(input);
  const answered = await outcomeOf(() => operation.readLocally?.(replica, parsed));
  const sent = await outcomeOf(() => service.data(operation, parsed));
  if (isDeepStrictEqual(answered, sent)) return;
  expect(answered, `${operation.name} ${JSON.stringify(input)}`).toEqual(sent);
  expect.unreachable('They differ in undefined fields.');
}

export function expectNewestFirst(rows: readonly { readonly date: string; readonly id: string }[]): void {
  const sorted = rows.toSorted((a, b) => b.date.localeCompare(a.date) || (a.id < b.id ? -1 : 1));
  expect(rows.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
}
