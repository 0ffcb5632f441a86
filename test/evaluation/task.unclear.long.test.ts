/** That the unclear tasks cannot be done: the service refuses it, or the budget has nothing to decide by. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { accountNamed, categoryNamed, payeeNamed } from './export.ts';
import { startHousehold } from './households.ts';
import type { Task } from './task.ts';
import { task as webers } from './tasks/unclear-01-two-webers/task.ts';
import { task as missingFigures } from './tasks/unclear-02-missing-figures/task.ts';
import { task as nearlyEqual } from './tasks/unclear-03-nearly-equal/task.ts';
import { task as dollars } from './tasks/unclear-04-dollars/task.ts';
import { task as outsideTheRecords } from './tasks/unclear-05-outside-the-records/task.ts';
import { task as realPayment } from './tasks/unclear-06-real-payment/task.ts';
import { task as allOrNothing } from './tasks/unclear-07-all-or-nothing/task.ts';
import { task as noSuchDay } from './tasks/unclear-08-no-such-day/task.ts';
import { task as usualAmount } from './tasks/unclear-09-usual-amount/task.ts';
import { task as whichAnna } from './tasks/unclear-10-which-anna/task.ts';

async function prepared({ household, prepare }: Task) {
  const started = await startHousehold(household);
  onTestFinished(() => started.close());
  await prepare?.(started.direct);
  const budget = await started.export();
  const rowsOf = (payee: string) => {
    const { id } = payeeNamed(budget, payee);
    return budget.transactions.filter(({ payee_id }) => payee_id === id);
  };
  return { ...started, budget, rowsOf };
}

describe('the unclear tasks of the evaluation', () => {
  it('have two payments by a Weber on one day and account, equal but for the shop and the amount', async () => {
    const { rowsOf } = await prepared(webers);
    const rows = [...rowsOf('Weber Bakery'), ...rowsOf('Weber Florist')];

    const words = rows.map(({ date, account_id, cleared, memo }) => ({ date, account_id, cleared, memo }));
    expect(words).toHaveLength(2);
    expect(words[1]).toEqual(words[0]);
  });

  it('name a place that has never been paid, so no account is usual there', async () => {
    const { budget } = await prepared(missingFigures);

    expect(budget.payees.map(({ name }) => name)).not.toContain('Ramen Raku');
    expect(budget.payees.map(({ name }) => name)).toContain('Hammer & Home');
  });

  it('have two rows that differ by their amounts only', async () => {
    const { rowsOf } = await prepared(nearlyEqual);
    const [first, second, ...others] = rowsOf('Papeterie Zumstein').map(({ id: _, amount, ...rest }) => rest);

    expect(others).toEqual([]);
    expect(second).toEqual(first);
  });

  it('ask for dollars where the budget is in francs', async () => {
    expect((await prepared(dollars)).budget.currency_format.iso_code).toBe('CHF');
  });

  it('ask for years before the first month, and for a bill that varies', async () => {
    const { budget, rowsOf } = await prepared(outsideTheRecords);
    const bills = rowsOf('Northwind Power').map(({ amount }) => amount);

    expect(budget.months.map(({ month }) => month).sort()[0]).toBe('2016-11-01');
    expect(new Set(bills).size).toBeGreaterThan(50);
  });

  it('want an account deleted, which the service does not do', async () => {
    const { budget, direct } = await prepared(realPayment);

    const { id } = accountNamed(budget, 'Old Savings');
    await expect(direct.send('DELETE', `accounts/${id}`)).rejects.toThrow('404');
  });

  it('want more moved than there is, and a purchase that is too old for the service', async () => {
    const { budget, direct } = await prepared(allOrNothing);

    const old = { account_id: accountNamed(budget, 'Wallet').id, date: '2019-06-03', amount: -8_900 };
    await expect(direct.send('POST', 'transactions', { transaction: old })).rejects.toThrow('5 years');
    expect(categoryNamed(budget, 'Gifts').balance).toBe(187_300);
  });

  it('want a payment into an account that is closed, and one on a day that does not exist', async () => {
    const { budget, direct } = await prepared(noSuchDay);
    const account_id = accountNamed(budget, 'Privatkonto').id;
    const payee_id = accountNamed(budget, 'Altes Sparkonto').transfer_payee_id;
    const write = (date: string, payee: object) =>
      direct.send('POST', 'transactions', { transaction: { account_id, date, amount: -50_000, ...payee } });

    await expect(write('2026-11-18', { payee_id })).rejects.toThrow('closed account');
    await expect(write('2026-09-31', {})).rejects.toThrow('400');
  });

  it('want the usual amount where no two amounts are equal', async () => {
    const { rowsOf } = await prepared(usualAmount);
    const amounts = rowsOf('Nina (babysitter)').map(({ amount }) => amount);

    expect(new Set(amounts).size).toBe(6);
    expect(amounts).toHaveLength(6);
  });

  it('have two Annas with different sums of this year', async () => {
    const { rowsOf } = await prepared(whichAnna);
    const paidTo = (name: string) => rowsOf(name).reduce((sum, { amount }) => sum + amount, 0);

    expect(paidTo('Anna Keller')).not.toBe(paidTo('Anna Vogt'));
    expect(rowsOf('Anna Keller').map(({ category_id }) => category_id)).toEqual(
      rowsOf('Anna Vogt').map(({ category_id }) => category_id),
    );
  });
});
