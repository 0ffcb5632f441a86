/** The payees that a write creates, because its arguments name payees that the budget does not have. */
import type { z } from 'zod';
import { replaceReferences } from '../../answers/references/resolve-references.ts';
import type { JsonObject } from '../../base/json.ts';
import { payeeKey } from '../../model/bookkeeping/payee-key.ts';
import { listPayees } from '../../operations/payees.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { CallResult } from '../../session/call-result.ts';

/** The payee names in the arguments that the cached budget does not have. All of them if it is not cached. */
export function unknownPayees(call: BudgetCall, schema: z.ZodObject, args: JsonObject): string[] {
  const names = new Map<string, string>();
  replaceReferences(schema, args, {
    reference: (_, text) => text,
    payee(name) {
      const key = payeeKey(name);
      if (name.trim() !== '' && !names.has(key)) names.set(key, name.trim());
      return undefined;
    },
  });
  if (names.size === 0) return [];
  const known = call.readCached(listPayees, {})?.data?.payees ?? [];
  for (const { name } of known) names.delete(payeeKey(name));
  return [...names.values()];
}

/** Those of the unknown payees that the write has created. */
export function createdPayees(unknown: readonly string[], { changed }: CallResult<JsonObject>): string[] {
  const present = new Set(
    changed?.payees?.flatMap(({ name, deleted }) => (deleted ? [] : [payeeKey(name)])) ?? [],
  );
  return unknown.filter((name) => present.has(payeeKey(name)));
}
