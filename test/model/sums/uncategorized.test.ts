import { expect, it } from 'vitest';
import { countOpen, uncategorizedLinesIn } from '../../../src/model/sums/uncategorized.ts';
import { account, category, leg, transaction } from '../../answers/samples.helper.ts';
import { budgetOf } from './budget-of.helper.ts';

const budget = budgetOf({
  accounts: ['acc-1', 'savings', 'house', 'mortgage'].map((id, at) => account({ id, on_budget: at < 2 })),
  categories: [
    category({ id: 'none', name: 'Uncategorized', internal: true }),
    category({ id: 'own', name: 'Uncategorized' }),
  ],
});
const lines = (changed = {}) => uncategorizedLinesIn(budget)(transaction(changed));

it('a transaction without a category needs one', () => {
  expect(lines({ category_id: null })).toHaveLength(1);
  expect(lines()).toEqual([]);
});

it('a transaction with the internal category Uncategorized needs a category', () => {
  expect(lines({ category_id: 'none' })).toHaveLength(1);
  expect(lines({ category_id: 'own' })).toEqual([]);
});

it('a transaction of a tracked account and a transfer within the budget need none', () => {
  expect(lines({ category_id: null, account_id: 'house' })).toEqual([]);
  expect(lines({ category_id: null, transfer_account_id: 'savings' })).toEqual([]);
  expect(lines({ category_id: null, transfer_account_id: 'mortgage' })).toHaveLength(1);
});

it('of a split, the legs without a category need one, and not the split itself', () => {
  const subtransactions = [leg({ id: 'a', category_id: null }), leg({ id: 'b' })];
  expect(lines({ category_id: null, subtransactions })).toMatchObject([{ id: 'a' }]);
  expect(lines({ category_id: null, subtransactions: [leg()] })).toEqual([]);
});

it('a split with several such legs counts once, and an unapproved transaction counts for itself', () => {
  const subtransactions = [leg({ id: 'a', category_id: null }), leg({ id: 'b', category_id: null })];
  const rows = [transaction({ subtransactions }), transaction({ approved: false }), transaction()];
  expect(countOpen(rows, budget)).toEqual({ need_category: 1, need_approval: 1 });
});
