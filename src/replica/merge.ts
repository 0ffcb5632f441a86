/**
 * An export or a delta into what is held of a budget: upserts by id, tombstones remove, new names reach whatever shows
 * them (specification, Delta requests). An export is a delta into nothing. No state and no time of its own.
 */

import type { Account, Category, CategoryGroup, Export, Payee, PayeeLocation } from './entities.ts';
import { type Change, EntityTable } from './entity-table.ts';
import { InconsistentReplicaError } from './inconsistent-replica-error.ts';
import { MonthTable } from './month-table.ts';
import { ScheduledTransactionTable } from './scheduled-register.ts';
import { TransactionTable } from './transaction-register.ts';

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
 * Throws `DistrustError` where the outcome would refer to what is not there; `held` is then spoilt. Not followed are
 * the other transaction of a transfer or match, which may be pending and so in no list, and no answer depends on it.
 */
export function mergeIntoCollections({ budget }: Export, held: Collections): void {
  const accounts = held.accounts.merge(budget.accounts);
  const payees = held.payees.merge(budget.payees);
  held.groups.merge(budget.category_groups);
  const categories = held.categories.merge(budget.categories);
  held.payeeLocations.merge(budget.payee_locations);
  held.months.merge(budget.months);
  const named = [...accounts, ...payees, ...categories];
  held.transactions.merge(budget.transactions, budget.subtransactions, named.filter(isRenamed).map(idOf));
  held.scheduled.merge(budget.scheduled_transactions, budget.scheduled_subtransactions);
  checkReferences(held);
  for (const { id } of [...accounts, ...categories, ...payees].filter(isDeletion))
    checkDeletedIsUnreferenced(id, held);
}

/** What is small is checked as a whole. */
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
  const isOther = (leaf: { readonly transfer_account_id: string | null }) => leaf.transfer_account_id === id;
  const isMentioned =
    months.hasCategory(id) ||
    transactions.mentioning(id) !== undefined ||
    transactions.all.rows.some((row) => isOther(row) || row.subtransactions.some(isOther));
  if (isMentioned) throw new InconsistentReplicaError(`${id} was deleted and is still referred to.`);
}

type NamedChange = Change<{ readonly name: string }>;

const idOf = ({ id }: NamedChange) => id;
const isRenamed = ({ before, after }: NamedChange) => before && after && before.name !== after.name;
const isDeletion = ({ before, after }: NamedChange) => before && !after;
