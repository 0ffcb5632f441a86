import { expect, test } from 'vitest';
import {
  isInternalCategory,
  isOwnGroup,
  isPaymentCategory,
  isReadyToAssign,
  isUncategorized,
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

test('a category of the user with the name of an internal one is an ordinary category', () => {
  for (const is of [isUncategorized, isReadyToAssign]) {
    const name = is === isUncategorized ? 'Uncategorized' : 'Inflow: Ready to Assign';
    expect(is(category(name, 'Internal Master Category'))).toBe(true);
    expect(is(category(name, 'Anything', true))).toBe(true);
    expect(is(category(name, 'Internal Master Category', false))).toBe(false);
    expect(is(category(name, 'Daily'))).toBe(false);
    expect(is(category('Another', 'Internal Master Category', true))).toBe(false);
  }
});
