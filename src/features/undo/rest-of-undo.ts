/**
 * What an undo has left to do that was interrupted, or that takes back a part at a time, by the steps that it has in the journal.
 * Pure.
 */
import { canonicalJson, isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Operation } from '../../operations/operation.ts';
import type { Reversal } from '../../operations/reversal.ts';
import type { JournalStep } from '../../session/writes/journal.ts';
import { operationNamed, operationOf } from './take-back.ts';

/** The reversals that `steps` lack, and what has to follow those that they have. */
export function restOf(reversals: readonly Reversal[], steps: readonly JournalStep[]): readonly Reversal[] {
  /** By what was written, the things in the responses. Equal entries can be written several times. */
  const done = new Map<string, JsonObject[]>();
  for (const { operation: name, input, data } of steps) {
    const operation = operationNamed(name);
    for (const [index, row] of rowsOf(operation, input).entries()) {
      const key = keyOf(operation, row);
      done.set(key, [...(done.get(key) ?? []), writtenOf(data, row, index)]);
    }
  }
  const leftOf = (reversal: Reversal): readonly Reversal[] => {
    const { operation, input } = operationOf(reversal);
    const found = rowsOf(operation, input).map((row) => done.get(keyOf(operation, row))?.shift());
    // A write is carried out as a whole.
    if (found.includes(undefined)) return [reversal];
    return (reversal.followUps?.({ transactions: found }) ?? []).flatMap(leftOf);
  };
  return reversals.flatMap(leftOf);
}

const rowsOf = ({ batch = '' }: Operation, input: JsonObject): readonly JsonObject[] => {
  const rows = input[batch];
  return Array.isArray(rows) ? rows.filter(isJsonObject) : [input];
};

/** What it writes to: the amount of a difference depends on what is there. A creation is known by all that it enters. */
function keyOf({ name, kind, route }: Operation, { budget_id: _, ...row }: JsonObject): string {
  const isTarget = ([field]: [string, unknown]) => field === 'id' || route.includes(`{${field}}`);
  const target = kind === 'create' ? row : Object.fromEntries(Object.entries(row).filter(isTarget));
  return canonicalJson([name, target]);
}

/** The thing in the response. New things are there in the order in which they were sent. */
function writtenOf({ transaction, transactions }: JsonObject, { id }: JsonObject, index: number): JsonObject {
  const rows = (Array.isArray(transactions) ? transactions : [transaction]).filter(isJsonObject);
  return (id === undefined ? rows[index] : rows.find((each) => each['id'] === id)) ?? {};
}
