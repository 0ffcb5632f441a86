/**
 * Writes to the service by names, for `prepare` and `meanwhile` of tasks: a purchase that the partner enters, money that the
 * partner moves. Amounts are in currency units, as people say them. Whatever is looked up has to be there exactly once.
 */
import { z } from 'zod';
import type { Change } from './changes.ts';
import { named } from './export.ts';
import type { DirectAccess } from './task.ts';

const row = z.object({ id: z.string(), name: z.string() });
/** Transactions or what is scheduled, by the names of their payees. */
const rowsOfPayees = z.array(
  z
    .object({ id: z.string(), payee_name: z.string().nullable() })
    .transform(({ id, payee_name }) => ({ id, name: payee_name ?? '' })),
);

export interface Purchase {
  readonly account: string;
  readonly date: string;
  /** Below zero what is spent. */
  readonly amount: number;
  readonly payee: string;
  /** Without one it stays uncategorised. */
  readonly category?: string;
  readonly memo?: string;
  readonly flag?: string;
  /** `uncleared` by default. */
  readonly cleared?: 'cleared' | 'uncleared';
}

const CURRENT_MONTH = '2026-11-01';

export const milliunits = (units: number) => Math.round(units * 1_000);

async function accountIds(service: DirectAccess) {
  const rows = z.array(row).parse((await service.get('accounts'))['accounts']);
  return (name: string) => named(rows, name).id;
}

async function categoryIds(service: DirectAccess) {
  const { category_groups } = await service.get('categories');
  const groups = z.array(z.object({ categories: z.array(row) })).parse(category_groups);
  const rows = groups.flatMap(({ categories }) => categories);
  return (name: string) => named(rows, name).id;
}

/** Approved transactions of payees that may be new. */
export async function enter(service: DirectAccess, purchases: readonly Purchase[]): Promise<void> {
  const [account, category] = [await accountIds(service), await categoryIds(service)];
  const transactions = purchases.map(({ account: on, category: of, payee, amount, flag, ...rest }) => ({
    ...rest,
    flag_color: flag ?? null,
    account_id: account(on),
    amount: milliunits(amount),
    payee_name: payee,
    approved: true,
    ...(of !== undefined && { category_id: category(of) }),
  }));
  await service.send('POST', 'transactions', { transactions });
}

/** The change that `enter` makes, or anyone who enters the same. */
export const entered = (purchase: Purchase): Change => ({
  kind: 'transaction',
  created: { ...purchase, amount: milliunits(purchase.amount) },
});

/** The transaction of a payee on a day. */
async function transactionId(service: DirectAccess, payee: string, date: string): Promise<string> {
  const { transactions } = await service.get(`transactions?since_date=${date}&until_date=${date}`);
  return named(rowsOfPayees.parse(transactions), payee).id;
}

/** Puts the transaction of a payee on a day into a category. */
export async function categorise(
  service: DirectAccess,
  payee: string,
  date: string,
  category: string,
): Promise<void> {
  const change = { category_id: (await categoryIds(service))(category) };
  await service.send('PUT', `transactions/${await transactionId(service, payee, date)}`, {
    transaction: change,
  });
}

/** Marks the transaction of a payee on a day as cleared. */
export async function clear(service: DirectAccess, payee: string, date: string): Promise<void> {
  const id = await transactionId(service, payee, date);
  await service.send('PUT', `transactions/${id}`, { transaction: { cleared: 'cleared' } });
}

/** Adds to what is budgeted for categories in the current month. */
export async function assign(service: DirectAccess, more: Readonly<Record<string, number>>): Promise<void> {
  const id = await categoryIds(service);
  for (const [name, units] of Object.entries(more))
    await budget(service, id(name), ({ budgeted }) => budgeted + milliunits(units));
}

/** Budgets a category in the current month so that its balance is this. */
export async function setBalance(service: DirectAccess, category: string, units: number): Promise<void> {
  const id = (await categoryIds(service))(category);
  await budget(service, id, ({ budgeted, balance }) => budgeted + milliunits(units) - balance);
}

const monthCategory = z.object({ budgeted: z.int(), balance: z.int() });

async function budget(
  service: DirectAccess,
  id: string,
  budgetedFrom: (category: z.infer<typeof monthCategory>) => number,
): Promise<void> {
  const path = `months/${CURRENT_MONTH}/categories/${id}`;
  const { category } = await service.get(path);
  await service.send('PATCH', path, { category: { budgeted: budgetedFrom(monthCategory.parse(category)) } });
}

export async function setNote(service: DirectAccess, category: string, note: string): Promise<void> {
  const id = (await categoryIds(service))(category);
  await service.send('PATCH', `categories/${id}`, { category: { note } });
}

/** A category with a budgeted amount in the current month, in a group that may be new. */
export async function addCategory(
  service: DirectAccess,
  { group, name, budgeted = 0 }: { group: string; name: string; budgeted?: number },
): Promise<void> {
  const groups = z.array(row).parse((await service.get('categories'))['category_groups']);
  const existing = groups.find((each) => each.name === group);
  const { category_group } = existing
    ? { category_group: existing }
    : await service.send('POST', 'category_groups', { category_group: { name: group } });
  const { category } = await service.send('POST', 'categories', {
    category: { name, category_group_id: row.parse(category_group).id },
  });
  await budget(service, row.parse(category).id, () => milliunits(budgeted));
}

/** Deletes what is planned for a payee. */
export async function cancel(service: DirectAccess, payee: string): Promise<void> {
  const { scheduled_transactions } = await service.get('scheduled_transactions');
  const { id } = named(rowsOfPayees.parse(scheduled_transactions), payee);
  await service.send('DELETE', `scheduled_transactions/${id}`);
}
