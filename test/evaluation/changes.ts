/**
 * The changes between two exports of a budget, and how expected changes differ from those found. Rows are compared by their
 * ids and shown by names. Derived figures, such as balances and the sums of months, are not compared. Amounts are in milliunits.
 *
 * A transfer has two rows, one for each account, and each of them is a change: see `createdTransfer`.
 */

import { isDeepStrictEqual } from 'node:util';
import { categoryNamed, type Export } from './export.ts';
import {
  accounts,
  categories,
  categoryGroups,
  ids,
  type Names,
  namesIn,
  payees,
  type Rows,
  scheduledTransactions,
  transactions,
} from './rows.ts';

type ChangeOf<Kind extends keyof Rows> =
  /**
   * An expected row names all that matters. In an entry, payee, category, transfer and lines that are not named are empty;
   * whatever else is not named may be anything.
   */
  | { readonly kind: Kind; readonly created: Partial<Rows[Kind]> }
  /** The row as it was. An expected one names enough of it to know it. */
  | { readonly kind: Kind; readonly deleted: Partial<Rows[Kind]> }
  /** `to`: exactly the fields that differ. */
  | { readonly kind: Kind; readonly updated: Partial<Rows[Kind]>; readonly to: Partial<Rows[Kind]> };

export type Change =
  | { [Kind in keyof Rows]: ChangeOf<Kind> }[keyof Rows]
  /** `month` as `2026-11`. */
  | {
      readonly kind: 'budgeted';
      readonly month: string;
      readonly category: string;
      readonly from: number;
      readonly to: number;
    };

const none = { payee: null, category: null, transfer: null, lines: [] };

/** Both rows of a new transfer between accounts. `amount` is above zero. The category is one for tracking accounts. */
export const createdTransfer = (transfer: {
  readonly from: string;
  readonly to: string;
  readonly date: string;
  readonly amount: number;
  readonly category?: string;
}): Change[] => {
  const { from, to, date, amount, category = null } = transfer;
  return [
    { kind: 'transaction', created: { account: from, transfer: to, date, amount: -amount, category } },
    { kind: 'transaction', created: { account: to, transfer: from, date, amount } },
  ];
};

/** Another budgeted amount of a category in a month (`2026-11`), which the budget need not have yet. */
export const budgetedTo = (budget: Export, month: string, category: string, to: number): Change => ({
  kind: 'budgeted',
  month,
  category,
  from: budget.months.some((each) => each.month.startsWith(month))
    ? categoryNamed(budget, category, month).budgeted
    : 0,
  to,
});

const CURRENT_MONTH = '2026-11';

/** A category has more budgeted this month, or less if `more` is below zero. */
export const budgetedMore = (budget: Export, category: string, more: number): Change =>
  budgetedTo(budget, CURRENT_MONTH, category, categoryNamed(budget, category, CURRENT_MONTH).budgeted + more);

/** All changes, in no particular order. */
export function changesBetween(before: Export, after: Export): Change[] {
  const payeesBefore = new Set(before.payees.map(({ name }) => name));
  return [
    ...changesOf('transaction', transactions, before, after),
    ...changesOf('scheduled transaction', scheduledTransactions, before, after),
    ...changesOf('account', accounts, before, after),
    ...changesOf('category', categories, before, after),
    ...changesOf('category group', categoryGroups, before, after),
    ...changesOf('payee', payees, before, after).map((change) =>
      'created' in change && payeesBefore.has(change.created.name ?? '')
        ? { ...change, created: { ...change.created, again: true as const } }
        : change,
    ),
    ...budgetedBetween(before, after),
  ];
}

/** One line for each change that is missing or not expected; none if all is as expected. */
export function differences(expected: readonly Change[], found: readonly Change[]): string[] {
  const { missing, others } = paired(expected, found, isMetBy);
  const newPayees = new Set(expected.flatMap(payeesOf));
  const unexpected = others.filter(
    (change) =>
      !(
        change.kind === 'payee' &&
        'created' in change &&
        change.created.again === undefined &&
        newPayees.delete(change.created.name)
      ),
  );
  return [
    ...missing.map((change) => `Missing: ${JSON.stringify(change)}`),
    ...unexpected.map((change) => `${NOT_EXPECTED}${JSON.stringify(change)}`),
  ];
}

/** How the differences begin that are changes too many. */
export const NOT_EXPECTED = 'Not expected: ';

/** Those that say most choose first, so that a vague one does not take what only an exact one is met by. */
function paired<Item>(
  expected: readonly Item[],
  found: readonly Item[],
  isMet: (expected: Item, found: Item) => boolean,
): { missing: Item[]; others: Item[] } {
  const others = [...found];
  const missing = expected
    .toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)
    .filter((item) => {
      const index = others.findIndex((other) => isMet(item, other));
      if (index >= 0) others.splice(index, 1);
      return index < 0;
    });
  return { missing, others };
}

function isMetBy(expected: Change, found: Change): boolean {
  if (expected.kind !== found.kind) return false;
  if ('created' in expected && 'created' in found) {
    const isEntry = expected.kind === 'transaction' || expected.kind === 'scheduled transaction';
    return matches(isEntry ? { ...none, ...expected.created } : expected.created, found.created);
  }
  if ('updated' in expected && 'updated' in found) {
    const isExact = Object.keys(expected.to).length === Object.keys(found.to).length;
    return isExact && matches(expected.updated, found.updated) && matches(expected.to, found.to);
  }
  return matches(expected, found);
}

/** Whether all that is expected is there. Lists may be in another order, but have no more. */
function matches(expected: unknown, found: unknown): boolean {
  if (Array.isArray(expected) && Array.isArray(found)) {
    const lines = expected.map((line: unknown) =>
      isObject(line) ? { category: null, transfer: null, ...line } : line,
    );
    return lines.length === found.length && paired<unknown>(lines, found, matches).missing.length === 0;
  }
  if (!isObject(expected) || !isObject(found)) return expected === found;
  const fields = new Map<string, unknown>(Object.entries(found));
  return Object.entries(expected).every(([field, value]) => matches(value, fields.get(field)));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The payees that come about with a change if they do not exist yet. */
function payeesOf(change: Change): (string | null | undefined)[] {
  if (change.kind !== 'transaction' && change.kind !== 'scheduled transaction') return [];
  if ('deleted' in change) return [];
  const { payee, lines = [] } = 'created' in change ? change.created : change.to;
  return [payee, ...lines.map((line) => line.payee)];
}

function changesOf<Kind extends keyof Rows>(
  kind: Kind,
  table: (budget: Export, names: Names) => Map<string, Rows[Kind]>,
  before: Export,
  after: Export,
): ChangeOf<Kind>[] {
  // A new name of a payee is no change of its transactions: they are compared by ids.
  const [idsBefore, idsAfter] = [table(before, ids), table(after, ids)];
  const [shownBefore, shownAfter] = [table(before, namesIn(before)), table(after, namesIn(after))];
  const changes: ChangeOf<Kind>[] = [];
  for (const [id, deleted] of shownBefore) if (!idsAfter.has(id)) changes.push({ kind, deleted });
  for (const [id, shown] of shownAfter) {
    const [was, is, updated] = [idsBefore.get(id), idsAfter.get(id), shownBefore.get(id)];
    if (was === undefined || is === undefined || updated === undefined) {
      changes.push({ kind, created: shown });
      continue;
    }
    const to: Partial<Rows[Kind]> = {};
    for (const field in is) if (!isDeepStrictEqual(was[field], is[field])) to[field] = shown[field];
    if (Object.keys(to).length > 0) changes.push({ kind, updated, to });
  }
  return changes;
}

function budgetedBetween(before: Export, after: Export): Change[] {
  const nameOf = namesIn(after).category;
  const amountBefore = new Map(
    before.months.flatMap(({ month, categories: all }) =>
      all.map(({ id, budgeted }) => [`${month} ${id}`, budgeted]),
    ),
  );
  return after.months.flatMap(({ month, categories: all }) =>
    all.flatMap(({ id, budgeted: to }): Change[] => {
      const from = amountBefore.get(`${month} ${id}`) ?? 0;
      const category = nameOf(id);
      return from === to ? [] : [{ kind: 'budgeted', month: month.slice(0, 7), category, from, to }];
    }),
  );
}
