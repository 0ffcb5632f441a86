import { expect, test } from 'vitest';
import {
  isInternalCategory,
  isOwnGroup,
  isPaymentCategory,
  rolesOf,
} from '../../../src/model/bookkeeping/own-categories.ts';

const category = (name: string, category_group_name: string | null, internal?: boolean) => ({
  name,
  category_group_name,
  ...(internal !== undefined && { internal }),
});

test('without a mark, the names of groups decide which categories are internal', () => {
  expect(isInternalCategory(category('Inflow: Ready to Assign', 'Internal Master Category'))).toBe(true);
  expect(isInternalCategory(category('Food', 'Daily'))).toBe(false);
  expect(isInternalCategory(category('Food', null), 'Internal Master Category')).toBe(true);
});

test('a mark counts more than the name of the group', () => {
  expect(isInternalCategory(category('Food', 'Internal Master Category', false))).toBe(false);
  expect(isInternalCategory(category('Eingang', 'Interne Kategorien', true))).toBe(true);
  expect(isOwnGroup({ name: 'Internal Master Category', internal: false })).toBe(false);
  expect(isOwnGroup({ name: 'Hidden Categories', internal: true })).toBe(true);
});

test('payment categories are not internal, also if the service marks them, because their balances matter to users', () => {
  const card = category('Visa', 'Credit Card Payments', true);
  expect(isPaymentCategory(card)).toBe(true);
  expect(isInternalCategory(card)).toBe(false);
});

test('no category can be created in the groups of the service, whether they are marked or not', () => {
  for (const name of ['Internal Master Category', 'Credit Card Payments'])
    expect(isOwnGroup({ name })).toBe(true);
  expect(isOwnGroup({ name: 'Daily' })).toBe(false);
});

const named = (...names: readonly string[]) => names.map((name) => ({ id: name, name }));
const namesIn = (names: readonly string[], inflows: Readonly<Record<string, number>> = {}) => {
  const { income, uncategorized } = rolesOf(named(...names), (id) => inflows[id] ?? 0);
  return [income?.name, uncategorized?.name];
};

test.each(['Inflow: Ready to Assign', 'Inflow: To be Budgeted', 'Zufluss'])(
  'the internal category %j has the income, whether there is another one beside it or not',
  (income) => {
    expect(namesIn([income])).toEqual([income, undefined]);
    expect(namesIn(['Uncategorized', income])).toEqual([income, 'Uncategorized']);
  },
);

test('in another language, the internal category through which money comes in has the income', () => {
  expect(namesIn(['Ohne Kategorie', 'Zufluss'], { 'Ohne Kategorie': -5, Zufluss: 100 })).toEqual([
    'Zufluss',
    'Ohne Kategorie',
  ]);
  expect(namesIn(['A', 'B', 'Uncategorized'], { A: 1, B: 100 })).toEqual(['B', 'Uncategorized']);
});

test('which of several categories has the income is not known before any has come in', () => {
  expect(namesIn(['Ohne Kategorie', 'Zufluss'], { 'Ohne Kategorie': -5 })).toEqual([undefined, undefined]);
  expect(namesIn([])).toEqual([undefined, undefined]);
});
