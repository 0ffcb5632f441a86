/** What references need from the tables of a budget: the ids and names of each kind of thing, and how a message describes one. */

import { quoteStart, word } from '../../base/quote.ts';
import type { ReferenceKind } from '../../base/schema/fields.ts';
import { isReadyToAssign } from '../../model/bookkeeping/own-categories.ts';
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
import type { NamedThing } from './thing-index.ts';

/** The things of a budget. A function returns the same array until they change. Things without a function are unknown. */
export interface ReferenceTables {
  accounts?(): readonly Account[];
  groups?(): readonly CategoryGroup[];
  categories?(): readonly Category[];
  payees?(): readonly Payee[];
  payeeLocations?(): readonly PayeeLocation[];
  transactions?(): readonly Transaction[];
  scheduledTransactions?(): readonly ScheduledTransactionSummary[];
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

/** The things of one kind. */
export interface ThingsOfKind {
  /** The arrays that the rest is made from. While they are the same, the rest is too. */
  readonly rows: readonly (readonly unknown[])[];
  ids(): readonly string[];
  /** Empty for things without names. */
  named(): readonly NamedThing[];
  nameOf(id: string): string | undefined;
  /** How a message names a thing, and what distinguishes it from others of that name. */
  describe(id: string): Description;
}

interface Description {
  readonly name: string;
  readonly distinctions: readonly (string | false | undefined)[];
}

/** One array, because references compare arrays to notice changes. */
const NONE: readonly never[] = [];

const MAX_NAME = 100;
const quoted = (name: string | null | undefined) => quoteStart(name ?? '', MAX_NAME);

interface Row {
  readonly id: string;
}

function things<Each extends Row>(
  table: readonly Each[] | undefined,
  describe: (row: Each) => Description,
  nameOf?: (row: Each) => Omit<NamedThing, 'id'>,
  ...otherRows: readonly (readonly unknown[])[]
): ThingsOfKind | undefined {
  return (
    table && {
      rows: [table, ...otherRows],
      ids: () => table.map(({ id }) => id),
      named: () => (nameOf ? table.map((row) => ({ id: row.id, ...nameOf(row) })) : []),
      nameOf(id) {
        const row = table.find((candidate) => candidate.id === id);
        return row && nameOf?.(row).name;
      },
      describe(id) {
        const row = table.find((candidate) => candidate.id === id);
        return row ? describe(row) : { name: word(id), distinctions: [] };
      },
    }
  );
}

/** The categories and the groups, for arguments that take either. */
function categoriesAndGroups(
  categories: ThingsOfKind | undefined,
  groups: ThingsOfKind | undefined,
): ThingsOfKind | undefined {
  if (!categories || !groups) return undefined;
  return {
    rows: [...categories.rows, ...groups.rows],
    ids: () => [...categories.ids(), ...groups.ids()],
    named: () => [...categories.named(), ...groups.named()],
    nameOf: (id) => categories.nameOf(id) ?? groups.nameOf(id),
    describe(id) {
      if (groups.nameOf(id) === undefined) return categories.describe(id);
      const { name, distinctions } = groups.describe(id);
      return { name, distinctions: ['a group', ...distinctions] };
    },
  };
}

type GroupsById = ReadonlyMap<string, CategoryGroup>;

const groupNameOf = ({ category_group_id, category_group_name }: Category, groups: GroupsById) =>
  category_group_name ?? groups.get(category_group_id)?.name;

function categoryThings({ categories, groups }: ReferenceTables): ThingsOfKind | undefined {
  const groupRows = groups?.() ?? NONE;
  const groupsById: GroupsById = new Map(groupRows.map((group) => [group.id, group]));
  return things(
    categories?.(),
    (row) => ({
      name: quoted(row.name),
      distinctions: [`group ${quoted(groupNameOf(row, groupsById))}`, row.hidden && 'hidden'],
    }),
    (row) => ({
      name: row.name,
      group: groupNameOf(row, groupsById),
      isListed: !row.hidden && !row.deleted && !groupsById.get(row.category_group_id)?.hidden,
    }),
    groupRows,
  );
}

/** The money that is not assigned, under the name that users know. */
function readyToAssignIn({ categories, groups }: ReferenceTables): NamedThing[] {
  const groupsById: GroupsById = new Map(groups?.().map((group) => [group.id, group]));
  const found = categories?.().filter((row) => isReadyToAssign(row, groupNameOf(row, groupsById))) ?? [];
  return found.map(({ id }) => ({ id, name: 'Ready to Assign', isListed: true }));
}

/** The things of a kind. Undefined if they are unknown. */
export const thingsOfKind: Readonly<
  Record<ReferenceKind, (tables: ReferenceTables) => ThingsOfKind | undefined>
> = {
  account: ({ accounts }) =>
    things(
      accounts?.(),
      ({ name, type, closed }) => ({ name: quoted(name), distinctions: [word(type), closed && 'closed'] }),
      ({ name, closed, deleted }) => ({ name, isListed: !closed && !deleted }),
    ),
  category: categoryThings,
  category_or_ready_to_assign: (tables) => {
    const categories = categoryThings(tables);
    return categories && { ...categories, named: () => [...categories.named(), ...readyToAssignIn(tables)] };
  },
  category_group: ({ groups }) =>
    things(
      groups?.(),
      ({ name, hidden }) => ({ name: quoted(name), distinctions: [hidden && 'hidden'] }),
      ({ name, hidden, deleted }) => ({ name, isListed: !hidden && !deleted }),
    ),
  category_or_group: (tables) =>
    categoriesAndGroups(thingsOfKind.category(tables), thingsOfKind.category_group(tables)),
  payee: ({ payees, accounts }) => {
    const accountRows = accounts?.() ?? NONE;
    const closed = new Set(accountRows.flatMap((account) => (account.closed ? [account.id] : [])));
    const isClosed = ({ transfer_account_id }: Payee) =>
      transfer_account_id !== null && closed.has(transfer_account_id);
    return things(
      payees?.(),
      (row) => ({ name: quoted(row.name), distinctions: [isClosed(row) && 'account closed'] }),
      (row) => ({ name: row.name, isListed: !row.deleted && !isClosed(row) }),
      accountRows,
    );
  },
  payee_location: ({ payeeLocations }) =>
    things(payeeLocations?.(), ({ latitude, longitude }) => ({
      name: 'location',
      distinctions: [word(latitude), word(longitude)],
    })),
  transaction: ({ transactions }) =>
    things(transactions?.(), ({ date, payee_name }) => ({
      name: word(date),
      distinctions: [payee_name !== null && quoted(payee_name)],
    })),
  // A person knows a planned payment by its payee.
  scheduled_transaction: ({ scheduledTransactions, payees }) => {
    const payeeRows = payees?.() ?? NONE;
    const names = new Map(payeeRows.map(({ id, name }) => [id, name]));
    const nameOf = ({ payee_id }: ScheduledTransactionSummary) => names.get(payee_id ?? '');
    return things(
      scheduledTransactions?.(),
      (row) => ({
        name: `next ${word(row.date_next)}`,
        distinctions: [nameOf(row) !== undefined && quoted(nameOf(row))],
      }),
      (row) => ({ name: nameOf(row) ?? '', isListed: !row.deleted }),
      payeeRows,
    );
  },
};
