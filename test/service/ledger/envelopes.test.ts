import { describe, expect, it } from 'vitest';
import { settleCategory, settleMonth } from '../../../src/service/ledger/envelopes.ts';

const category = (change: Partial<Parameters<typeof settleCategory>[0]> = {}) =>
  settleCategory({ last_balance: 0, budgeted: 0, cash_activity: 0, card_activity: new Map(), ...change });

describe('a category in a month', () => {
  it('has what was carried over, what was budgeted and what was spent', () => {
    expect(category({ last_balance: 30_000, budgeted: 20_000, cash_activity: -15_000 })).toMatchObject({
      balance: 35_000,
      activity: -15_000,
      cash_overspent: 0,
    });
  });

  it('starts from nothing after an overspent month', () => {
    expect(category({ last_balance: -30_000, budgeted: 20_000 }).balance).toBe(20_000);
  });

  it('moves what is spent on a card to the card as far as it is covered', () => {
    const covered = category({ budgeted: 50_000, card_activity: new Map([['card', -40_000]]) });
    expect([...covered.to_cards]).toEqual([['card', 40_000]]);
    const uncovered = category({ budgeted: 50_000, card_activity: new Map([['card', -70_000]]) });
    expect([...uncovered.to_cards]).toEqual([['card', 50_000]]);
    expect(uncovered).toMatchObject({ balance: -20_000, cash_overspent: 0 });
  });

  it('pays in cash first, so that only what is missing for cash burdens the next month', () => {
    const both = category({
      budgeted: 50_000,
      cash_activity: -60_000,
      card_activity: new Map([['card', -30_000]]),
    });
    expect(both).toMatchObject({ activity: -90_000, balance: -40_000, cash_overspent: 10_000 });
    expect([...both.to_cards]).toEqual([]);
  });

  it('takes a refund to a card back from the card', () => {
    const refunded = category({ card_activity: new Map([['card', 25_000]]) });
    expect(refunded.balance).toBe(25_000);
    expect([...refunded.to_cards]).toEqual([['card', -25_000]]);
  });
});

describe('to_be_budgeted', () => {
  it('follows from last month, income, what was budgeted and last month’s cash overspending', () => {
    const last = { to_be_budgeted: 100_000, cash_overspent: 7_000 };
    const categories = [
      category({ budgeted: 30_000 }),
      category({ budgeted: 20_000, cash_activity: -25_000 }),
    ];
    expect(settleMonth(last, 500_000, categories)).toEqual({
      income: 500_000,
      budgeted: 50_000,
      activity: -25_000,
      to_be_budgeted: 543_000,
      cash_overspent: 5_000,
    });
  });
});
