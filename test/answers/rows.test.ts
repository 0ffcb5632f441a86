import { describe, expect, it } from 'vitest';
import { joinRows, lineOf } from './format-row.helper.ts';
import * as a from './samples.helper.ts';

describe('accounts', () => {
  it('an account line has name, type, balance and id', () => {
    expect(lineOf('account', a.account())).toBe('"Checking" · checking · balance $1,234.56 · acc-1');
  });

  it('an account line shows the uncleared amount and all flags', () => {
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
      note: 'closed\nsince May',
    });
    expect(lineOf('account', card)).toBe(
      '"Old Card" · creditCard · balance -$250.00 (cleared -$200.00, uncleared -$50.00) · tracking · closed · deleted · bank import failing · note "closed\\nsince May" · acc-1',
    );
  });
});

describe('categories', () => {
  it('a category line has name, group, balance, budgeted amount, activity and id', () => {
    expect(lineOf('category', a.category())).toBe(
      '"Groceries" · group "Everyday" · left $376.55 · budgeted $500.00 · activity -$123.45 · cat-1',
    );
  });

  it('a category line shows the progress of its goal', () => {
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
      '"Holiday" · group grp-1 · left -$1.50 · budgeted $500.00 · activity -$123.45 · goal: target balance by date $1,200.00 by 2027-06 33% snoozed · hidden · deleted · note "the sea" · cat-1',
    );
    expect(lineOf('category', { ...holiday, goal_snoozed_at: null })).toContain(
      ' 33% underfunded $100.00 · ',
    );
  });

  it('a category line omits a goal amount of 0, and shows an unknown goal type as it is', () => {
    const fundedGoal = a.category({ goal_type: 'NEW', goal_percentage_complete: 100, goal_under_funded: 0 });
    expect(lineOf('category', fundedGoal)).toContain(' · goal: NEW 100% · ');
  });

  it('categories in a list are indented below their group', () => {
    const group = { id: 'grp-1', name: 'Everyday', hidden: false, deleted: false };
    expect(
      lineOf('categoryGroupWithCategories', {
        ...group,
        categories: [a.category(), a.category({ id: 'cat-2' })],
      }),
    ).toBe(
      joinRows(
        'group "Everyday" · grp-1',
        '  "Groceries" · left $376.55 · budgeted $500.00 · activity -$123.45 · cat-1',
        '  "Groceries" · left $376.55 · budgeted $500.00 · activity -$123.45 · cat-2',
      ),
    );
  });

  it('a group of an export has a line of its own', () => {
    const group = { id: 'grp-9', name: 'Old', hidden: true, deleted: true };
    expect(lineOf('categoryGroup', group)).toBe('group "Old" · hidden · deleted · grp-9');
  });
});

describe('payees', () => {
  it('a payee line has name and id', () => {
    const payee = { id: 'pay-1', name: 'Corner Shop', transfer_account_id: null, deleted: false };
    expect(lineOf('payee', payee)).toBe('"Corner Shop" · pay-1');
  });

  it('the line of a transfer payee names the account', () => {
    const payee = { id: 'pay-3', name: 'Transfer : Savings', transfer_account_id: 'acc-2', deleted: true };
    expect(lineOf('payee', payee)).toBe('"Transfer : Savings" · transfer · deleted · pay-3');
  });

  it('the line of a payee location has latitude, longitude, payee and id', () => {
    const place = { id: 'loc-1', payee_id: 'pay-1', latitude: '52.5', longitude: '13.4', deleted: false };
    expect(lineOf('payeeLocation', place)).toBe('52.5, 13.4 · payee pay-1 · loc-1');
    expect(lineOf('payeeLocation', { ...place, deleted: true })).toBe(
      '52.5, 13.4 · payee pay-1 · deleted · loc-1',
    );
  });
});

describe('a month', () => {
  it('the line of a month has its totals', () => {
    expect(lineOf('monthSummary', a.month())).toBe(
      '2026-11 · income $4,000.00 · budgeted $3,500.00 · activity -$1,250.00 · to be budgeted $500.00 · age of money 42 days',
    );
  });

  it('the line of a single month is followed by its categories', () => {
    const november = a.month({ age_of_money: null, note: 'lean', categories: [a.category()] });
    expect(lineOf('monthDetail', november)).toBe(
      joinRows(
        '2026-11 · income $4,000.00 · budgeted $3,500.00 · activity -$1,250.00 · to be budgeted $500.00 · note "lean"',
        '  "Groceries" · group "Everyday" · left $376.55 · budgeted $500.00 · activity -$123.45 · cat-1',
      ),
    );
  });
});

describe('a budget', () => {
  it('a budget line has name, currency, months, last change and id', () => {
    expect(lineOf('budgetSummary', a.budget)).toBe(
      '"Home" · USD · from 2024-12 to 2026-12 · changed 2026-11-20T08:00:00Z · bud-1',
    );
  });

  it('a budget line is followed by the accounts, with balances in the currency of the budget', () => {
    const yen = { ...a.dollars, iso_code: 'JPY', decimal_digits: 0, currency_symbol: '¥' };
    const trip = { ...a.budget, currency_format: yen, accounts: [a.account()] };
    expect(lineOf('budgetSummary', trip)).toBe(
      joinRows(
        '"Home" · JPY · from 2024-12 to 2026-12 · changed 2026-11-20T08:00:00Z · bud-1',
        '  "Checking" · checking · balance 1234.56 · acc-1',
      ),
    );
  });

  it('a budget line omits what is null', () => {
    const bare = { ...a.budget, currency_format: null, first_month: null, last_modified_on: null };
    expect(lineOf('budgetSummary', bare)).toBe('"Home" · to 2026-12 · bud-1');
    expect(lineOf('budgetSummary', { ...bare, last_month: null })).toBe('"Home" · bud-1');
  });

  it('the line of budget settings has the formats of dates and amounts', () => {
    expect(lineOf('budgetSettings', a.budget)).toBe('dates as YYYY-MM-DD · USD, amounts as 123,456.78');
    expect(lineOf('budgetSettings', { date_format: null, currency_format: null })).toBe('no formats set');
  });
});

describe('users', () => {
  it('a user line has the id', () => {
    expect(lineOf('user', { id: 'usr-1' })).toBe('user usr-1');
  });
});
