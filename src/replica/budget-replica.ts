/**
 * One budget, held: its entities by id at one `server_knowledge`, so that whatever is answered from it agrees with
 * itself. It is loaded from one export, kept by deltas of the same operation, and answers every read of a budget as the
 * service would have at that knowledge. It knows the rules by which the service joins and lists; it must not know how
 * anything is asked, when to sync, or how an answer looks. What it hands out is shared and never changes.
 */

import type {
  Account,
  BudgetHead,
  Category,
  CategoryGroup,
  Export,
  Payee,
  PayeeLocation,
} from './entities.ts';
import type { Entities } from './entity-table.ts';
import { InconsistentReplicaError } from './inconsistent-replica-error.ts';
import { toSummary } from './join.ts';
import { Collections, mergeIntoCollections } from './merge.ts';
import type { MonthTable } from './month-table.ts';
import type { ScheduledTransactionTable } from './scheduled-register.ts';
import { TransactionLists } from './transaction-lists.ts';

export class BudgetReplica {
  readonly #held = new Collections();
  /** The queries on transactions. */
  readonly transactions = new TransactionLists(this.#held);
  #head: BudgetHead;
  #knowledge: number;

  private constructor(data: Export, asOf: string) {
    this.#head = headOf(data);
    this.#knowledge = data.server_knowledge;
    this.#merge(data, asOf);
  }

  /**
   * From `GET /budgets/{budget_id}`, asked on the date `asOf` (`YYYY-MM-DD`, UTC), by which `current` is understood
   * until the next sync. Throws `DistrustError` where it contradicts itself.
   */
  static load(data: Export, asOf: string): BudgetReplica {
    return new BudgetReplica(data, asOf);
  }

  /**
   * One delta of the same operation, in place; the same one again does nothing. Throws `DistrustError` for that of
   * another budget, for one that is older than what is held, and where a reference would lead nowhere: the replica must
   * then be thrown away.
   */
  apply(delta: Export, asOf: string): void {
    if (delta.budget.id !== this.#head.id)
      throw new InconsistentReplicaError('The delta is of another budget.');
    if (delta.server_knowledge < this.#knowledge)
      throw new InconsistentReplicaError(
        `Knowledge went back from ${this.#knowledge} to ${delta.server_knowledge}.`,
      );
    this.#head = headOf(delta);
    this.#knowledge = delta.server_knowledge;
    this.#merge(delta, asOf);
  }

  #merge(data: Export, asOf: string): void {
    this.#held.months.setToday(asOf);
    mergeIntoCollections(data, this.#held);
  }

  /** The `server_knowledge` of the last sync. */
  get knowledge(): number {
    return this.#knowledge;
  }

  /** An estimate of the memory that is held, in bytes. */
  get bytes(): number {
    const { accounts, payees, payeeLocations, groups, categories, months, scheduled, transactions } =
      this.#held;
    const tables = [accounts, payees, payeeLocations, groups, categories, months, scheduled, transactions];
    return tables.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get head(): BudgetHead {
    return this.#head;
  }

  get accounts(): Entities<Account> {
    return this.#held.accounts;
  }

  get payees(): Entities<Payee> {
    return this.#held.payees;
  }

  get payeeLocations(): Entities<PayeeLocation> {
    return this.#held.payeeLocations;
  }

  /** With the amounts of the month in which they were synced. */
  get categories(): Entities<Category> {
    return this.#held.categories;
  }

  get months(): Omit<MonthTable, 'merge' | 'setToday'> {
    return this.#held.months;
  }

  get scheduledTransactions(): Pick<ScheduledTransactionTable, 'list' | 'get'> {
    return this.#held.scheduled;
  }

  /** Every group with its categories. */
  categoryGroups(): readonly (CategoryGroup & { readonly categories: readonly Category[] })[] {
    const categories = this.#held.categories.list();
    return this.#held.groups.list().map((group) => ({
      ...group,
      categories: categories.filter(({ category_group_id }) => category_group_id === group.id),
    }));
  }

  /** Those of one payee. Throws `resource_not_found`. */
  locationsOf(payeeId: string): readonly PayeeLocation[] {
    const { id } = this.#held.payees.get(payeeId);
    return this.#held.payeeLocations.list().filter(({ payee_id }) => payee_id === id);
  }

  /** The whole budget in flat arrays. */
  export(): Export['budget'] {
    const { accounts, payees, payeeLocations, groups, categories, months, transactions, scheduled } =
      this.#held;
    const { rows } = transactions.all;
    return {
      ...this.#head,
      accounts: accounts.list(),
      payees: payees.list(),
      payee_locations: payeeLocations.list(),
      category_groups: groups.list(),
      categories: categories.list(),
      months: months.details(),
      transactions: rows.map(toSummary),
      subtransactions: rows.flatMap(({ subtransactions }) => subtransactions),
      scheduled_transactions: scheduled.summaries(),
      scheduled_subtransactions: scheduled.legs(),
    };
  }
}

function headOf({ budget }: Export): BudgetHead {
  const { id, name, last_modified_on, first_month, last_month, date_format, currency_format } = budget;
  return { id, name, last_modified_on, first_month, last_month, date_format, currency_format };
}
