/**
 * A copy of one budget at one `server_knowledge`, so that all answers from it are consistent. It is loaded from one
 * export and updated with deltas of the same operation. It answers every read of the budget as the service would at
 * that knowledge, with the service's rules for names and lists. It sends no requests and does not decide when to
 * sync. The returned rows are shared and never change.
 */
import { groupBy } from '../../base/group-by.ts';
import { atOnce, inTurns } from '../../base/turns.ts';
import { Collections, headOf, mayHave, mergeIntoCollections } from './collections.ts';
import type {
  Account,
  BudgetHead,
  Category,
  CategoryGroup,
  Export,
  Payee,
  PayeeLocation,
} from './entities.ts';
import { type Entities, InconsistentReplicaError } from './entity-table.ts';
import { exportInParts, flatRows, type WithoutTransactions } from './join.ts';
import { type Lacks, Uses } from './lacks.ts';
import type { MonthTable } from './month-table.ts';
import type { NamedKind } from './names.ts';
import type { ScheduledTransactionTable } from './scheduled-transaction-table.ts';
import { TransactionLists } from './transaction-lists.ts';

export class BudgetReplica {
  readonly #collections: Collections;
  readonly #uses: Uses | undefined;
  readonly accounts: Entities<Account>;
  readonly payees: Entities<Payee>;
  readonly payeeLocations: Entities<PayeeLocation>;
  readonly groups: Entities<CategoryGroup>;
  /** With the amounts of the month of the last sync. */
  readonly categories: Entities<Category>;
  readonly months: Omit<MonthTable, 'merge' | 'setToday'>;
  readonly scheduledTransactions: Pick<ScheduledTransactionTable, 'list' | 'get' | 'summaries'>;
  readonly transactions: TransactionLists;

  private constructor(collections: Collections, uses?: Uses) {
    const observed = <Table extends object>(table: Table, kind: string) =>
      uses ? uses.observed(table, kind) : table;
    this.#collections = collections;
    this.#uses = uses;
    this.accounts = observed(collections.accounts, 'account');
    this.payees = observed(collections.payees, 'payee');
    this.payeeLocations = observed(collections.payeeLocations, 'payee_location');
    this.groups = observed(collections.groups, 'category_group');
    this.categories = observed(collections.categories, 'category');
    this.months = observed(collections.months, 'month');
    this.scheduledTransactions = observed(collections.scheduled, 'scheduled_transaction');
    this.transactions = new TransactionLists(collections, uses);
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
    const replica = new BudgetReplica(new Collections(data));
    replica.#collections.gaps.merge(data, false);
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
    const { head, knowledge, names, gaps } = this.#collections;
    if (delta.budget.id !== head.id) throw new InconsistentReplicaError('The delta is of another budget.');
    if (delta.server_knowledge < knowledge)
      throw new InconsistentReplicaError(
        `Knowledge went back from ${knowledge} to ${delta.server_knowledge}.`,
      );
    const before = names.found;
    const leftOut = gaps.merge(delta, true).filter((each) => each.left_out);
    this.#collections.head = headOf(delta);
    this.#collections.knowledge = delta.server_knowledge;
    atOnce(this.#merge(delta, asOf));
    if (names.found > before)
      throw new InconsistentReplicaError('The delta refers to something that is unknown.');
    if (leftOut.some((each) => mayHave(each, this.#collections)))
      throw new InconsistentReplicaError('The delta changes something and cannot be read there.');
  }

  *#merge(data: Export, asOf: string): Generator<void> {
    const { months, gaps, names } = this.#collections;
    months.setToday(asOf);
    yield* mergeIntoCollections(data, this.#collections);
    this.#collections.isWhole = gaps.all.length === 0 && names.found === 0;
  }

  /** The `server_knowledge` of the last sync. */
  get knowledge(): number {
    return this.#collections.knowledge;
  }

  /** An estimate of the memory in use, in bytes. */
  get bytes(): number {
    const { head, knowledge, isWhole, gaps, names, ...tables } = this.#collections;
    return Object.values(tables).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get head(): BudgetHead {
    this.#uses?.list('budget');
    return this.#collections.head;
  }

  /** The name of a thing, also if it is one that rows refer to and that the service has not sent. */
  nameOf(kind: NamedKind, id: string): string {
    return this.#collections.names[kind](id).name;
  }

  /** True if no answer lacks anything. */
  get isWhole(): boolean {
    return this.#collections.isWhole;
  }

  /** The same budget, for one answer, with what that lacks after it was computed. It changes as this one does. */
  observed(areShown = false): { readonly replica: BudgetReplica; readonly lacks: () => Lacks } {
    const uses = new Uses(this.#collections, areShown);
    return { replica: new BudgetReplica(this.#collections, uses), lacks: () => uses.lacks() };
  }

  /** Why no write can be computed from a thing or a month: not all of it could be read, or the service has not sent it. */
  problemWith(id: string): string | undefined {
    const { gaps, names } = this.#collections;
    const gap = gaps.ofThing(id);
    if (gap) return `the service sent it without readable ${Object.keys(gap.fields).join(', ')}`;
    return names.isUnknown(id) ? 'the service refers to it and did not send it' : undefined;
  }

  /** Last those that are unknown, with their categories. */
  categoryGroups(): readonly (CategoryGroup & { readonly categories: readonly Category[] })[] {
    const { groups, categories } = this;
    const { names } = this.#collections;
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
    const { id } = this.payees.get(payeeId);
    return this.payeeLocations.list().filter(({ payee_id }) => payee_id === id);
  }

  export(): Export['budget'] {
    for (const kind of EXPORTED) this.#uses?.list(kind);
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
    const { transactions, gaps, knowledge } = this.#collections;
    const rest = { orphans: [...transactions.orphans.values()], gaps: gaps.all };
    return exportInParts(this.#withoutTransactions(), [...transactions.unordered], rest, knowledge);
  }

  #withoutTransactions(): WithoutTransactions {
    const { accounts, payees, payeeLocations, groups, categories, months, scheduled } = this.#collections;
    return {
      ...this.#collections.head,
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

/** The kinds of things in the export of a budget. */
const EXPORTED = [
  ...['account', 'payee', 'payee_location', 'category_group', 'category', 'month', 'transaction'],
  ...['scheduled_transaction', 'budget'],
];
