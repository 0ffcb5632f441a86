import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { dateOf } from '../../src/base/clock.ts';
import { eras, type Host } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';

const idSchema = z.object({ id: z.string() });

describe.each(eras)('writing all but transactions, by a host that speaks %s', (_, connect) => {
  let home: Household;
  let host: Host;
  beforeAll(async () => {
    home = await Household.start();
    host = await connect({ args: [], env: home.env(), person: () => 'accept' });
  });
  afterAll(async () => {
    await host.close();
    await home.close();
  });

  async function write(name: string, args: Record<string, unknown>) {
    const called = await host.call(name, args);
    expect(called.isError, called.text).toBe(false);
    expect(called.structured).toMatchObject({ outcome: 'written' });
    return called;
  }

  const inDays = (days: number) => dateOf(Date.parse(home.today) + days * 86_400_000);

  test('an account is created with its balance', async () => {
    const given = { name: 'Holiday savings', type: 'savings', balance: 250.5 };
    const { structured } = await write('create_account', given);
    expect(structured).toMatchObject({ account: given, balances: { accounts: [{ balance: 250.5 }] } });
    expect(await home.account('Holiday savings')).toMatchObject({ type: 'savings', balance: 250_500 });
  });

  test('the note and the goal target of a category are changed', async () => {
    const { id, budgeted } = await home.category('Groceries');
    await write('update_category', { category_id: id, note: 'Markets first', goal_target: 700 });
    expect(await home.category('Groceries')).toMatchObject({
      note: 'Markets first',
      goal_target: 700_000,
      budgeted,
    });
    await write('update_category', { category_id: id, clear: ['note'] });
    expect(await home.category('Groceries')).toMatchObject({ note: null, goal_target: 700_000 });
  });

  test('the budgeted amount of a category in a month is changed, and its balance changes with it', async () => {
    const { id, budgeted, balance } = await home.category('Groceries');
    const { structured, text } = await write('update_month_category', {
      month: home.today.slice(0, 7),
      category_id: id,
      budgeted: budgeted / 1000 + 10,
    });
    expect(await home.category('Groceries')).toMatchObject({
      budgeted: budgeted + 10_000,
      balance: balance + 10_000,
    });
    expect(structured).toMatchObject({ category: { balance: (balance + 10_000) / 1000 } });
    expect(text).toMatch(/^Category "Groceries" has -?[\d.]+ left this month\.$/m);
  });

  test('a payee is renamed, in its transactions too', async () => {
    const { id } = await home.payee('Harvest Hall');
    await write('update_payee', { payee_id: id, name: 'Harvest Market' });
    expect(await home.payee('Harvest Market')).toMatchObject({ id });
    const { transactions } = z
      .object({ transactions: z.array(z.object({ payee_name: z.string() })).min(1) })
      .parse(await home.get(`payees/${id}/transactions`));
    expect(new Set(transactions.map(({ payee_name }) => payee_name))).toEqual(new Set(['Harvest Market']));
  });

  test('a transaction is scheduled, changed and deleted, and no balance changes', async () => {
    const { id: account_id, balance } = await home.account('Checking');
    const plan = { account_id, date: inDays(20), amount: -30, frequency: 'monthly', memo: 'Gym' };
    const made = await write('create_scheduled_transaction', plan);
    const { id: scheduled_transaction_id } = idSchema.parse(made.structured['scheduled_transaction']);
    const read = async () =>
      (await home.get(`scheduled_transactions/${scheduled_transaction_id}`))?.['scheduled_transaction'];
    expect(made.structured).not.toHaveProperty('ignored');
    expect(await read()).toMatchObject({ date_next: plan.date, amount: -30_000, frequency: 'monthly' });

    const changed = { scheduled_transaction_id, account_id, date: inDays(30), amount: -32.5 };
    await write('update_scheduled_transaction', changed);
    expect(await read()).toMatchObject({ date_next: changed.date, amount: -32_500 });

    const deleted = await write('delete_scheduled_transaction', { scheduled_transaction_id });
    expect(deleted.structured).toMatchObject({ scheduled_transaction: { deleted: true, amount: -32.5 } });
    expect(await read()).toBeUndefined();
    expect((await home.account('Checking')).balance).toBe(balance);
  });

  test('a write to another budget by its name changes only that budget', async () => {
    const before = await home.knowledge();
    const trip = home.service.user.ledgers.find(({ id }) => id !== home.budgetId)?.id ?? '';
    const [wallet] = await home.accounts(trip);
    const { structured } = await write('create_transactions', {
      budget_id: 'Japan Trip',
      transactions: [
        { account_id: wallet?.id, date: home.today, amount: -1200, payee_name: 'Guide to Ramen' },
      ],
    });
    expect(structured).toMatchObject({ budget: { id: trip, name: 'Japan Trip', currency: 'JPY' } });
    const [after] = await home.accounts(trip);
    expect(after?.balance).toBe((wallet?.balance ?? 0) - 1_200_000);
    expect(await home.knowledge()).toBe(before);
  });
});
