/** Plain requests that carry out the tasks of several steps. The figures are those of the service, not sums over rows. */
import { z } from 'zod';
import { assign } from './by-name.ts';
import { named } from './export.ts';
import type { DirectAccess } from './task.ts';
import { units } from './truth.ts';

/** One turn: what the person is answered, or nothing where a change was asked for. */
export type Turn = (service: DirectAccess) => Promise<readonly (string | number)[] | undefined>;

export const doing =
  (change: (service: DirectAccess) => Promise<unknown>): Turn =>
  async (service) => {
    await change(service);
    return undefined;
  };

const namedRow = z.object({ id: z.string(), name: z.string() });
const accountRows = z.array(namedRow.extend({ cleared_balance: z.int(), uncleared_balance: z.int() }));
const transactionRows = z.array(
  z.object({
    id: z.string(),
    date: z.string(),
    amount: z.int(),
    payee_name: z.string().nullable(),
    category_name: z.string().nullable(),
    account_name: z.string(),
    flag_color: z.string().nullable(),
  }),
);
export type Row = z.infer<typeof transactionRows>[number];

const groups = z.array(z.object({ categories: z.array(namedRow.extend({ balance: z.int() })) }));

export async function categoryOf(service: DirectAccess, name: string) {
  const { category_groups } = await service.get('categories');
  return named(
    groups.parse(category_groups).flatMap(({ categories }) => categories),
    name,
  );
}

export const account = async (service: DirectAccess, name: string) =>
  named(accountRows.parse((await service.get('accounts'))['accounts']), name);

export const payeeId = async (service: DirectAccess, name: string) =>
  named(z.array(namedRow).parse((await service.get('payees'))['payees']), name).id;

export async function rows(service: DirectAccess, isWanted: (row: Row) => boolean, since = '2026-01-01') {
  const { transactions } = await service.get(`transactions?since_date=${since}`);
  return transactionRows.parse(transactions).filter(isWanted);
}

export const total = (all: readonly Row[]) => all.reduce((sum, { amount }) => sum + amount, 0);
export const countAndCost = (all: readonly Row[]) => [all.length, units(-total(all))];

export const left = async (service: DirectAccess, category: string) =>
  (await categoryOf(service, category)).balance;

/** Answers what categories have left. */
export const leftIn =
  (...categories: readonly string[]): Turn =>
  async (service) => {
    const figures: number[] = [];
    for (const category of categories) figures.push(units(await left(service, category)));
    return figures;
  };

/** What the service has as spent in a category in months such as `2026-10`. */
export async function activity(service: DirectAccess, category: string, months: readonly string[]) {
  const { id } = await categoryOf(service, category);
  let spent = 0;
  for (const month of months) {
    const answer = await service.get(`months/${month}-01/categories/${id}`);
    spent -= z.object({ category: z.object({ activity: z.int() }) }).parse(answer).category.activity;
  }
  return spent;
}

export const move = (service: DirectAccess, from: string, to: string, amount: number) =>
  assign(service, { [from]: -units(amount), [to]: units(amount) });

const update = (service: DirectAccess, id: string, transaction: object) =>
  service.send('PUT', `transactions/${id}`, { transaction });

export async function updateAll(service: DirectAccess, isWanted: (row: Row) => boolean, transaction: object) {
  for (const { id } of await rows(service, isWanted)) await update(service, id, transaction);
}

export async function removeOnly(service: DirectAccess, isWanted: (row: Row) => boolean) {
  const [row] = await rows(service, isWanted);
  await service.send('DELETE', `transactions/${row?.id}`);
}

export const receipt = (payee: string, amount: number, category: string) => ({
  account: 'Wallet',
  date: '2026-11-18',
  payee,
  amount,
  category,
});

export async function enterSplit(service: DirectAccess, parts: Readonly<Record<string, number>>) {
  const subtransactions: object[] = [];
  for (const [name, amount] of Object.entries(parts))
    subtransactions.push({ amount, category_id: (await categoryOf(service, name)).id });
  const { id: account_id } = await account(service, 'Blue Card');
  const purchase = { account_id, date: '2026-11-18', amount: -86_400, payee_name: 'Greenleaf Market' };
  await service.send('POST', 'transactions', { transaction: { ...purchase, subtransactions } });
}

export const summer = (year: number) => ['06', '07', '08'].map((month) => `${year}-${month}`);
export const allOf = (year: number, months = 12) =>
  Array.from({ length: months }, (_, index) => `${year}-${String(index + 1).padStart(2, '0')}`);

export const ofGarage = ({ payee_name, category_name }: Row) =>
  payee_name === 'Garage Piston' && (category_name ?? 'Uncategorized') === 'Uncategorized';
export const isOdd = ({ payee_name }: Row) => payee_name === 'TRATTORIA POMODORO 0231';
/** Plans the lessons, from a day on. */
export async function sendLessons(service: DirectAccess, date: string, amount: number) {
  const { id: account_id } = await account(service, 'Privatkonto');
  const { id: category_id } = await categoryOf(service, 'Hobbys');
  const payment = { account_id, category_id, date, amount, payee_name: 'Musikschule Allegro' };
  await service.send('POST', 'scheduled_transactions', {
    scheduled_transaction: { ...payment, frequency: 'monthly' },
  });
}

export async function dearest(service: DirectAccess): Promise<[string, number]> {
  const years: [string, number][] = [];
  for (const year of [2022, 2023, 2024, 2025, 2026])
    years.push([
      `${year}`,
      units(await activity(service, 'Car Repairs', allOf(year, year === 2026 ? 11 : 12))),
    ]);
  return years.reduce((a, b) => (b[1] > a[1] ? b : a));
}

/** Each once, as is right for all but the daily one. */
export const planned =
  (name: string, times: number): Turn =>
  async (service) => {
    const { scheduled_transactions } = await service.get('scheduled_transactions');
    const schedule = z.object({ account_name: z.string(), date_next: z.string(), amount: z.int() });
    const due = z
      .array(schedule)
      .parse(scheduled_transactions)
      .filter(({ account_name, date_next }) => account_name === name && date_next <= '2026-11-30');
    return [units(due.reduce((sum, { amount }) => sum - amount * times, 0))];
  };
