/** Renaming payees (specification, Payee). The service's own payees keep their names, and nobody else gets one. */
import type { z } from 'zod';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { renamePayee } from '../ledger/payees.ts';
import type { PayeeRecord } from '../ledger/records.ts';
import { name, object } from './fields.ts';
import { ownNameIn } from './payee-names.ts';
import { Problems } from './problems.ts';

const payee = object({ name: name(500).exactOptional() });

export const payeeBody = object({ payee });

/** Throws 400 where either name is one of the service's own, unless they are the same. */
export function updatePayee(books: LedgerState, before: PayeeRecord, said: z.output<typeof payee>): void {
  const renamed = said.name?.trim() ?? before.name;
  if (renamed === before.name) return;
  const problems = new Problems();
  problems.add(nameProblems(before.name, renamed));
  problems.throwIfAny();
  renamePayee(books, before.id, renamed);
}

function* nameProblems(before: string, renamed: string): Generator<string> {
  if (ownNameIn(before) !== undefined) yield 'name of a payee of the service itself cannot be changed';
  const own = ownNameIn(renamed);
  if (own !== undefined) yield `name must not begin with '${own}', which is a name of the service's own`;
}
