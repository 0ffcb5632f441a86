/**
 * An export or a delta into what is held of a budget: upserts by id, tombstones remove, new names reach whatever shows
 * them (specification, Delta requests). An export is a delta into nothing. No state and no time of its own.
 */
import { DistrustError } from './distrust.ts';
import type { Account, Category, CategoryGroup, Export, Payee, PayeeLocation } from './entities.ts';
import { type Change, EntityTable } from './entity-table.ts';
import { MonthTable } from './month-table.ts';
import { ScheduledRegister } from './scheduled-register.ts';
import { TransactionRegister } from './transaction-register.ts';

export class Collections {
  readonly accounts = new EntityTable<Account>('account');
  readonly payees = new EntityTable<Payee>('payee');
  readonly payeeLocations = new EntityTable<PayeeLocation>('payee location');
  readonly groups = new EntityTable<CategoryGroup>('category group');
  readonly categories = new EntityTable<Category>('category');
  readonly months = new MonthTable(this.categories);
  readonly transactions = new TransactionRegister(this);
  readonly scheduled = new ScheduledRegister(this);
}

/**
 * Throws `DistrustError` where the outcome would refer to what is not there; `held` is then spoilt. Not followed are
 * the other transaction of a transfer or match, which may be pending and so in no list, and no answer depends on it.
 */
export function merge({ budget }: Export, held: Collections): void {
  const accounts = held.accounts.merge(budget.accounts);
  const payees = held.payees.merge(budget.payees);
  held.groups.merge(budget.category_groups);
  const categories = held.categories.merge(budget.categories);
  held.payeeLocations.merge(budget.payee_locations);
  held.months.merge(budget.months);
  const named = [...accounts, ...payees, ...categories];
  held.transactions.merge(budget.transactions, budget.subtransactions, named.filter(isRenamed).map(idOf));
  held.scheduled.merge(budget.scheduled_transactions, budget.scheduled_subtransactions);
  checkTables(held);
  for (const { id } of [...accounts, ...categories, ...payees].filter(isGone)) checkGone(id, held);
}

/** What is small is checked as a whole. */
function checkTables({ groups, categories, payees, payeeLocations, scheduled }: Collections): void {
  for (const { id, category_group_id } of categories.list())
    if (!groups.has(category_group_id))
      throw new DistrustError(`Category ${id} is in the unknown group ${category_group_id}.`);
  for (const { id, payee_id } of payeeLocations.list())
    if (!payees.has(payee_id)) throw new DistrustError(`Location ${id} is of the unknown payee ${payee_id}.`);
  scheduled.check();
}

function checkGone(id: string, { months, transactions }: Collections): void {
  const isOther = (leaf: { readonly transfer_account_id: string | null }) => leaf.transfer_account_id === id;
  const isMentioned =
    months.mentions(id) ||
    transactions.mentioning(id) !== undefined ||
    transactions.all.rows.some((row) => isOther(row) || row.subtransactions.some(isOther));
  if (isMentioned) throw new DistrustError(`${id} was deleted and is still referred to.`);
}

type Named = Change<{ readonly name: string }>;

const idOf = ({ id }: Named) => id;
const isRenamed = ({ before, after }: Named) => before && after && before.name !== after.name;
const isGone = ({ before, after }: Named) => before && !after;
