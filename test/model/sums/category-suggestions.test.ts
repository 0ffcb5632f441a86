import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../../src/model/replica/entities.ts';
import { suggestionsIn } from '../../../src/model/sums/category-suggestions.ts';
import { account, category, leg, transaction } from '../../answers/samples.helper.ts';
import { budgetOf } from './budget-of.helper.ts';

const categories = [
  category({ id: 'food', name: 'Groceries' }),
  category({ id: 'home', name: 'Household' }),
  category({ id: 'old', name: 'Old Gym', hidden: true }),
  category({ id: 'card', name: 'Blue Card', category_group_name: 'Credit Card Payments' }),
  category({ id: 'income', name: 'Inflow: Ready to Assign', internal: true }),
  category({ id: 'none', name: 'Uncategorized', internal: true }),
];

const accounts = ['acc-1', 'savings', 'house'].map((id, at) => account({ id, on_budget: at < 2 }));

const suggest = (transactions: readonly Transaction[], since?: string) =>
  suggestionsIn(budgetOf({ accounts, categories, transactions }), since);

const past = (category_id: string | null, count = 1, changed: Parameters<typeof transaction>[0] = {}) =>
  Array.from({ length: count }, () => transaction({ category_id, ...changed }));

const open = (changed: Parameters<typeof transaction>[0] = {}) =>
  transaction({ id: 'open', category_id: null, category_name: null, ...changed });

const suggestionFor = (rows: readonly Transaction[]) => suggest(rows)[0]?.suggestion;

describe('the suggestion for a transaction without a category', () => {
  it('the category that the payee had most is suggested, with how often', () => {
    expect(suggestionFor([open(), ...past('food', 3), ...past('home', 2)])).toEqual({
      category_id: 'food',
      category_name: 'Groceries',
      count: 3,
      of: 5,
    });
  });

  it('of two that are as frequent, the one that was used last is suggested', () => {
    expect(suggestionFor([open(), ...past('home'), ...past('food')])).toMatchObject({ category_id: 'home' });
  });

  it('a payee that is new, or without a category yet, has no suggestion', () => {
    expect(suggestionFor([open(), ...past('food', 3, { payee_id: 'pay-2' })])).toBeNull();
    expect(suggestionFor([open({ payee_id: null, payee_name: null }), ...past('food')])).toBeNull();
    expect(suggestionFor([open(), ...past('none', 4)])).toBeNull();
  });

  it('hidden, payment and internal categories are not suggested, and count among all', () => {
    expect(suggestionFor([open(), ...past('old', 4), ...past('food')])).toMatchObject({
      category_id: 'food',
      count: 1,
      of: 5,
    });
    expect(suggestionFor([open(), ...past('card', 4)])).toBeNull();
    expect(suggestionFor([open(), ...past('income', 4)])).toBeNull();
  });

  it('for what comes in, Ready to Assign may be suggested', () => {
    expect(suggestionFor([open({ amount: 2_960_000 }), ...past('income', 4)])).toMatchObject({
      category_name: 'Inflow: Ready to Assign',
      count: 4,
    });
  });

  it('legs count by their own category, with the payee of the transaction if they have none', () => {
    const split = transaction({
      subtransactions: [
        leg({ id: 'a', category_id: 'home' }),
        leg({ id: 'b', category_id: 'home', payee_id: 'pay-2' }),
      ],
    });
    expect(suggestionFor([open(), split])).toMatchObject({ category_id: 'home', count: 1, of: 1 });
  });

  it('a leg without a category is a row of its own, and says so', () => {
    const split = transaction({
      id: 'split',
      subtransactions: [leg({ id: 'a', category_id: null, amount: -5_000 }), leg({ id: 'b' })],
    });
    expect(suggest([split, ...past('food', 2)])).toMatchObject([
      {
        transaction_id: 'split',
        is_leg: true,
        amount: -5_000,
        name: 'Corner Shop',
        suggestion: { count: 2 },
      },
    ]);
  });

  it('transactions before the date get no row, and count for the suggestion', () => {
    const rows = [
      open(),
      open({ id: 'older', date: '2026-10-01' }),
      ...past('food', 2, { date: '2026-09-01' }),
    ];
    expect(suggest(rows, '2026-11-01')).toMatchObject([{ transaction_id: 'open', suggestion: { count: 2 } }]);
  });

  it('transfers within the budget and transactions of tracked accounts need none, and count for none', () => {
    const rows = [
      open({ transfer_account_id: 'savings' }),
      open({ account_id: 'house' }),
      open({ id: 'this' }),
      ...past('food', 2, { account_id: 'house' }),
    ];
    expect(suggest(rows)).toMatchObject([{ transaction_id: 'this', suggestion: null }]);
  });

  it('no category of the payee was more frequent than the suggested one, and it was never more often than all', () => {
    const used = fc.record({
      category_id: fc.constantFrom('food', 'home', 'old', null),
      payee_id: fc.constantFrom('pay-1', 'pay-2'),
    });
    fc.assert(
      fc.property(fc.array(used), (rows) => {
        const own = rows.filter(({ payee_id, category_id }) => payee_id === 'pay-1' && category_id !== null);
        const countOf = (id: string) => own.filter(({ category_id }) => category_id === id).length;
        const suggestion = suggestionFor([open(), ...rows.map((row) => transaction(row))]);
        const most = Math.max(countOf('food'), countOf('home'));
        expect(suggestion?.count ?? 0).toBe(most);
        expect(countOf(suggestion?.category_id ?? '')).toBe(most);
        expect(suggestion?.of ?? own.length).toBe(own.length);
      }),
    );
  });
});
