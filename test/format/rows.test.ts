import { describe, expect, it } from 'vitest';
import { lineOf, rows } from './format-row.ts';
import * as a from './samples.ts';

describe('an account', () => {
  it('is its name, type, balance and id', () => {
    expect(lineOf('account', a.account())).toBe('"Checking" · checking · balance $1,234.56 · acc-1');
  });

  it('says what is uncleared, what it is not part of, and what is wrong with it', () => {
    const card = a.account({
      name: 'Old Card',
      type: 'creditCard',
      balance: -250_000,
      cleared_balance: -200_000,
      uncleared_balance: -50_000,
      on_budget: false,
      closed: true,
      deleted: true,
      direct_import_in_error: true,
      note: 'gone\nsince May',
    });
    expect(lineOf('account', card)).toBe(
      '"Old Card" · creditCard · balance -$250.00 (cleared -$200.00, uncleared -$50.00) · tracking · closed · deleted · bank import failing · note "gone\\nsince May" · acc-1',
    );
  });
});

describe('a category', () => {
  it('is its name, its group, what is left, budgeted and spent, and its id', () => {
    expect(lineOf('category', a.category())).toBe(
      '"Groceries" · group "Everyday" · left $376.55 · budgeted $500.00 · activity -$123.45 · cat-1',
    );
  });

  it('says how its goal stands', () => {
    const holiday = a.category({
      name: 'Holiday',
      category_group_name: null,
      balance: -1_500,
      goal_type: 'TBD',
      goal_target: 1_200_000,
      goal_target_month: '2027-06-01',
      goal_percentage_complete: 33,
      goal_under_funded: 100_000,
      goal_snoozed_at: '2026-11-02T10:00:00Z',
      hidden: true,
      deleted: true,
      note: 'the sea',
    });
    expect(lineOf('category', holiday)).toBe(
      '"Holiday" · group grp-1 · left -$1.50 · budgeted $500.00 · activity -$123.45 · goal: target balance by date $1,200.00 by 2027-06-01 33% underfunded $100.00 snoozed · hidden · deleted · note "the sea" · cat-1',
    );
  });

  it('says nothing of a goal that asks for nothing more, and names a new kind of goal as it is', () => {
    const met = a.category({ goal_type: 'NEW', goal_percentage_complete: 100, goal_under_funded: 0 });
    expect(lineOf('category', met)).toContain(' · goal: NEW 100% · ');
  });

  it('stands under its group in a list, without saying so again', () => {
    const group = { id: 'grp-1', name: 'Everyday', hidden: false, deleted: false };
    expect(
      lineOf('categoryGroupWithCategories', {
        ...group,
        categories: [a.category(), a.category({ id: 'cat-2' })],
      }),
    ).toBe(
      rows(
        '"Everyday" · group grp-1',
        '  "Groceries" · left $376.55 · budgeted $500.00 · activity -$123.45 · cat-1',
        '  "Groceries" · left $376.55 · budgeted $500.00 · activity -$123.45 · cat-2',
      ),
    );
  });

  it('is told apart from its group in an export, where groups come without categories', () => {
    const group = { id: 'grp-9', name: 'Old', hidden: true, deleted: true };
    expect(lineOf('categoryGroup', group)).toBe('"Old" · hidden · deleted · group grp-9');
  });
});

describe('a payee', () => {
  it('is its name and id', () => {
    const payee = { id: 'pay-1', name: 'Corner Shop', transfer_account_id: null, deleted: false };
    expect(lineOf('payee', payee)).toBe('"Corner Shop" · pay-1');
  });

  it('says to which account it transfers', () => {
    const payee = { id: 'pay-3', name: 'Transfer : Savings', transfer_account_id: 'acc-2', deleted: true };
    expect(lineOf('payee', payee)).toBe(
      '"Transfer : Savings" · transfers to account acc-2 · deleted · pay-3',
    );
  });

  it('is somewhere', () => {
    const place = { id: 'loc-1', payee_id: 'pay-1', latitude: '52.5', longitude: '13.4', deleted: false };
    expect(lineOf('payeeLocation', place)).toBe('52.5, 13.4 · payee pay-1 · loc-1');
    expect(lineOf('payeeLocation', { ...place, deleted: true })).toBe(
      '52.5, 13.4 · payee pay-1 · deleted · loc-1',
    );
  });
});

describe('a month', () => {
  it('is its totals', () => {
    expect(lineOf('monthSummary', a.month())).toBe(
      '2026-11 · income $4,000.00 · budgeted $3,500.00 · activity -$1,250.00 · to be budgeted $500.00 · age of money 42 days',
    );
  });

  it('by itself is followed by its categories', () => {
    const november = a.month({ age_of_money: null, note: 'lean', categories: [a.category()] });
    expect(lineOf('monthDetail', november)).toBe(
      rows(
        '2026-11 · income $4,000.00 · budgeted $3,500.00 · activity -$1,250.00 · to be budgeted $500.00 · note "lean"',
        '  "Groceries" · group "Everyday" · left $376.55 · budgeted $500.00 · activity -$123.45 · cat-1',
      ),
    );
  });
});

describe('a budget', () => {
  it('is its name, currency, months, last change and id', () => {
    expect(lineOf('budgetSummary', a.budget)).toBe(
      '"Home" · USD · from 2024-12 to 2026-12 · changed 2026-11-20T08:00:00Z · bud-1',
    );
  });

  it('is followed by its accounts, in its own currency', () => {
    const yen = { ...a.dollars, iso_code: 'JPY', decimal_digits: 0, currency_symbol: '¥' };
    const trip = { ...a.budget, currency_format: yen, accounts: [a.account()] };
    expect(lineOf('budgetSummary', trip)).toBe(
      rows(
        '"Home" · JPY · from 2024-12 to 2026-12 · changed 2026-11-20T08:00:00Z · bud-1',
        '  "Checking" · checking · balance ¥1,234.56 · acc-1',
      ),
    );
  });

  it('says only what is known of it', () => {
    const bare = { ...a.budget, currency_format: null, first_month: null, last_modified_on: null };
    expect(lineOf('budgetSummary', bare)).toBe('"Home" · to 2026-12 · bud-1');
    expect(lineOf('budgetSummary', { ...bare, last_month: null })).toBe('"Home" · bud-1');
  });

  it('writes dates and amounts in its own way', () => {
    expect(lineOf('budgetSettings', a.budget)).toBe('dates as YYYY-MM-DD · USD, amounts as 123,456.78');
    expect(lineOf('budgetSettings', { date_format: null, currency_format: null })).toBe('no formats set');
  });
});

describe('the user', () => {
  it('is an id', () => {
    expect(lineOf('user', { id: 'usr-1' })).toBe('user usr-1');
  });
});
