import { expect, it, onTestFinished } from 'vitest';
import { householdNames, startHousehold } from './households.ts';
import { available, postings, sum } from './sums.ts';

const SERVICE_OWN = ['Internal Master Category', 'Credit Card Payments'];

it.each(householdNames)(
  'sums over the export of %s are the balances and activities that the service has',
  async (name) => {
    const household = await startHousehold(name);
    onTestFinished(() => household.close());
    const budget = await household.export();
    const all = postings(budget, () => true);
    const own = budget.categories.filter((each) => !SERVICE_OWN.includes(each.category_group_name));

    for (const account of budget.accounts)
      expect(sum(all.filter((row) => row.account === account.name))).toBe(account.balance);
    for (const category of own) {
      const thisMonth = all.filter((row) => row.category === category.name && row.date > '2026-11');
      expect([category.name, sum(thisMonth)]).toEqual([category.name, category.activity]);
      expect([category.name, available(budget, category.name)]).toEqual([category.name, category.balance]);
    }
  },
);
