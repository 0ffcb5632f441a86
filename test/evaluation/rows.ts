/** The rows of an export by their ids, with all that is compared and nothing that follows from other rows. */
import type { Export } from './export.ts';

export interface Line {
  readonly amount: number;
  readonly category: string | null;
  /** The other account of a transfer. */
  readonly transfer: string | null;
  readonly payee: string | null;
  readonly memo: string | null;
}

interface Entry {
  readonly account: string;
  readonly date: string;
  readonly amount: number;
  /** Null for a transfer: there the payee follows from the account. */
  readonly payee: string | null;
  /** Null for a split: there the lines have categories. */
  readonly category: string | null;
  readonly transfer: string | null;
  /** Of a split, in any order; otherwise empty. In an expected row a line names its amount and category, and whatever matters. */
  readonly lines: readonly (Partial<Line> & Pick<Line, 'amount'>)[];
  readonly memo: string | null;
  readonly flag: string | null;
}

export interface Rows {
  readonly transaction: Entry & {
    readonly cleared: string;
    readonly approved: boolean;
    readonly import_id: string | null;
  };
  /** `date` is the next one. */
  readonly 'scheduled transaction': Entry & { readonly frequency: string };
  readonly account: {
    readonly name: string;
    readonly type: string;
    readonly closed: boolean;
    readonly note: string | null;
  };
  readonly category: {
    readonly name: string;
    readonly group: string;
    readonly hidden: boolean;
    readonly note: string | null;
    readonly goal_type: string | null;
    readonly goal_target: number | null;
    readonly goal_target_date: string | null;
    readonly goal_needs_whole_amount: boolean | null;
  };
  readonly 'category group': { readonly name: string; readonly hidden: boolean };
  /** Payees of transfers belong to their account, and are left out. `again`: another payee had that name before. */
  readonly payee: { readonly name: string; readonly again?: true };
}

/** How a row refers to others: by name to be shown, by id to be compared. */
export interface Names {
  readonly account: (id: string) => string;
  readonly payee: (id: string) => string;
  readonly category: (id: string) => string;
  readonly group: (id: string) => string;
}

const unchanged = (id: string) => id;
export const ids: Names = { account: unchanged, payee: unchanged, category: unchanged, group: unchanged };

/** Categories of equal names are shown with their group. */
export function namesIn({ accounts, payees, categories, category_groups }: Export): Names {
  const isOnly = (name: string) => categories.filter((each) => each.name === name).length === 1;
  return {
    account: finder(accounts.map(({ id, name }) => [id, name])),
    payee: finder(payees.map(({ id, name }) => [id, name])),
    group: finder(category_groups.map(({ id, name }) => [id, name])),
    category: finder(
      categories.map(({ id, name, category_group_name }) => [
        id,
        isOnly(name) ? name : `${category_group_name}: ${name}`,
      ]),
    ),
  };
}

function finder(pairs: readonly (readonly [string, string])[]): (id: string) => string {
  const names = new Map(pairs);
  return (id) => names.get(id) ?? id;
}

type Table<Kind extends keyof Rows> = (budget: Export, names: Names) => Map<string, Rows[Kind]>;

export const transactions: Table<'transaction'> = (budget, names) => {
  const entryOf = entries(
    linesByOwner(budget.subtransactions, (line) => line.transaction_id, names),
    names,
  );
  return byId(budget.transactions, (row) => ({
    ...entryOf(row),
    date: row.date,
    cleared: row.cleared,
    approved: row.approved,
    import_id: row.import_id,
  }));
};

export const scheduledTransactions: Table<'scheduled transaction'> = (budget, names) => {
  const owner = (line: Export['scheduled_subtransactions'][number]) => line.scheduled_transaction_id;
  const entryOf = entries(linesByOwner(budget.scheduled_subtransactions, owner, names), names);
  return byId(budget.scheduled_transactions, (row) => ({
    ...entryOf(row),
    date: row.date_next,
    frequency: row.frequency,
  }));
};

export const accounts: Table<'account'> = (budget) =>
  byId(budget.accounts, ({ name, type, closed, note }) => ({ name, type, closed, note }));

export const categories: Table<'category'> = (budget, names) =>
  byId(budget.categories, (row) => ({
    name: row.name,
    group: names.group(row.category_group_id),
    hidden: row.hidden,
    note: row.note,
    goal_type: row.goal_type,
    goal_target: row.goal_target,
    goal_target_date: row.goal_target_date,
    goal_needs_whole_amount: row.goal_needs_whole_amount,
  }));

export const categoryGroups: Table<'category group'> = (budget) =>
  byId(budget.category_groups, ({ name, hidden }) => ({ name, hidden }));

export const payees: Table<'payee'> = (budget) =>
  byId(
    budget.payees.filter(({ transfer_account_id }) => transfer_account_id === null),
    ({ name }) => ({ name }),
  );

function byId<Item extends { readonly id: string }, Row>(
  items: readonly Item[],
  rowOf: (item: Item) => Row,
): Map<string, Row> {
  return new Map(items.map((item) => [item.id, rowOf(item)]));
}

type Part = Pick<
  Export['subtransactions'][number],
  'amount' | 'memo' | 'payee_id' | 'category_id' | 'transfer_account_id'
>;

function lineOf({ amount, memo, ...part }: Part, names: Names): Line {
  const nameOf = (id: string | null, find: (id: string) => string) => (id === null ? null : find(id));
  const transfer = nameOf(part.transfer_account_id, names.account);
  return {
    amount,
    memo,
    category: nameOf(part.category_id, names.category),
    transfer,
    payee: transfer === null ? nameOf(part.payee_id, names.payee) : null,
  };
}

function linesByOwner<Item extends Part>(
  parts: readonly Item[],
  ownerOf: (part: Item) => string,
  names: Names,
): Map<string, Line[]> {
  const lines = new Map<string, Line[]>();
  for (const part of parts) {
    const siblings = lines.get(ownerOf(part)) ?? [];
    siblings.push(lineOf(part, names));
    lines.set(ownerOf(part), siblings);
  }
  return lines;
}

const entries =
  (lines: ReadonlyMap<string, readonly Line[]>, names: Names) =>
  (row: Part & { readonly id: string; readonly account_id: string; readonly flag_color: string | null }) => ({
    account: names.account(row.account_id),
    ...lineOf(row, names),
    // The service gives a split a category of its own kind.
    ...(lines.has(row.id) && { category: null }),
    lines: lines.get(row.id) ?? [],
    flag: row.flag_color,
  });

/** The transactions for which this is true, oldest first. */
export const transactionsWhere = (
  budget: Export,
  isWanted: (row: Rows['transaction']) => boolean,
): Rows['transaction'][] =>
  [...transactions(budget, namesIn(budget)).values()]
    .filter(isWanted)
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));

/** The only such transaction. Throws if there is none, or several: a task that means one would be ambiguous. */
export function transactionWhere(
  budget: Export,
  isWanted: (row: Rows['transaction']) => boolean,
): Rows['transaction'] {
  const [row, ...others] = transactionsWhere(budget, isWanted);
  if (row === undefined || others.length > 0) throw new Error(`There is not exactly one ${isWanted}.`);
  return row;
}

/** The only scheduled transaction at a payee. Throws if there is none, or several. */
export function scheduledAt(budget: Export, payee: string): Rows['scheduled transaction'] {
  const all = [...scheduledTransactions(budget, namesIn(budget)).values()];
  const [row, ...others] = all.filter((each) => each.payee === payee);
  if (row === undefined || others.length > 0) throw new Error(`There is not exactly one at ${payee}.`);
  return row;
}
