/** A copy of all lists of a ledger, and a check that later deltas update it to the current lists. */
import { expect } from 'vitest';
import type { Ledger } from '../../../src/service/ledger.ts';
import type { BudgetDetail, Category, MonthDetail } from '../../../src/service/resources.ts';

type Row = { id: string; deleted: boolean };

/** Applies a delta as a client does: inserts or replaces by id, and removes deleted rows. */
function merged<T extends Row>(copy: readonly T[], delta: readonly T[]): Map<string, T> {
  const rows = new Map(copy.map((row) => [row.id, row]));
  for (const row of delta) {
    if (row.deleted) rows.delete(row.id);
    else rows.set(row.id, row);
  }
  return rows;
}

function byId<T extends { id: string }>(rows: readonly T[]): Map<string, T> {
  const map = new Map(rows.map((row) => [row.id, row]));
  expect(map.size).toBe(rows.length);
  return map;
}

const monthRow = <T extends { month: string; deleted: boolean }>(row: T) => ({ ...row, id: row.month });

function mergedMonths(copy: readonly MonthDetail[], delta: readonly MonthDetail[]) {
  const months = new Map(
    copy.map((month) => [month.month, { ...month, categories: byId(month.categories) }]),
  );
  for (const month of delta) {
    const before = months.get(month.month)?.categories ?? new Map<string, Category>();
    months.set(month.month, { ...month, categories: merged([...before.values()], month.categories) });
  }
  return months;
}

function expectBudget(copy: BudgetDetail, delta: BudgetDetail, full: BudgetDetail): void {
  for (const key of [
    'accounts',
    'payees',
    'payee_locations',
    'category_groups',
    'categories',
    'transactions',
    'subtransactions',
    'scheduled_transactions',
    'scheduled_subtransactions',
  ] as const) {
    expect(merged<Row>(copy[key], delta[key]), key).toEqual(byId<Row>(full[key]));
  }
  expect(mergedMonths(copy.months, delta.months)).toEqual(mergedMonths(full.months, []));
  const { first_month, last_month, last_modified_on } = full;
  expect(delta).toMatchObject({ first_month, last_month, last_modified_on });
}

/** Reads all 11 delta lists in full. The returned function checks that their deltas lead to the current lists. */
export function startDeltaCheck(ledger: Ledger) {
  const since = ledger.knowledge;
  const accountIds = ledger.accounts().map(({ id }) => id);
  const payeeIds = ledger.payees().map(({ id }) => id);
  const groups = ledger.categoryGroups();
  const categoryIds = groups.flatMap(({ categories }) => categories.map(({ id }) => id));
  const budget = ledger.detail();
  const accounts = ledger.accounts();
  const payees = ledger.payees();
  const months = ledger.months();
  const transactions = ledger.transactions(undefined);
  const scheduled = ledger.scheduledTransactions();
  const scopes = [
    ...accountIds.map((account_id) => ({ account_id })),
    ...months.map(({ month }) => ({ month })),
  ].map((scope) => ({ scope, rows: ledger.transactions(scope) }));
  const hybrids = [
    ...categoryIds.map((category_id) => ({ category_id })),
    ...payeeIds.map((payee_id) => ({ payee_id })),
  ].map((scope) => ({ scope, rows: ledger.hybridTransactions(scope) }));

  return () => {
    expectBudget(budget, ledger.detail(since), ledger.detail());
    expect(merged(accounts, ledger.accounts(since))).toEqual(byId(ledger.accounts()));
    expect(merged(payees, ledger.payees(since))).toEqual(byId(ledger.payees()));
    const categoriesIn = (list: typeof groups) => list.flatMap(({ categories }) => categories);
    const withoutCategories = (list: typeof groups) => list.map(({ categories, ...group }) => group);
    const changed = ledger.categoryGroups(since);
    const current = ledger.categoryGroups();
    expect(merged(withoutCategories(groups), withoutCategories(changed))).toEqual(
      byId(withoutCategories(current)),
    );
    expect(merged(categoriesIn(groups), categoriesIn(changed))).toEqual(byId(categoriesIn(current)));
    expect(merged(months.map(monthRow), ledger.months(since).map(monthRow))).toEqual(
      byId(ledger.months().map(monthRow)),
    );
    expect(merged(transactions, ledger.transactions(undefined, { since }))).toEqual(
      byId(ledger.transactions(undefined)),
    );
    expect(merged(scheduled, ledger.scheduledTransactions(since))).toEqual(
      byId(ledger.scheduledTransactions()),
    );
    for (const { scope, rows } of scopes) {
      expect(merged(rows, ledger.transactions(scope, { since }))).toEqual(byId(ledger.transactions(scope)));
    }
    for (const { scope, rows } of hybrids) {
      expect(merged(rows, ledger.hybridTransactions(scope, { since }))).toEqual(
        byId(ledger.hybridTransactions(scope)),
      );
    }
  };
}
