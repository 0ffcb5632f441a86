/** What of each kind there is in a budget, by which names it is found, and how a message describes it. Pure. */
import { quoteStart, word } from '../../base/quote.ts';
import type { ReferenceKind } from '../../base/schema/meaning.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type {
  Account,
  Category,
  CategoryGroup,
  Payee,
  PayeeLocation,
  ScheduledTransactionSummary,
  Transaction,
} from '../../model/replica/entities.ts';
import { categoryKindsIn } from '../../model/sums/category-kinds.ts';
import type { Description, NamedThing, ThingsOfKind } from './thing-index.ts';

const MAX_QUOTED = 100;

/** The things of a budget. A function returns the same array until they change. */
export interface ReferenceTables {
  accounts(): readonly Account[];
  groups(): readonly CategoryGroup[];
  categories(): readonly Category[];
  payees(): readonly Payee[];
  payeeLocations(): readonly PayeeLocation[];
  transactions(): readonly Transaction[];
  scheduledTransactions(): readonly ScheduledTransactionSummary[];
}

export const tablesOf = (replica: BudgetReplica): ReferenceTables => ({
  accounts: () => replica.accounts.list(),
  groups: () => replica.groups.list(),
  categories: () => replica.categories.list(),
  payees: () => replica.payees.list(),
  payeeLocations: () => replica.payeeLocations.list(),
  transactions: () => replica.transactions.list({}),
  scheduledTransactions: () => replica.scheduledTransactions.summaries(),
});

export const quoted = (name: string | null | undefined) => quoteStart(name ?? '', MAX_QUOTED);

function things<Each extends { readonly id: string }>(
  table: readonly Each[],
  describe: (row: Each) => Description,
  nameOf?: (row: Each) => Omit<NamedThing, 'id'>,
  ...otherRows: readonly (readonly unknown[])[]
): ThingsOfKind {
  return {
    rows: [table, ...otherRows],
    ids: () => table.map(({ id }) => id),
    named: () => (nameOf ? table.map((row) => ({ id: row.id, ...nameOf(row) })) : []),
    nameOf(id) {
      const row = table.find((row) => row.id === id);
      return row && nameOf?.(row).name;
    },
    describe: (id) => table.filter((row) => row.id === id).map(describe),
  };
}

/** Most lookups only compare the rows with those of the index there is. */
function onceOf<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}

type GroupsById = ReadonlyMap<string, CategoryGroup>;

const byId = (groups: readonly CategoryGroup[]): GroupsById =>
  new Map(groups.map((group) => [group.id, group]));

const groupNameOf = ({ category_group_id, category_group_name }: Category, groups: GroupsById) =>
  category_group_name ?? groups.get(category_group_id)?.name;

function categoryThings(tables: ReferenceTables): ThingsOfKind {
  const { categories, groups } = tables;
  const groupsById = onceOf(() => byId(groups()));
  const found = things(
    categories(),
    (row) => ({
      name: quoted(row.name),
      distinctions: [`group ${quoted(groupNameOf(row, groupsById()))}`, row.hidden && 'hidden'],
    }),
    (row) => ({
      name: row.name,
      group: groupNameOf(row, groupsById()),
      isListed: !row.hidden && !row.deleted && !groupsById().get(row.category_group_id)?.hidden,
    }),
    groups(),
  );
  return { ...found, named: () => [...found.named(), ...readyToAssignIn(tables)] };
}

const groupThings = ({ groups }: ReferenceTables, ...distinctions: readonly string[]): ThingsOfKind =>
  things(
    groups(),
    ({ name, hidden }) => ({ name: quoted(name), distinctions: [...distinctions, hidden && 'hidden'] }),
    ({ name, hidden, deleted }) => ({ name, isListed: !hidden && !deleted }),
  );

/** The money that is not assigned, under the names that users know, also where the budget calls it otherwise. */
function readyToAssignIn({ categories, groups, transactions }: ReferenceTables): NamedThing[] {
  const { isReadyToAssign } = categoryKindsIn({ groups: groups(), categories: categories(), transactions });
  return categories()
    .filter(isReadyToAssign)
    .flatMap(({ id, name }) =>
      ['Ready to Assign', 'Inflow: Ready to Assign']
        .filter((each) => each !== name)
        .map((each) => ({ id, name: each, isListed: true })),
    );
}

export const thingsOfKind: Readonly<Record<ReferenceKind, (tables: ReferenceTables) => ThingsOfKind>> = {
  account: ({ accounts }) =>
    things(
      accounts(),
      ({ name, type, closed }) => ({ name: quoted(name), distinctions: [word(type), closed && 'closed'] }),
      ({ name, closed, deleted }) => ({ name, isListed: !closed && !deleted }),
    ),
  category: categoryThings,
  category_group: (tables) => groupThings(tables),
  category_or_group(tables) {
    const [categories, groups] = [categoryThings(tables), groupThings(tables, 'a group')];
    return {
      rows: [...categories.rows, ...groups.rows],
      ids: () => [...categories.ids(), ...groups.ids()],
      named: () => [...categories.named(), ...groups.named()],
      nameOf: (id) => categories.nameOf(id) ?? groups.nameOf(id),
      describe: (id) => [...categories.describe(id), ...groups.describe(id)],
    };
  },
  payee: ({ payees, accounts }) => {
    const closed = onceOf(
      () => new Set<string | null>(accounts().flatMap((row) => (row.closed ? [row.id] : []))),
    );
    const isClosed = ({ transfer_account_id }: Payee) => closed().has(transfer_account_id);
    return things(
      payees(),
      (row) => ({ name: quoted(row.name), distinctions: [isClosed(row) && 'account closed'] }),
      (row) => ({ name: row.name, isListed: !row.deleted && !isClosed(row) }),
      accounts(),
    );
  },
  payee_location: ({ payeeLocations }) =>
    things(payeeLocations(), ({ latitude, longitude }) => ({
      name: 'location',
      distinctions: [word(latitude), word(longitude)],
    })),
  transaction: ({ transactions }) =>
    things(transactions(), ({ date, payee_name }) => ({
      name: word(date),
      distinctions: [payee_name !== null && quoted(payee_name)],
    })),
  // A person knows a planned payment by its payee.
  scheduled_transaction: ({ scheduledTransactions, payees }) => {
    const names = onceOf(() => new Map<string | null, string>(payees().map(({ id, name }) => [id, name])));
    const nameOf = ({ payee_id }: ScheduledTransactionSummary) => names().get(payee_id);
    return things(
      scheduledTransactions(),
      (row) => ({
        name: `next ${word(row.date_next)}`,
        distinctions: [nameOf(row) !== undefined && quoted(nameOf(row))],
      }),
      (row) => ({ name: nameOf(row) ?? '', isListed: !row.deleted }),
      payees(),
    );
  },
};
