/** Rows of a budget for tests of references. Fields that a test does not name have fixed values. */

import { References } from '../../src/answers/references/references.ts';
import type { ReferenceTables } from '../../src/answers/references/things-of-kind.ts';
import { account } from '../../src/base/schema/account.ts';
import { category, categoryGroup } from '../../src/base/schema/category.ts';
import { payee } from '../../src/base/schema/payee.ts';
import type { Account, Category, CategoryGroup, Payee } from '../../src/model/replica/entities.ts';

const noAmounts = { balance: 0, cleared_balance: 0, uncleared_balance: 0, budgeted: 0, activity: 0 };

/** A UUID that begins with the text. */
export const uuid = (start: string) => {
  const digits = (start + '0'.repeat(32)).slice(0, 32);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};

export const accountRow = (fields: Partial<Account> & { id: string; name: string }): Account =>
  account.parse({
    type: 'checking',
    on_budget: true,
    closed: false,
    deleted: false,
    ...noAmounts,
    ...fields,
  });

export const groupRow = (fields: Partial<CategoryGroup> & { id: string; name: string }): CategoryGroup =>
  categoryGroup.parse({ hidden: false, deleted: false, ...fields });

export const categoryRow = (
  fields: Partial<Category> & { id: string; name: string; category_group_id: string },
): Category => category.parse({ hidden: false, deleted: false, ...noAmounts, ...fields });

export const payeeRow = (fields: Partial<Payee> & { id: string; name: string }): Payee =>
  payee.parse({ deleted: false, ...fields });

type Rows = { readonly [Name in keyof ReferenceTables]?: ReturnType<ReferenceTables[Name]> };

/** A budget that has these rows only. */
export const tables = (rows: Rows): ReferenceTables => ({
  accounts: () => rows.accounts ?? NONE,
  groups: () => rows.groups ?? NONE,
  categories: () => rows.categories ?? NONE,
  payees: () => rows.payees ?? NONE,
  payeeLocations: () => rows.payeeLocations ?? NONE,
  transactions: () => rows.transactions ?? NONE,
  scheduledTransactions: () => rows.scheduledTransactions ?? NONE,
});

const NONE: readonly never[] = [];

/** Accounts with the ids `idAt(0)`, `idAt(1)` and so on. */
export const accountsNamed = (...names: readonly string[]) =>
  new References(tables({ accounts: names.map((name, at) => accountRow({ id: idAt(at), name })) }));

export const idAt = (at: number) => uuid(`${at}abcdef${at}`);
