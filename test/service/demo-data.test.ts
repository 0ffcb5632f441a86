import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { demoBudgets } from '../../src/service/demo-data.ts';
import { addDays } from '../../src/service/ledger/calendar.ts';
import type { Ledger } from '../../src/service/ledger.ts';
import { expectBalanced } from './ledger/balanced.helper.ts';

const NOW = Date.parse('2026-11-21T09:00:00Z');

function createBudgets(options: Partial<Parameters<typeof demoBudgets>[0]> = {}): [Ledger, Ledger] {
  const [household, trip] = demoBudgets({ now: NOW, ...options });
  if (!household || !trip) throw new Error('the demo has two budgets');
  return [household, trip];
}

const [household, trip] = createBudgets();
const categories = household.categoryGroups().flatMap((group) => group.categories);
const transactions = household.transactions(undefined);

describe('the demo household', () => {
  it('the household is equal for the same seed and day, ids included, and different for another seed', () => {
    const [again] = createBudgets({ now: NOW + 60 * 60 * 1000 });
    const lastModified = { last_modified_on: expect.any(String) };
    expect({ ...again.detail(), ...lastModified }).toEqual({ ...household.detail(), ...lastModified });
    expect(createBudgets({ seed: 2 })[0].id).not.toBe(household.id);
  });

  it('the household has the accounts, payees and transactions of about two years', () => {
    expect(household.summary()).toMatchObject({ first_month: '2024-11-01', last_month: '2026-11-01' });
    expect(transactions.length).toBeGreaterThan(1_300);
    expect(transactions.length).toBeLessThan(1_800);
    expect(transactions.every(({ date }) => date <= '2026-11-21')).toBe(true);
    expect(household.accounts()).toHaveLength(12);
    expect(household.accounts().filter(({ closed }) => closed)).toMatchObject([{ balance: 0 }]);
    expect(household.categoryGroups()).toHaveLength(10);
    expect(household.payees().length).toBeGreaterThan(55);
    expect(household.payees().length).toBeLessThan(85);
    expect(household.payeeLocations().length).toBeGreaterThan(3);
  });

  it('the household uses every feature that the service supports', () => {
    const setOf = <T>(values: readonly T[]) => new Set(values);
    expect(setOf(household.scheduledTransactions().map(({ frequency }) => frequency)).size).toBe(13);
    expect(setOf(categories.map(({ goal_type }) => goal_type))).toEqual(
      setOf([null, 'TB', 'TBD', 'MF', 'NEED', 'DEBT']),
    );
    expect(setOf(transactions.map(({ cleared }) => cleared)).size).toBe(3);
    expect(setOf(transactions.map(({ flag_name }) => flag_name)).size).toBeGreaterThan(3);
    expect(transactions.some(({ subtransactions }) => subtransactions.length > 0)).toBe(true);
    expect(transactions.some(({ id }) => /_\d{4}-\d\d-\d\d$/.test(id))).toBe(true);
    expect(transactions.some(({ memo }) => /\p{Extended_Pictographic}/u.test(memo ?? ''))).toBe(true);
    expect(transactions.some(({ amount, category_name }) => amount > 0 && category_name === 'Clothing')).toBe(
      true,
    );
    expect(categories.some(({ hidden }) => hidden)).toBe(true);
    expect(household.accounts().some(({ debt_interest_rates }) => debt_interest_rates !== null)).toBe(true);
  });

  it('the household has uncategorized and unapproved transactions in the last days only', () => {
    for (const type of ['uncategorized', 'unapproved'] as const) {
      const unreviewed = household.transactions(undefined, { type });
      expect(unreviewed.length).toBeGreaterThan(1);
      expect(unreviewed.length).toBeLessThan(10);
      expect(unreviewed.every(({ date }) => date > '2026-11-14')).toBe(true);
    }
  });

  it.each([0, 5, 12, 38, 101, 219])('the household has plausible balances %i days later', (days) => {
    const [later] = createBudgets({ now: NOW + days * 24 * 60 * 60 * 1000 });
    expectBalanced(later);
    for (const { to_be_budgeted } of later.months()) {
      expect(to_be_budgeted).toBeGreaterThan(0);
      expect(to_be_budgeted).toBeLessThan(100_000);
    }
    const names = later.categoryGroups().flatMap((group) => group.categories);
    const overspent = names.filter(({ balance }) => balance < 0).map(({ name }) => name);
    expect(overspent).toContain('Hobbies');
    expect(overspent.length).toBeLessThan(6);
    const groceries = names.find(({ name }) => name === 'Groceries');
    expect(groceries?.balance).toBeGreaterThan(-250_000);
    expect(groceries?.balance).toBeLessThan(900_000);
    for (const { balance, on_budget, type } of later.accounts()) {
      if (on_budget && type !== 'creditCard' && type !== 'lineOfCredit')
        expect(balance).toBeGreaterThanOrEqual(0);
    }
    expect(later.months().at(-1)?.age_of_money).toBeGreaterThan(10);
  });

  it('the household gets new transactions as time passes', () => {
    const [later] = createBudgets();
    const since = later.knowledge;
    later.advanceTo(NOW + 40 * 24 * 60 * 60 * 1000);
    expect(later.transactions(undefined, { since }).length).toBeGreaterThan(20);
    expect(
      later.scheduledTransactions().every(({ date_next }) => date_next > addDays('2026-11-21', 40)),
    ).toBe(true);
    expectBalanced(later);
  });

  it.each([200, 777, 3_000])('the household has the requested number of transactions: %i', (count) => {
    const [sized] = createBudgets({ transactions: count });
    expect(sized.transactions(undefined)).toHaveLength(count);
    expectBalanced(sized);
  });

  describe('with months, categories and payees', () => {
    const [sized] = createBudgets({ transactions: 6_000, months: 60, categories: 120, payees: 400 });
    const ownGroups = sized
      .categoryGroups()
      .filter(({ name }) => !['Internal Master Category', 'Credit Card Payments'].includes(name));

    it('the household has the requested numbers, and balances', () => {
      expect(sized.transactions(undefined)).toHaveLength(6_000);
      expect(sized.months()).toHaveLength(61);
      expect(ownGroups.flatMap(({ categories }) => categories)).toHaveLength(120);
      expect(sized.payees()).toHaveLength(400);
      expectBalanced(sized);
    });

    it('most of the payees and categories have transactions in several months', () => {
      const months = new Map<string, Set<string>>();
      for (const { date, payee_id, category_id, subtransactions } of sized.transactions(undefined))
        for (const id of [payee_id, category_id, ...subtransactions.map((leg) => leg.category_id)])
          if (id !== null) months.set(id, (months.get(id) ?? new Set()).add(date.slice(0, 7)));
      const inSeveral = (things: readonly { readonly id: string }[]) =>
        things.filter(({ id }) => (months.get(id)?.size ?? 0) > 1).length;
      expect(inSeveral(sized.payees())).toBeGreaterThan(250);
      expect(inSeveral(ownGroups.flatMap(({ categories }) => categories))).toBeGreaterThan(100);
    });

    it('no two categories or payees have the same name', () => {
      const names = sized.payees().map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      const categoryNames = ownGroups.flatMap(({ categories }) => categories.map(({ name }) => name));
      expect(new Set(categoryNames).size).toBe(categoryNames.length);
    });

    it('loans are still owed after ten years', () => {
      const [long] = createBudgets({ months: 120 });
      const balances = Object.fromEntries(long.accounts().map(({ name, balance }) => [name, balance]));
      expect(balances).toMatchObject({ Mortgage: -190_730_050, 'Car Loan': -6_124_030 });
    });
  });

  it('both budgets balance for any seed and day', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(700), (seed, days) => {
        for (const ledger of createBudgets({
          seed,
          now: NOW + days * 24 * 60 * 60 * 1000,
          transactions: 250,
        })) {
          expectBalanced(ledger);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('the second budget', () => {
  it('the second budget is small and in a currency without decimals', () => {
    expect(trip.settings().currency_format).toMatchObject({ iso_code: 'JPY', decimal_digits: 0 });
    expectBalanced(trip);
    const { transactions: rows, categories: envelopes } = trip.detail();
    const amounts = [
      ...rows.map(({ amount }) => amount),
      ...envelopes.flatMap((category) => [
        category.balance,
        category.budgeted,
        category.goal_under_funded ?? 0,
      ]),
    ];
    expect(amounts.every((amount) => amount % 1_000 === 0)).toBe(true);
  });
});

describe('untidy budgets', () => {
  const [untidy, untidyTrip] = createBudgets({ untidy: true });
  const budget = untidy.detail();
  const named = (name: string) => budget.categories.find((category) => category.name === name);

  it('the category of income has all income as its balance, which is not what is left to assign', () => {
    const { to_be_budgeted } = untidy.month(untidy.currentMonth) ?? {};
    const income = untidy.months().map((month) => month.income);
    expect(named('Inflow: To be Budgeted')?.balance).toBe(income.reduce((sum, amount) => sum + amount, 0));
    expect(to_be_budgeted).toBeLessThan(200_000);
  });

  it('the category of income has another name, also one of another language', () => {
    const internal = (ledger: Ledger) => ledger.detail().categories.filter((category) => category.internal);
    expect(internal(untidy).map(({ name }) => name)).toEqual(['Inflow: To be Budgeted', 'Uncategorized']);
    expect(internal(untidyTrip).map(({ name }) => name)).toEqual(['収入：割り当て可能', '未分類']);
  });

  it('each field that refers to something refers once to what the export lacks or marks as deleted', () => {
    const listed = new Set(
      [
        ...budget.accounts,
        ...budget.payees,
        ...budget.category_groups,
        ...budget.categories,
        ...budget.transactions,
        ...budget.scheduled_transactions,
        ...untidy.moneyMovementGroups().map(({ id }) => ({ id, deleted: false })),
      ].flatMap(({ id, deleted }) => (deleted ? [] : [id])),
    );
    listed.add(untidy.state.internal.split_category_id);
    const dangling = (rows: readonly object[]) =>
      new Set(
        rows
          .flatMap((row) => Object.entries(row))
          .filter(([field, id]) => field.endsWith('_id') && field !== 'import_id' && typeof id === 'string')
          .flatMap(([field, id]) => (listed.has(id) ? [] : [field])),
      );
    const ofTransaction = ['account_id', 'category_id', 'payee_id', 'transfer_account_id'];
    const expected: [readonly object[], string[]][] = [
      [budget.transactions, [...ofTransaction, 'matched_transaction_id', 'transfer_transaction_id']],
      [
        budget.subtransactions,
        ['category_id', 'payee_id', 'transaction_id', 'transfer_account_id', 'transfer_transaction_id'],
      ],
      [budget.scheduled_transactions, ofTransaction],
      [budget.scheduled_subtransactions, ['scheduled_transaction_id']],
      [budget.accounts, ['transfer_payee_id']],
      [budget.payees, ['transfer_account_id']],
      [budget.payee_locations, ['payee_id']],
      [budget.categories, ['category_group_id']],
      [untidy.moneyMovements(), ['to_category_id']],
    ];
    for (const [rows, fields] of expected) expect([...dangling(rows)].sort()).toEqual(fields.sort());
    const ghosts = budget.months.flatMap(({ categories }) => categories.filter(({ id }) => !listed.has(id)));
    expect(new Set(ghosts.map(({ name }) => name))).toEqual(new Set(['Charity']));
  });

  it('names from a bank are escaped, and reconciled rows of a bank are split', () => {
    expect(budget.payees.map(({ name }) => name)).toContain('B&amp;H Photo');
    const reconciled = untidy.transactions(undefined).filter(({ import_id }) => import_id !== null);
    expect(
      reconciled.map(({ cleared, subtransactions }) => [cleared, subtransactions.length]),
    ).toContainEqual(['reconciled', 2]);
  });

  it('goals are snoozed, weekly, and of several months or years', () => {
    expect(named('New Bicycle')).toMatchObject({ goal_snoozed_at: '2026-11-21T07:15:00.000Z' });
    const cadences = ['Pets', 'School', 'Doctor & Dentist'].map((name) => named(name)?.goal_cadence);
    expect(cadences).toEqual([2, 4, 14]);
  });
});
