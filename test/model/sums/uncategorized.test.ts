import { expect, it } from 'vitest';
import { uncategorizedIds } from '../../../src/model/sums/category-kinds.ts';
import { countOpen, uncategorizedLines } from '../../../src/model/sums/uncategorized.ts';
import { category, leg, transaction } from '../../answers/samples.helper.ts';

const budgetAccounts = new Set(['acc-1', 'savings']);
const lines = (changed = {}) => uncategorizedLines(transaction(changed), budgetAccounts, new Set(['none']));

it('a transaction without a category needs one', () => {
  expect(lines({ category_id: null })).toHaveLength(1);
  expect(lines()).toEqual([]);
});

it('a transaction with the internal category Uncategorized needs a category', () => {
  const internal = category({ id: 'none', name: 'Uncategorized', internal: true });
  const own = category({ id: 'own', name: 'Uncategorized' });
  const categories = { list: () => [internal, own] };
  expect([...uncategorizedIds({ categories, groups: { list: () => [] } })]).toEqual(['none']);
  expect(lines({ category_id: 'none' })).toHaveLength(1);
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
  expect(countOpen(rows, budgetAccounts, new Set())).toEqual({ need_category: 1, need_approval: 1 });
});
