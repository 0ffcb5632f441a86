import { describe, expect, it } from 'vitest';
import { computeCategoryMonth, computeMonthTotals } from '../../../src/service/ledger/envelopes.ts';

const category = (change: Partial<Parameters<typeof computeCategoryMonth>[0]> = {}) =>
  computeCategoryMonth({
    last_balance: 0,
    budgeted: 0,
    cash_activity: 0,
    card_activity: new Map(),
    ...change,
  });

describe('the month of a category', () => {
  it('the balance of a category is what was carried over plus the budgeted amount plus the activity', () => {
    expect(category({ last_balance: 30_000, budgeted: 20_000, cash_activity: -15_000 })).toMatchObject({
      balance: 35_000,
      activity: -15_000,
      cash_overspent: 0,
    });
  });

  it('an overspent category starts the next month with 0', () => {
    expect(category({ last_balance: -30_000, budgeted: 20_000 }).balance).toBe(20_000);
  });

  it('card spending moves money to the card as far as the category covers it', () => {
    const covered = category({ budgeted: 50_000, card_activity: new Map([['card', -40_000]]) });
    expect([...covered.to_cards]).toEqual([['card', 40_000]]);
    const uncovered = category({ budgeted: 50_000, card_activity: new Map([['card', -70_000]]) });
    expect([...uncovered.to_cards]).toEqual([['card', 50_000]]);
    expect(uncovered).toMatchObject({ balance: -20_000, cash_overspent: 0 });
  });

  it('cash spending is paid before card spending, so that only overspent cash reduces the next month', () => {
    const both = category({
      budgeted: 50_000,
      cash_activity: -60_000,
      card_activity: new Map([['card', -30_000]]),
    });
    expect(both).toMatchObject({ activity: -90_000, balance: -40_000, cash_overspent: 10_000 });
    expect([...both.to_cards]).toEqual([]);
  });

  it('a refund on a card moves money back from the card', () => {
    const refunded = category({ card_activity: new Map([['card', 25_000]]) });
    expect(refunded.balance).toBe(25_000);
    expect([...refunded.to_cards]).toEqual([['card', -25_000]]);
  });
});

describe('to_be_budgeted', () => {
  it('to_be_budgeted is last month’s rest plus income minus budgeted amounts minus last month’s overspent cash', () => {
    const previous = { all_income: 900_000, to_be_budgeted: 100_000, cash_overspent: 7_000 };
    const categories = [
      { isPayment: false, amounts: category({ budgeted: 30_000 }) },
      { isPayment: false, amounts: category({ budgeted: 20_000, cash_activity: -25_000 }) },
    ];
    expect(computeMonthTotals(previous, 500_000, categories)).toEqual({
      income: 500_000,
      all_income: 1_400_000,
      budgeted: 50_000,
      activity: -25_000,
      to_be_budgeted: 543_000,
      cash_overspent: 5_000,
    });
  });
});
