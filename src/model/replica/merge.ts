/**
 * Merges an export or a delta into the collections of a budget: inserts or replaces by id, removes deleted rows, and
 * updates rows that contain a changed name (docs/interface.md, Delta requests). An export is a delta to empty
 * collections. The work is done in short steps.
 */

import type { Account, Category, CategoryGroup, Export, Payee, PayeeLocation } from './entities.ts';
import { type Change, EntityTable, InconsistentReplicaError } from './entity-table.ts';
import { MonthTable } from './month-table.ts';
import { ScheduledTransactionTable } from './scheduled-transaction-table.ts';
import { TransactionTable } from './transaction-table.ts';

export class Collections {
  readonly accounts = new EntityTable<Account>('account');
  readonly payees = new EntityTable<Payee>('payee');
  readonly payeeLocations = new EntityTable<PayeeLocation>('payee location');
  readonly groups = new EntityTable<CategoryGroup>('category group');
  readonly categories = new EntityTable<Category>('category');
  readonly months = new MonthTable(this.categories);
  readonly transactions = new TransactionTable(this);
  readonly scheduled = new ScheduledTransactionTable(this);
}

/**
 * Throws `InconsistentReplicaError` if the result would contain an unknown reference. The collections are then
 * unusable. References to the other transaction of a transfer or match are not checked: it may be pending and
 * missing from all lists, and no answer needs it. Yields after each step.
 */
export function* mergeIntoCollections({ budget }: Export, collections: Collections): Generator<void> {
  const accounts = collections.accounts.merge(budget.accounts);
  const payees = collections.payees.merge(budget.payees);
  collections.groups.merge(budget.category_groups);
  const categories = collections.categories.merge(budget.categories);
  collections.payeeLocations.merge(budget.payee_locations);
  yield* collections.months.merge(budget.months);
  const changes = [...accounts, ...payees, ...categories];
  yield* collections.transactions.merge(
    budget.transactions,
    budget.subtransactions,
    changes.filter(isRenamed).map(idOf),
  );
  collections.scheduled.merge(budget.scheduled_transactions, budget.scheduled_subtransactions);
  checkReferences(collections);
  for (const { id } of [...accounts, ...categories, ...payees].filter(isDeletion))
    checkDeletedIsUnreferenced(id, collections);
}

/** Small collections are checked completely. */
function checkReferences({ groups, categories, payees, payeeLocations, scheduled }: Collections): void {
  for (const { id, category_group_id } of categories.list())
    if (!groups.has(category_group_id))
      throw new InconsistentReplicaError(`Category ${id} is in the unknown group ${category_group_id}.`);
  for (const { id, payee_id } of payeeLocations.list())
    if (!payees.has(payee_id))
      throw new InconsistentReplicaError(`Location ${id} is of the unknown payee ${payee_id}.`);
  scheduled.check();
}

function checkDeletedIsUnreferenced(id: string, { months, transactions }: Collections): void {
  const transfersToIt = (line: { readonly transfer_account_id: string | null }) =>
    line.transfer_account_id === id;
  const isReferenced =
    months.hasCategory(id) ||
    transactions.referencing(id) !== undefined ||
    transactions.all.rows.some((row) => transfersToIt(row) || row.subtransactions.some(transfersToIt));
  if (isReferenced) throw new InconsistentReplicaError(`${id} was deleted and is still referred to.`);
}

type NamedChange = Change<{ readonly name: string }>;

const idOf = ({ id }: NamedChange) => id;
const isRenamed = ({ before, after }: NamedChange) => before && after && before.name !== after.name;
const isDeletion = ({ before, after }: NamedChange) => before && !after;
