/** Compares the answers of a replica and of the service, field by field. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import type { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import type { Operation } from '../../../src/operations/operation.ts';
import { comparableRow } from '../../session/in-order.helper.ts';
import type { Input, ServiceReader } from './service-reader.helper.ts';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const keyOf = (row: object) => String(('id' in row && row.id) || ('month' in row && row.month));
const byKey = (a: object, b: object) => (keyOf(a) < keyOf(b) ? -1 : 1);

/** The value with every list sorted by id, because the order of lists is not compared here. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(isObject).toSorted(byKey).map(comparable);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(comparableRow(value)).map(([name, item]) => [name, comparable(item)]),
  );
}

/** The answer, or the code of the error. */
async function outcomeOf(answer: () => unknown): Promise<unknown> {
  try {
    return comparable(await answer());
  } catch (error) {
    if (error instanceof BudgetError) return error.code;
    throw error;
  }
}

export async function expectSameAnswer(
  replica: BudgetReplica,
  service: ServiceReader,
  operation: Operation,
  input: Input,
): Promise<void> {
  const parsed = operation.input.parse(input);
  const fromReplica = await outcomeOf(() => operation.readLocally?.(replica, parsed));
  const fromService = await outcomeOf(() => service.data(operation, parsed));
  if (isDeepStrictEqual(fromReplica, fromService)) return;
  expect(fromReplica, `${operation.name} ${JSON.stringify(input)}`).toEqual(fromService);
  expect.unreachable('They differ in undefined fields.');
}

export function expectNewestFirst(rows: readonly { readonly date: string; readonly id: string }[]): void {
  const sorted = rows.toSorted((a, b) => b.date.localeCompare(a.date) || (a.id < b.id ? -1 : 1));
  expect(rows.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
}
