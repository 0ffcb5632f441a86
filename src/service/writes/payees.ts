/**
 * Creates and renames payees (docs/interface.md, Payee). Payees with reserved names cannot be renamed, and reserved names cannot
 * be given.
 */
import type { z } from 'zod';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { createPayee, renamePayee } from '../ledger/payees.ts';
import type { PayeeRecord } from '../ledger/records.ts';
import { name, objectWithFields } from './fields.ts';
import { reservedPrefixOf } from './payee-names.ts';
import { Problems } from './problems.ts';

const payee = objectWithFields({ name: name(500).exactOptional() });

export const payeeBody = objectWithFields({ payee });

export const newPayeeBody = objectWithFields({ payee: objectWithFields({ name: name(500) }) });

/** Throws 400 if the name is reserved. Another payee may have the same name. */
export function addPayee(state: LedgerState, payeeName: string): PayeeRecord {
  const problems = new Problems();
  problems.add(reservedNameProblems(payeeName));
  problems.throwIfAny();
  return createPayee(state, payeeName.trim());
}

/** Throws 400 if the old or the new name is reserved, unless they are equal. */
export function updatePayee(state: LedgerState, before: PayeeRecord, change: z.output<typeof payee>): void {
  const newName = change.name?.trim() ?? before.name;
  if (newName === before.name) return;
  const problems = new Problems();
  problems.add(nameProblems(before.name, newName));
  problems.throwIfAny();
  renamePayee(state, before.id, newName);
}

function* nameProblems(before: string, newName: string): Generator<string> {
  if (reservedPrefixOf(before) !== undefined) yield 'name of a payee of the service itself cannot be changed';
  yield* reservedNameProblems(newName);
}

function* reservedNameProblems(newName: string): Generator<string> {
  const reserved = reservedPrefixOf(newName);
  if (reserved !== undefined)
    yield `name must not begin with '${reserved}', which is a name of the service's own`;
}
