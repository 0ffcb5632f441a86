/** The payees that a write creates, because its arguments name payees that the budget does not have. */
import type { z } from 'zod';
import type { BudgetCall } from '../client/budget-call.ts';
import type { CallResult } from '../client/call-result.ts';
import { listPayees } from '../operations/payees.ts';
import type { JsonObject } from '../platform/json.ts';
import { replaceReferences } from './reference-arguments.ts';
import { isSamePayee } from './references.ts';

/** The payee names in the arguments that the cached budget does not have. All of them if it is not cached. */
export function unknownPayees(call: BudgetCall, schema: z.ZodObject, args: JsonObject): string[] {
  const names: string[] = [];
  replaceReferences(schema, args, {
    reference: (_, text) => text,
    payee(name) {
      const isNew = name.trim() !== '' && !names.some((other) => isSamePayee(other, name));
      if (isNew) names.push(name.trim());
      return undefined;
    },
  });
  if (names.length === 0) return names;
  const known = call.readCached(listPayees, {})?.data?.payees ?? [];
  return names.filter((name) => !known.some((payee) => isSamePayee(payee.name, name)));
}

/** Those of the unknown payees that the write has created. */
export const createdPayees = (unknown: readonly string[], { changed }: CallResult<JsonObject>): string[] =>
  unknown.filter((name) => changed?.payees?.some((payee) => !payee.deleted && isSamePayee(payee.name, name)));
