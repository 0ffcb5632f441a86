import { describe, expect, test } from 'vitest';
import {
  ChartOfAccounts,
  type Entry,
  isSplit,
  legOf,
  otherSidesOf,
  partsOf,
  payeeOf,
} from '../../../src/model/bookkeeping/entries.ts';
import { chart, entry, leg } from './register.helper.ts';

describe('the chart of accounts', () => {
  test('the target of a transfer is the account whose transfer payee it has, and other payees have no target', () => {
    expect(chart.targetOf({ payee_id: 'to savings' })?.id).toBe('savings');
    expect(chart.targetOf({ payee_id: 'baker' })).toBeUndefined();
    expect(chart.targetOf({ payee_id: null })).toBeUndefined();
  });

  test('an account has a transfer payee if it exists and the service gave it one', () => {
    const [bank, cash] = [
      { id: 'bank', name: 'Bank', closed: false, on_budget: true, transfer_payee_id: 'to bank' },
      { id: 'cash', name: 'Cash', closed: false, on_budget: true, transfer_payee_id: null },
    ];
    const none: ReadonlySet<string> = new Set();
    const categories = { all: none, internal: none, payment: none, uncategorized: none };
    const other = new ChartOfAccounts([bank, cash], categories, none);
    expect(['bank', 'cash', 'unknown'].map((id) => other.transferPayeeOf(id))).toEqual([
      'to bank',
      null,
      null,
    ]);
    expect(other.targetOf({ payee_id: 'to bank' })).toBe(bank);
    expect(other.targetOf({ payee_id: null })).toBeUndefined();
  });

  test('only the categories of credit cards are payment categories', () => {
    expect(chart.isPaymentCategory('card payments')).toBe(true);
    for (const id of ['groceries', null, undefined]) expect(chart.isPaymentCategory(id)).toBe(false);
  });

  test.each<[string, Partial<Entry>, string | null]>([
    ['an ordinary payment', {}, 'groceries'],
    ['a payment without a category', { category_id: null }, null],
    ['the internal category for payments without one', { category_id: 'uncategorized' }, null],
    ['a payment category of a credit card', { category_id: 'card payments' }, null],
    ['a transfer within the budget', { payee_id: 'to savings' }, null],
    ['a transfer to a tracking account', { payee_id: 'to pension' }, 'groceries'],
    ['a payment from a tracking account', { account_id: 'pension' }, null],
    ['a transfer from a tracking account', { account_id: 'pension', payee_id: 'to savings' }, null],
    ['an account that is not known', { account_id: 'unknown' }, 'groceries'],
  ])('the service stores the category of %s as the interface says', (_, fields, stored) => {
    const sent = entry({ category_id: 'groceries', ...fields });
    expect(chart.categoryOf(sent, sent)).toBe(stored);
  });
});

describe('the postings of an entry', () => {
  const date = '2026-11-21';

  test('an entry counts in its account and in its category', () => {
    expect(chart.postingsOf(entry({ category_id: 'groceries' }))).toEqual([
      { account_id: 'checking', amount: -10_000 },
      { category_id: 'groceries', date, amount: -10_000 },
    ]);
  });

  test('an entry without a category counts only in its account', () => {
    expect(chart.postingsOf(entry())).toEqual([{ account_id: 'checking', amount: -10_000 }]);
  });

  test('a split counts in the categories of its legs, and a leg that is a transfer in none', () => {
    const subtransactions = [
      leg(-6_000, { category_id: 'groceries' }),
      leg(-3_000, { category_id: 'rent' }),
      leg(-1_000, { category_id: 'rent', payee_id: 'to savings' }),
    ];
    expect(chart.postingsOf(entry({ category_id: 'split', subtransactions }))).toEqual([
      { account_id: 'checking', amount: -10_000 },
      { category_id: 'groceries', date, amount: -6_000 },
      { category_id: 'rent', date, amount: -3_000 },
    ]);
  });
});

test.each<[string, Parameters<typeof payeeOf>[0], string | null | undefined]>([
  ['its id', { payee_id: 'p' }, 'p'],
  ['its id if a name is given as well', { payee_id: 'p', payee_name: 'Baker' }, 'p'],
  ['its name without spaces around it', { payee_name: ' Baker ' }, 'Baker'],
  ['its name if the id is null', { payee_id: null, payee_name: 'Baker' }, 'Baker'],
  ['null if the payee is removed', { payee_id: null }, null],
  ['null if the payee is removed and the name is blank', { payee_id: null, payee_name: ' ' }, null],
  ['undefined if the name is blank', { payee_name: ' ' }, undefined],
  ['undefined if none is given', {}, undefined],
])('the payee that a write names is %s', (_, sent, payee) => {
  expect(payeeOf(sent)).toBe(payee);
});

test('a sent leg without payee and category has neither, and no leg has another side before it is stored', () => {
  expect(legOf({ amount: -1 })).toEqual(leg(-1));
  expect(legOf({ amount: -1, payee_name: 'Baker', category_id: 'rent' })).toEqual(
    leg(-1, { payee_id: 'Baker', category_id: 'rent' }),
  );
});

test('an entry is a split if it has legs, and its parts are then the legs', () => {
  const [plain, split] = [entry(), entry({ subtransactions: [leg(-10_000)] })];
  expect([plain, split].map(isSplit)).toEqual([false, true]);
  expect(partsOf(plain)).toEqual([plain]);
  expect(partsOf(split)).toEqual([leg(-10_000)]);
});

test('the other sides of an entry are those of its transfer and of the transfers of its legs', () => {
  expect(otherSidesOf(entry())).toEqual([]);
  expect(otherSidesOf(entry({ transfer_transaction_id: 's' }))).toEqual(['s']);
  const subtransactions = [leg(-6_000), leg(-4_000, { transfer_transaction_id: 's-1' })];
  expect(otherSidesOf(entry({ subtransactions }))).toEqual(['s-1']);
});
