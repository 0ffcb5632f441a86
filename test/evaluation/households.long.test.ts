import { describe, expect, it, onTestFinished } from 'vitest';
import { categoryNamed, type Export, linesOf, readExport } from './export.ts';
import { type HouseholdName, householdNames, type StartedHousehold, startHousehold } from './households.ts';

async function started(name: HouseholdName) {
  const household = await startHousehold(name);
  onTestFinished(() => household.close());
  return household;
}

/** A purchase with a new payee, and a new category: both draw ids. */
async function change({ direct, export: read }: StartedHousehold): Promise<void> {
  const { accounts, category_groups } = await read();
  const transaction = {
    account_id: accounts[0]?.id,
    date: '2026-11-18',
    amount: -12_500,
    payee_name: 'New Shop',
  };
  await direct.send('POST', 'transactions', { transaction });
  const group = category_groups.find(({ name }) => ['Everyday', 'Alltag'].includes(name));
  await direct.send('POST', 'categories', { category: { name: 'New', category_group_id: group?.id } });
}

/** `export()` reads an unchanged household once. */
const readOf = ({ baseUrl, accessToken, budgetId }: StartedHousehold): Promise<Export> =>
  readExport(baseUrl, accessToken, budgetId);

/** Moves on with every change, and with it the time of the last one. */
const withoutTime = ({ last_modified_on: _, ...rest }: Export) => rest;

describe('the households of the evaluation', () => {
  it.each(householdNames)(
    '%s is the same budget each time, with the same ids after equal changes',
    async (name) => {
      const [first, second] = [await started(name), await started(name)];

      expect(await readOf(second)).toEqual(await readOf(first));
      await change(first);
      await change(second);
      expect(withoutTime(await second.export())).toEqual(withoutTime(await first.export()));
    },
  );

  it.each([
    ['household', 'EUR', 25, 1_500, 36],
    ['ten-years', 'EUR', 121, 12_000, 85],
    ['haushalt', 'CHF', 19, 1_000, 36],
  ] as const)('%s has its currency and size', async (name, currency, months, transactions, categories) => {
    const budget = await (await started(name)).export();

    expect(budget.currency_format.iso_code).toBe(currency);
    expect(budget.months).toHaveLength(months);
    expect(budget.transactions.length).toBeGreaterThanOrEqual(transactions);
    expect(budget.categories).toHaveLength(categories);
    expect(budget.transactions.map(({ date }) => date).reduce((a, b) => (a > b ? a : b))).toBe('2026-11-18');
  });

  it('haushalt has German names and memos, and the sums of its splits are intact', async () => {
    const budget = await (await started('haushalt')).export();
    const memos = budget.transactions.map(({ memo }) => memo);

    expect(budget.accounts.map(({ name }) => name)).toContain('Privatkonto');
    expect(budget.payees.map(({ name }) => name)).toContain('Transfer : Sparkonto');
    expect(categoryNamed(budget, 'Lebensmittel').category_group_name).toBe('Alltag');
    expect(categoryNamed(budget, 'Kreditkarte').category_group_name).toBe('Credit Card Payments');
    expect(memos).toContain('Lohn');
    expect(memos).not.toContain('Salary');
    expect(budget.accounts[0]?.note).toBe('Hier kommen die Löhne an');
    for (const transaction of budget.transactions) {
      const amounts = linesOf(budget, transaction).map(({ amount }) => amount);
      if (amounts.length > 0) expect(amounts.reduce((a, b) => a + b)).toBe(transaction.amount);
    }
  });

  it('has one budget, and direct requests take nothing from the limit of the tested side', async () => {
    const { baseUrl, accessToken, direct } = await started('haushalt');
    for (let count = 0; count < 3; count += 1) await direct.get('payees');
    const answer = await fetch(`${baseUrl}/budgets`, {
      headers: { authorization: `Bearer ${accessToken}`, connection: 'close' },
    });
    expect(await answer.json()).toMatchObject({ data: { budgets: [{ name: 'Haushalt' }] } });
    expect(answer.headers.get('x-rate-limit')).toBe('1/200');
  });
});
