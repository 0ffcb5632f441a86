/**
 * A copy of one budget at one `server_knowledge`, so that all answers from it are consistent. It is loaded from one
 * export and updated with deltas of the same operation. It answers every read of the budget as the service would at
 * that knowledge, with the service's rules for names and lists. It sends no requests and does not decide when to
 * sync. The returned rows are shared and never change.
 */
import { groupBy } from '../../base/group-by.ts';
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
import { type NamedKind, Names } from './names.ts';
import { ScheduledTransactionTable } from './scheduled-transaction-table.ts';
import { TransactionLists } from './transaction-lists.ts';
import { TransactionTable } from './transaction-table.ts';

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
   * `current` refers to that date until the next sync.
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
   * `InconsistentReplicaError` if the delta belongs to another budget, is older than the replica, or refers to something
   * that is unknown here: the whole budget may have it. The replica must then be discarded.
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
    const { names } = this.#collections;
    const before = names.found;
    atOnce(this.#merge(delta, asOf));
    if (names.found > before)
      throw new InconsistentReplicaError('The delta refers to something that is unknown.');
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
    const { names, ...tables } = this.#collections;
    return Object.values(tables).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get head(): BudgetHead {
    return this.#head;
  }

  /** The name of a thing, also if it is one that rows refer to and that the service has not sent. */
  nameOf(kind: NamedKind, id: string): string {
    return this.#collections.names[kind](id).name;
  }

  /** Whether rows refer to a thing with this id that the service has not sent, or only as deleted. */
  isUnknown(id: string): boolean {
    return this.#collections.names.isUnknown(id);
  }

  /** Last those that are unknown, with their categories. */
  categoryGroups(): readonly (CategoryGroup & { readonly categories: readonly Category[] })[] {
    const { groups, categories, names } = this.#collections;
    const byGroup = groupBy(categories.list(), (each) => each.category_group_id);
    const known = groups.list().map((group) => ({ ...group, categories: byGroup.get(group.id) ?? [] }));
    const others = [...byGroup].filter(([id]) => !groups.has(id));
    const state = { hidden: false, deleted: false };
    return [
      ...known,
      ...others.map(([id, rows]) => ({ ...names.category_group(id), ...state, categories: rows })),
    ];
  }

  /** The locations of a payee. Throws `resource_not_found`. */
  locationsOf(payeeId: string): readonly PayeeLocation[] {
    const { id } = this.#collections.payees.get(payeeId);
    return this.#collections.payeeLocations.list().filter(({ payee_id }) => payee_id === id);
  }

  export(): Export['budget'] {
    const { all, orphans } = this.#collections.transactions;
    const { transactions, subtransactions } = flatRows(all);
    return {
      ...this.#withoutTransactions(),
      transactions,
      subtransactions: [...subtransactions, ...orphans.values()],
    };
  }

  /**
   * The whole budget in parts of a limited size, each of which is computed when it is read. Together they are the budget as
   * it is now, also if a delta is applied before the last part is read.
   */
  inParts(): Generator<Export> {
    const { unordered, orphans } = this.#collections.transactions;
    return exportInParts(this.#withoutTransactions(), [...unordered], [...orphans.values()], this.#knowledge);
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
  readonly names = new Names(this);
  readonly transactions = new TransactionTable(this.names);
  readonly scheduled = new ScheduledTransactionTable(this.names);
}

/**
 * Merges an export or a delta: inserts or replaces by id, removes deleted rows, and updates rows that contain a changed name
 * (docs/interface.md, Delta requests). An export is a delta to empty collections. References to the other transaction of a transfer
 * or match are not looked at: it may be pending and missing from all lists, and no answer needs it. Yields after each step.
 */
function* mergeIntoCollections({ budget }: Export, collections: Collections): Generator<void> {
  const { names, months, categories, groups } = collections;
  const changedGroups = groups.merge(budget.category_groups);
  const changes: readonly NamedChange[] = [
    ...collections.accounts.merge(budget.accounts),
    ...collections.payees.merge(budget.payees),
    ...categories.merge(
      budget.categories.map((row) => withOwnAmounts(row, groups.find(row.category_group_id))),
    ),
  ];
  const renamed = new Set(changes.filter((each) => isRenamed(each, names)).map(({ id }) => id));
  for (const { id, after } of [...changes, ...changedGroups]) if (after) names.learn(id);
  collections.payeeLocations.merge(budget.payee_locations);
  yield* months.merge(budget.months);
  yield* collections.transactions.merge(budget.transactions, budget.subtransactions, renamed);
  collections.scheduled.merge(budget.scheduled_transactions, budget.scheduled_subtransactions);
  // What is unknown is noted when its name is looked up.
  for (const each of categories.list())
    names.category_group(each.category_group_id, each.category_group_name);
  for (const { payee_id } of collections.payeeLocations.list()) names.payee(payee_id);
  for (const month of budget.months)
    for (const each of month.categories) if (!each.deleted) names.category(each.id);
  for (const { id, after } of changes) if (!after && months.hasCategory(id)) names.category(id);
  collections.scheduled.list();
}

const withOwnAmounts = (row: Category, group: CategoryGroup | undefined) =>
  isInternalCategory(row, row.category_group_name ?? group?.name ?? null) ? withoutOwnAmounts(row) : row;

type NamedChange = Change<{ readonly name: string }>;

/** Whether rows may have another name of it. A thing that is new has none, unless it was unknown. */
const isRenamed = ({ id, before, after }: NamedChange, names: Names): boolean =>
  before ? before.name !== after?.name : after !== undefined && names.isUnknown(id);
