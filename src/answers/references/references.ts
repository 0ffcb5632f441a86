/**
 * Finds what a text refers to: a full id, an exact name, the beginning of an id, or a name ignoring case, spaces, accents
 * and emoji. Nothing is guessed: a text that may mean several things finds all of them. It also abbreviates ids, and says how a
 * message describes a thing. Pure.
 */
import { quoteStart, word } from '../../base/quote.ts';
import type { ReferenceKind } from '../../base/schema/fields.ts';
import { payeeKey } from '../../model/bookkeeping/payee-names.ts';
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
import { type Description, IdIndex, type NamedThing, NameIndex, type ThingsOfKind } from './thing-index.ts';

class KindIndex {
  readonly things: ThingsOfKind;
  readonly ids: IdIndex;
  #names: NameIndex | undefined;

  constructor(things: ThingsOfKind) {
    this.things = things;
    this.ids = new IdIndex(things.ids());
  }

  /** Created when a text is first looked up, because answers need the ids only. */
  get names(): NameIndex {
    this.#names ??= new NameIndex(this.things.named());
    return this.#names;
  }
}

const MAX_LISTED = 5;
const MAX_QUOTED = 100;

const ofReplicas = new WeakMap<BudgetReplica, References>();

export class References {
  readonly #tables: ReferenceTables;
  readonly #unknown: ReadonlySet<ReferenceKind>;
  /** An index is created when its kind is first needed, and again after its rows have changed. */
  readonly #indexes = new Map<ReferenceKind, KindIndex>();

  /** The tables of kinds that are unknown are empty. */
  constructor(tables: ReferenceTables, unknown: ReadonlySet<ReferenceKind> = new Set()) {
    this.#tables = tables;
    this.#unknown = unknown;
  }

  /** The references of a replica, always at its current version. Cheap: they are created once for each replica. */
  static of(replica: BudgetReplica): References {
    const references = ofReplicas.get(replica) ?? new References(tablesOf(replica));
    ofReplicas.set(replica, references);
    return references;
  }

  /** The abbreviated id of a thing, which `find` accepts. The full id if there is no such thing. */
  shortId(kind: ReferenceKind, id: string): string {
    return this.#index(kind).ids.abbreviated(id);
  }

  /** The name of a thing. Undefined if it has none, or if there is no such thing. */
  nameOf(kind: ReferenceKind, id: string): string | undefined {
    return this.#index(kind).things.nameOf(id);
  }

  /** All things of a kind that have names. */
  named(kind: ReferenceKind): readonly NamedThing[] {
    return this.#index(kind)
      .things.named()
      .filter(({ name }) => name !== '');
  }

  /** The ids of all things that a text may mean. The text refers to a thing if that is the only one. */
  find(kind: ReferenceKind, text: string): readonly string[] {
    const { ids, names } = this.#index(kind);
    return ids.has(text) ? [text] : [...new Set([...names.find(text), ...ids.withPrefix(text)])];
  }

  /** Why a text does not refer to one thing, if `find` does not find exactly one. Names those that may be meant. */
  explain(kind: ReferenceKind, text: string): string {
    const name = quoted(text);
    if (this.#unknown.has(kind)) return `${name} has to be a full id, because the budget is not cached`;
    const index = this.#index(kind);
    const found = this.find(kind, text);
    if (found.length > 1) return `${name} may mean several: ${describe(index, found)}`;
    const nearest = new Set([...index.ids.nearest(text), ...index.names.nearest(text)]);
    const hint = nearest.size > 0 ? `, nearest: ${describe(index, [...nearest])}` : '';
    return `there is no ${kind.replaceAll('_', ' ')} ${name}${hint}`;
  }

  /**
   * The ids of the payees that a payee's name may mean, where the service could take it for another one: of the transfer payees for
   * `Transfer :` and an account, or the exact name of one; and of the only payee of a name that the service may have escaped.
   * Undefined for any other name.
   */
  findPayee(name: string): readonly string[] | undefined {
    if (!needsPayees(name)) return undefined;
    const key = payeeKey(name);
    const sameName = this.#tables.payees().filter((payee) => payeeKey(payee.name) === key);
    const account = transferAccountIn(name);
    if (account === undefined) return sameName.length === 1 ? sameName.map(({ id }) => id) : undefined;
    const transfers = sameName.filter(({ transfer_account_id }) => transfer_account_id !== null);
    const open = new Set(this.#tables.accounts().flatMap(({ id, closed }) => (closed ? [] : [id])));
    const toOpen = transfers.filter((each) => open.has(each.transfer_account_id ?? ''));
    if (transfers.length > 0) return (toOpen.length > 0 ? toOpen : transfers).map(({ id }) => id);
    if (sameName.length > 0) return undefined;
    const accounts = new Set(this.find('account', account));
    return this.#tables
      .accounts()
      .flatMap(({ id, transfer_payee_id }) =>
        accounts.has(id) && transfer_payee_id !== null ? [transfer_payee_id] : [],
      );
  }

  #index(kind: ReferenceKind): KindIndex {
    const things = thingsOfKind[kind](this.#tables);
    const known = this.#indexes.get(kind);
    if (known && things.rows.every((rows, at) => rows === known.things.rows[at])) return known;
    const index = new KindIndex(things);
    this.#indexes.set(kind, index);
    return index;
  }
}

const describe = ({ things, ids }: KindIndex, found: readonly string[]) =>
  found
    .slice(0, MAX_LISTED)
    .flatMap((id) => things.describe(id).map((each) => textOf(each, ids.abbreviated(id))))
    .join(', ');

const textOf = ({ name, distinctions }: Description, id: string) =>
  `${name} (${[...distinctions, word(id)].filter(Boolean).join(', ')})`;

/** Whether the service may have another payee for this name than the one that answers show by it. */
export const needsPayees = (name: string): boolean =>
  transferAccountIn(name) !== undefined || /[&<>"']/.test(name);

/** The account in the name of a transfer, such as `Transfer : Savings`. */
export const transferAccountIn = (name: string): string | undefined =>
  /^transfer\s*:\s*(.+)/isu.exec(name.trim())?.[1];

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

const tablesOf = (replica: BudgetReplica): ReferenceTables => ({
  accounts: () => replica.accounts.list(),
  groups: () => replica.groups.list(),
  categories: () => replica.categories.list(),
  payees: () => replica.payees.list(),
  payeeLocations: () => replica.payeeLocations.list(),
  transactions: () => replica.transactions.list({}),
  scheduledTransactions: () => replica.scheduledTransactions.summaries(),
});

const quoted = (name: string | null | undefined) => quoteStart(name ?? '', MAX_QUOTED);

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

const thingsOfKind: Readonly<Record<ReferenceKind, (tables: ReferenceTables) => ThingsOfKind>> = {
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
