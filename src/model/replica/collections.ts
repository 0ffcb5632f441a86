/** The content of a replica: its tables, and how an export or a delta is merged into them. */
import type { Gap } from '../../base/schema/gap.ts';
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
import { type Change, EntityTable } from './entity-table.ts';
import { Gaps } from './gaps.ts';
import { MonthTable } from './month-table.ts';
import { Names } from './names.ts';
import { ScheduledTransactionTable } from './scheduled-transaction-table.ts';
import { TransactionTable } from './transaction-table.ts';

export class Collections {
  head: BudgetHead;
  knowledge: number;
  readonly gaps = new Gaps();
  /** True if all of it could be read, and it has all that it refers to. */
  isWhole = true;
  readonly accounts = new EntityTable<Account>('account');
  readonly payees = new EntityTable<Payee>('payee');
  readonly payeeLocations = new EntityTable<PayeeLocation>('payee location');
  readonly groups = new EntityTable<CategoryGroup>('category group');
  readonly categories = new EntityTable<Category>('category');
  readonly months = new MonthTable(this.categories);
  readonly names = new Names(this);
  readonly transactions = new TransactionTable(this.names);
  readonly scheduled = new ScheduledTransactionTable(this.names);

  constructor(data: Export) {
    this.head = headOf(data);
    this.knowledge = data.server_knowledge;
  }
}

export function headOf({ budget }: Export): BudgetHead {
  const { id, name, last_modified_on, first_month, last_month, date_format, currency_format } = budget;
  return { id, name, last_modified_on, first_month, last_month, date_format, currency_format };
}

/**
 * Merges an export or a delta: inserts or replaces by id, removes deleted rows, and updates rows that contain a changed name
 * (docs/interface.md, Delta requests). An export is a delta to empty collections. References to the other transaction of a transfer
 * or match are not looked at: it may be pending and missing from all lists, and no answer needs it. Yields after each step.
 */
export function* mergeIntoCollections({ budget }: Export, collections: Collections): Generator<void> {
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
  // An unknown thing is noted when its name is looked up.
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

/** True if the budget may have an earlier state of what was left out of a delta, which is wrong now. */
export function mayHave({ kind, id }: Gap, collections: Collections): boolean {
  const { accounts, payees, payeeLocations, groups, transactions, scheduled } = collections;
  const isPart = kind === 'category' || kind === 'subtransaction' || kind === 'scheduled_subtransaction';
  if (id === null || isPart) return true;
  return [accounts, payees, payeeLocations, groups, transactions, scheduled].some((each) => each.has(id));
}

type NamedChange = Change<{ readonly name: string }>;

/** True if rows may have another name of it. A thing that is new has none, unless it was unknown. */
const isRenamed = ({ id, before, after }: NamedChange, names: Names): boolean =>
  before ? before.name !== after?.name : after !== undefined && names.isUnknown(id);
