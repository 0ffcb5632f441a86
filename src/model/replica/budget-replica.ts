/**
 * A copy of one budget at one `server_knowledge`, so that all answers from it are consistent. It is loaded from one
 * export and updated with deltas of the same operation. It answers every read of the budget as the service would at
 * that knowledge, with the service's rules for names and lists. It sends no requests and does not decide when to
 * sync. The returned rows are shared and never change.
 */
import { atOnce, inTurns } from '../../base/turns.ts';
import { isInternalCategory, withoutOwnAmounts } from '../bookkeeping/own-categories.ts';
import type {
  Account,
  BudgetHead,
  Category,
  CategoryGroup,
  Export,
  Payee,
  PayeeLocation,
} from './entities.ts';
import { type Change, type Entities, EntityTable, InconsistentReplicaError } from './entity-table.ts';
import { exportInParts, flatRows, type WithoutTransactions } from './join.ts';
import { MonthTable } from './month-table.ts';
import { ScheduledTransactionTable } from './scheduled-transaction-table.ts';
import { TransactionLists } from './transaction-lists.ts';
import { refersToAny, TransactionTable } from './transaction-table.ts';

export class BudgetReplica {
  readonly #collections = new Collections();
  readonly accounts: Entities<Account> = this.#collections.accounts;
  readonly payees: Entities<Payee> = this.#collections.payees;
  readonly payeeLocations: Entities<PayeeLocation> = this.#collections.payeeLocations;
  readonly groups: Entities<CategoryGroup> = this.#collections.groups;
  /** With the amounts of the month of the last sync. */
  readonly categories: Entities<Category> = this.#collections.categories;
  readonly months: Omit<MonthTable, 'merge' | 'setToday'> = this.#collections.months;
  readonly scheduledTransactions: Pick<ScheduledTransactionTable, 'list' | 'get' | 'summaries'> =
    this.#collections.scheduled;
  readonly transactions = new TransactionLists(this.#collections);
  #head: BudgetHead;
  #knowledge: number;

  private constructor(data: Export) {
    this.#head = headOf(data);
    this.#knowledge = data.server_knowledge;
  }

  /**
   * Creates a replica from `GET /budgets/{budget_id}`, requested on the date `asOf` (`YYYY-MM-DD`, UTC). The month
   * `current` refers to that date until the next sync. Throws `InconsistentReplicaError` if the data is
   * inconsistent.
   */
  static load(data: Export, asOf: string): BudgetReplica {
    return atOnce(BudgetReplica.#load(data, asOf));
  }

  /** As `load`, in short turns between which other work can run. Throws `cancelled` if the signal is aborted. */
  static loadInTurns(data: Export, asOf: string, signal?: AbortSignal): Promise<BudgetReplica> {
    return inTurns(BudgetReplica.#load(data, asOf), signal);
  }

  static *#load(data: Export, asOf: string): Generator<void, BudgetReplica> {
    const replica = new BudgetReplica(data);
    yield* replica.#merge(data, asOf);
    yield* replica.#collections.transactions.sort();
    return replica;
  }

  /**
   * Applies one delta of the same operation in place. Applying it again has no effect. Throws
   * `InconsistentReplicaError` if the delta belongs to another budget, is older than the replica, or contains an
   * unresolved reference. The replica must then be discarded.
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
    atOnce(this.#merge(delta, asOf));
  }

  *#merge(data: Export, asOf: string): Generator<void> {
    this.#collections.months.setToday(asOf);
    yield* mergeIntoCollections(data, this.#collections);
  }

  /** The `server_knowledge` of the last sync. */
  get knowledge(): number {
    return this.#knowledge;
  }

  /** An estimate of the memory in use, in bytes. */
  get bytes(): number {
    return Object.values(this.#collections).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get head(): BudgetHead {
    return this.#head;
  }

  categoryGroups(): readonly (CategoryGroup & { readonly categories: readonly Category[] })[] {
    const categories = this.#collections.categories.list();
    return this.#collections.groups.list().map((group) => ({
      ...group,
      categories: categories.filter(({ category_group_id }) => category_group_id === group.id),
    }));
  }

  /** The locations of a payee. Throws `resource_not_found`. */
  locationsOf(payeeId: string): readonly PayeeLocation[] {
    const { id } = this.#collections.payees.get(payeeId);
    return this.#collections.payeeLocations.list().filter(({ payee_id }) => payee_id === id);
  }

  export(): Export['budget'] {
    return { ...this.#withoutTransactions(), ...flatRows(this.#collections.transactions.all) };
  }

  /**
   * The whole budget in parts of a limited size, each of which is computed when it is read. Together they are the budget as
   * it is now, also if a delta is applied before the last part is read.
   */
  inParts(): Generator<Export> {
    const rows = [...this.#collections.transactions.unordered];
    return exportInParts(this.#withoutTransactions(), rows, this.#knowledge);
  }

  #withoutTransactions(): WithoutTransactions {
    const { accounts, payees, payeeLocations, groups, categories, months, scheduled } = this.#collections;
    return {
      ...this.#head,
      accounts: accounts.list(),
      payees: payees.list(),
      payee_locations: payeeLocations.list(),
      category_groups: groups.list(),
      categories: categories.list(),
      months: months.details(),
      scheduled_transactions: scheduled.summaries(),
      scheduled_subtransactions: scheduled.legs(),
    };
  }
}

/** The rows of a budget, as sums read them. */
export interface BudgetRows extends Pick<BudgetReplica, 'accounts' | 'categories' | 'groups'> {
  readonly transactions: Pick<TransactionLists, 'list'>;
  readonly scheduledTransactions: Pick<ScheduledTransactionTable, 'list'>;
}

function headOf({ budget }: Export): BudgetHead {
  const { id, name, last_modified_on, first_month, last_month, date_format, currency_format } = budget;
  return { id, name, last_modified_on, first_month, last_month, date_format, currency_format };
}

class Collections {
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
 * Merges an export or a delta: inserts or replaces by id, removes deleted rows, and updates rows that contain a changed name
 * (docs/interface.md, Delta requests). An export is a delta to empty collections. Throws `InconsistentReplicaError` if the result would contain an unknown reference. The collections are then
 * unusable. References to the other transaction of a transfer or match are not checked: it may be pending and
 * missing from all lists, and no answer needs it. Yields after each step.
 */
function* mergeIntoCollections({ budget }: Export, collections: Collections): Generator<void> {
  const accounts = collections.accounts.merge(budget.accounts);
  const payees = collections.payees.merge(budget.payees);
  collections.groups.merge(budget.category_groups);
  const categories = collections.categories.merge(
    budget.categories.map((row) => withOwnAmounts(row, collections.groups.find(row.category_group_id))),
  );
  collections.payeeLocations.merge(budget.payee_locations);
  yield* collections.months.merge(budget.months);
  const changes = [...accounts, ...payees, ...categories];
  yield* collections.transactions.merge(
    budget.transactions,
    budget.subtransactions,
    new Set(changes.filter(isRenamed).map(idOf)),
  );
  collections.scheduled.merge(budget.scheduled_transactions, budget.scheduled_subtransactions);
  checkReferences(collections);
  const deleted = new Set(changes.filter(isDeletion).map(idOf));
  if (deleted.size > 0) checkDeletedAreUnreferenced(deleted, collections);
}

const withOwnAmounts = (row: Category, group: CategoryGroup | undefined) =>
  isInternalCategory(row, row.category_group_name ?? group?.name ?? null) ? withoutOwnAmounts(row) : row;

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

function checkDeletedAreUnreferenced(ids: ReadonlySet<string>, { months, transactions }: Collections): void {
  const transfersToAny = ({ transfer_account_id: id }: { readonly transfer_account_id: string | null }) =>
    id !== null && ids.has(id);
  for (const id of ids)
    if (months.hasCategory(id))
      throw new InconsistentReplicaError(`${id} was deleted and is still in a month.`);
  for (const row of transactions.unordered)
    if (refersToAny(row, ids) || transfersToAny(row) || row.subtransactions.some(transfersToAny))
      throw new InconsistentReplicaError(`Transaction ${row.id} refers to something that was deleted.`);
}

type NamedChange = Change<{ readonly name: string }>;

const idOf = ({ id }: NamedChange) => id;
const isRenamed = ({ before, after }: NamedChange) => before && after && before.name !== after.name;
const isDeletion = ({ before, after }: NamedChange) => before && !after;
