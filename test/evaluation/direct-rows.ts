/** Adds rows to a household before a conversation, by plain HTTP. Everything is named as a person names it. */
import { z } from 'zod';
import type { DirectAccess } from './task.ts';

export interface NewTransaction {
  readonly date: string;
  readonly account: string;
  /** A new payee, or the one of this name (the service ignores case here). */
  readonly payee: string;
  readonly category: string;
  /** In milliunits; negative is an outflow. */
  readonly amount: number;
  readonly memo?: string;
}

const row = z.object({ id: z.string(), name: z.string() });
const accountList = z.object({ accounts: z.array(row) });
const groupList = z.object({
  category_groups: z.array(
    row.extend({ categories: z.array(row.extend({ balance: z.int(), budgeted: z.int() })) }),
  ),
});

/** The only row of this name. */
function only<Row extends { readonly name: string }>(rows: readonly Row[], name: string): Row {
  const [found, ...others] = rows.filter((each) => each.name === name);
  if (found === undefined || others.length > 0) throw new Error(`There is not exactly one ${name}.`);
  return found;
}

const groups = async (service: DirectAccess) =>
  groupList.parse(await service.get('categories')).category_groups;

async function categoryOf(service: DirectAccess, name: string) {
  const categories = (await groups(service)).flatMap((group) => group.categories);
  return only(categories, name);
}

/** Adds approved transactions that the bank has not confirmed yet. */
export async function addTransactions(service: DirectAccess, rows: readonly NewTransaction[]): Promise<void> {
  const { accounts } = accountList.parse(await service.get('accounts'));
  const categories = (await groups(service)).flatMap((group) => group.categories);
  await service.send('POST', 'transactions', {
    transactions: rows.map(({ account, payee, category, ...rest }) => ({
      ...rest,
      account_id: only(accounts, account).id,
      payee_name: payee,
      category_id: only(categories, category).id,
      approved: true,
    })),
  });
}

/** Adds a category to a group, which is created if there is none of its name, and budgets it in the present month. */
export async function addCategory(
  service: DirectAccess,
  { group, name, budgeted = 0 }: { group: string; name: string; budgeted?: number },
): Promise<void> {
  const existing = (await groups(service)).find((each) => each.name === group);
  const { id: category_group_id } = existing ?? (await addGroup(service, group));
  const created = await service.send('POST', 'categories', { category: { name, category_group_id } });
  const { id } = z.object({ category: row }).parse(created).category;
  if (budgeted !== 0)
    await service.send('PATCH', `months/current/categories/${id}`, { category: { budgeted } });
}

async function addGroup(service: DirectAccess, name: string) {
  const created = await service.send('POST', 'category_groups', { category_group: { name } });
  return z.object({ category_group: row }).parse(created).category_group;
}

/** Budgets a category in the present month so that its balance is this, in milliunits. */
export async function setBalance(service: DirectAccess, category: string, balance: number): Promise<void> {
  const { id, budgeted, balance: present } = await categoryOf(service, category);
  await service.send('PATCH', `months/current/categories/${id}`, {
    category: { budgeted: budgeted + balance - present },
  });
}

export async function setNote(service: DirectAccess, category: string, note: string): Promise<void> {
  const { id } = await categoryOf(service, category);
  await service.send('PATCH', `categories/${id}`, { category: { note } });
}
