import { describe, expect, it, onTestFinished } from 'vitest';
import { householdNames, startHousehold } from './households.ts';
import { balanceOn, dueDates, leftByMonth, monthsFrom, spendingOf, sumsBy } from './truth.ts';

const isOwn = ({ category_group_name: group }: { readonly category_group_name: string }) =>
  !['Internal Master Category', 'Credit Card Payments'].includes(group);

describe('the sums of the tasks', () => {
  it.each(householdNames)(
    'agree with the balances and the activity that the service has for %s',
    async (name) => {
      const household = await startHousehold(name);
      onTestFinished(() => household.close());
      const budget = await household.export();
      const spending = spendingOf(budget);

      for (const account of budget.accounts)
        expect(balanceOn(budget, '2026-11-18', account.name), account.name).toBe(account.balance);
      const spent = new Map(sumsBy(spending, ({ category, date }) => `${category} ${date.slice(0, 7)}`));
      for (const { month, categories } of budget.months)
        for (const { name: category, activity } of categories.filter(isOwn)) {
          const key = `${category} ${month.slice(0, 7)}`;
          expect(0 - (spent.get(key) ?? 0), key).toBe(activity);
        }
      for (const category of budget.categories.filter(isOwn))
        expect(leftByMonth(budget, category.name).get('2026-11'), category.name).toBe(category.balance);
    },
  );

  it('count the days of a schedule with the first and the last one', () => {
    const weekly = { date_next: '2026-11-24', frequency: 'weekly' };

    expect(dueDates(weekly, '2026-11-24', '2026-12-08')).toEqual(['2026-11-24', '2026-12-01', '2026-12-08']);
    expect(dueDates({ ...weekly, frequency: 'monthly' }, '2026-11-25', '2027-01-24')).toEqual([
      '2026-12-24',
      '2027-01-24',
    ]);
    expect(dueDates({ ...weekly, frequency: 'never' }, '2026-11-19', '2026-12-31')).toEqual(['2026-11-24']);
    expect(dueDates({ ...weekly, frequency: 'twiceAMonth' }, '2026-11-19', '2026-12-31')).toEqual([
      '2026-11-24',
      '2026-12-09',
      '2026-12-24',
    ]);
    expect(() => dueDates({ ...weekly, frequency: 'hourly' }, '2026-11-19', '2026-12-31')).toThrow('hourly');
  });

  it('have every month from the first to the last one', () => {
    expect(monthsFrom('2025-11', '2026-02')).toEqual(['2025-11', '2025-12', '2026-01', '2026-02']);
  });
});
