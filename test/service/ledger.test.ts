import { describe, expect, it } from 'vitest';
import { createAccount, updateAccount } from '../../src/service/ledger/accounts.ts';
import { setBudgeted, updateCategory } from '../../src/service/ledger/categories.ts';
import { addPayeeLocation, deletePayee, renamePayee } from '../../src/service/ledger/payees.ts';
import { addScheduled, updateScheduled } from '../../src/service/ledger/scheduled-transactions.ts';
import { addTransaction } from '../../src/service/ledger/transactions.ts';
import type { Ledger } from '../../src/service/ledger.ts';
import { START, smallLedger } from './ledger/random-changes.helper.ts';

function named<T extends { name: string }>(rows: Iterable<T>, name: string): T {
  for (const row of rows) if (row.name === name) return row;
  throw new Error(`nothing is named ${name}`);
}

const DAY = 24 * 60 * 60 * 1000;
const categories = (ledger: Ledger) => ledger.categoryGroups().flatMap((group) => group.categories);

describe('new budgets', () => {
  it('a new budget has the internal groups, categories and payees', () => {
    const ledger = smallLedger();
    const groups = ledger.categoryGroups().slice(0, 3);
    expect(
      groups.map(({ name, categories: inGroup }) => [name, inGroup.map((category) => category.name)]),
    ).toEqual([
      ['Internal Master Category', ['Inflow: Ready to Assign', 'Uncategorized']],
      ['Credit Card Payments', ['Card', 'Other card']],
      ['Hidden Categories', []],
    ]);
    expect(ledger.payees().map(({ name }) => name)).toContain('Starting Balance');
  });
});

describe('new accounts', () => {
  it('a new account has a transfer payee and its opening balance in Inflow: Ready to Assign', () => {
    const ledger = smallLedger();
    const account = named(ledger.accounts(), 'Checking');
    expect(ledger.payee(account.transfer_payee_id ?? '')).toMatchObject({
      name: 'Transfer : Checking',
      transfer_account_id: account.id,
    });
    expect(ledger.transactions({ account_id: account.id })).toMatchObject([
      { payee_name: 'Starting Balance', category_name: 'Inflow: Ready to Assign', amount: 500_000 },
    ]);
    expect(ledger.month(ledger.currentMonth)?.income).toBe(500_000);
  });

  it('the name of an account is also the name of its transfer payee and payment category, after a rename too', () => {
    const ledger = smallLedger();
    const { id, transfer_payee_id } = named(ledger.accounts(), 'Card');
    ledger.commit((state) => updateAccount(state, id, { name: 'Gold' }));
    expect(ledger.payee(transfer_payee_id ?? '')?.name).toBe('Transfer : Gold');
    expect(named(categories(ledger), 'Gold').category_group_name).toBe('Credit Card Payments');
  });

  it('an account without an opening balance has no transaction', () => {
    const ledger = smallLedger();
    const { id } = ledger.commit((state) =>
      createAccount(state, { name: 'Purse', type: 'cash', balance: 0 }),
    );
    expect(ledger.transactions({ account_id: id })).toEqual([]);
  });
});

describe('server_knowledge', () => {
  it('each change increases server_knowledge by one, and the delta contains what it affected, derived values included', () => {
    const ledger = smallLedger();
    const since = ledger.knowledge;
    const card = named(ledger.accounts(), 'Card');
    const fun = named(categories(ledger), 'Fun 1');
    ledger.commit((state) => {
      setBudgeted(state, fun.id, ledger.currentMonth, 50_000);
      addTransaction(state, {
        account_id: card.id,
        date: state.today,
        amount: -20_000,
        category_id: fun.id,
      });
    });
    expect(ledger.knowledge).toBe(since + 1);
    const delta = ledger.detail(since);
    expect(delta.accounts).toMatchObject([{ name: 'Card', balance: -70_000, uncleared_balance: -20_000 }]);
    expect(delta.categories.map(({ name, balance }) => [name, balance])).toEqual([
      ['Card', 20_000],
      ['Fun 1', 30_000],
    ]);
    expect(delta.months).toMatchObject([{ month: '2026-01-01', budgeted: 50_000, activity: -20_000 }]);
    expect(delta.months[0]?.categories).toEqual(delta.categories);
    expect(delta.transactions).toHaveLength(1);
    expect([delta.payees, delta.category_groups, delta.scheduled_transactions]).toEqual([[], [], []]);
  });

  it('a new name of a payee changes its transactions, but not their summaries', () => {
    const ledger = smallLedger();
    const payee = named(ledger.payees(), 'Baker');
    const { id } = ledger.commit((state) =>
      addTransaction(state, {
        account_id: named(state.accounts.values(), 'Checking').id,
        date: state.today,
        amount: -1_000,
        payee_id: payee.id,
      }),
    );
    const since = ledger.knowledge;
    ledger.commit((state) => renamePayee(state, payee.id, 'Bakery'));
    expect(ledger.transactions(undefined, { since })).toMatchObject([{ id, payee_name: 'Bakery' }]);
    expect(ledger.detail(since)).toMatchObject({
      payees: [{ name: 'Bakery' }],
      transactions: [],
      accounts: [],
    });
  });

  it('a change that has no effect increases server_knowledge, but the delta is empty', () => {
    const ledger = smallLedger();
    const since = ledger.knowledge;
    const { id, name } = named(ledger.payees(), 'Baker');
    ledger.commit((state) => renamePayee(state, id, name));
    expect(ledger.knowledge).toBeGreaterThan(since);
    expect(ledger.payees(since)).toEqual([]);
  });

  it('a change updates last_modified_on', () => {
    const ledger = smallLedger();
    ledger.advanceTo(START + 5_000);
    ledger.commit((state) => renamePayee(state, named(state.payees.values(), 'Baker').id, 'X'));
    expect(ledger.summary().last_modified_on).toBe('2026-01-20T12:00:05.000Z');
  });
});

describe('deleted payees', () => {
  it('a deleted payee appears as deleted in the delta, its locations are deleted, and its transactions have no payee', () => {
    const ledger = smallLedger();
    const { id } = named(ledger.payees(), 'Baker');
    const { id: transaction } = ledger.commit((state) => {
      addPayeeLocation(state, { payee_id: id, latitude: '1', longitude: '2' });
      const account_id = named(state.accounts.values(), 'Checking').id;
      return addTransaction(state, { account_id, date: state.today, amount: -1, payee_id: id });
    });
    const since = ledger.knowledge;
    ledger.commit((state) => deletePayee(state, id));
    expect(ledger.payee(id)).toBeUndefined();
    expect(ledger.payees(since)).toMatchObject([{ id, deleted: true }]);
    expect(ledger.payeeLocations(id)).toEqual([]);
    expect(ledger.transaction(transaction)).toMatchObject({ payee_id: null, payee_name: null });
  });
});

describe('flags', () => {
  it('a transaction shows the user’s name of its flag', () => {
    const ledger = smallLedger();
    const { id } = ledger.commit((state) =>
      addTransaction(state, {
        account_id: named(state.accounts.values(), 'Checking').id,
        date: state.today,
        amount: -1_000,
        flag_color: 'red',
      }),
    );
    expect(ledger.transaction(id)).toMatchObject({ flag_color: 'red', flag_name: null });
    const since = ledger.knowledge;
    ledger.commit((state) => state.setFlagName('red', 'To check'));
    expect(ledger.transactions(undefined, { since })).toMatchObject([{ id, flag_name: 'To check' }]);
  });
});

describe('months', () => {
  it('a month can have a note', () => {
    const ledger = smallLedger();
    const since = ledger.knowledge;
    ledger.commit((state) => state.setNote('2026-01-01', 'Calm'));
    expect(ledger.months(since)).toMatchObject([{ month: '2026-01-01', note: 'Calm' }]);
  });
});

describe('hidden categories', () => {
  it('a hidden category is shown in Hidden Categories, and in its group when it is shown again', () => {
    const ledger = smallLedger();
    const { id } = named(categories(ledger), 'Fun 1');
    ledger.commit((state) => updateCategory(state, id, { hidden: true }));
    expect(ledger.category(id)).toMatchObject({ hidden: true, category_group_name: 'Hidden Categories' });
    ledger.commit((state) => updateCategory(state, id, { hidden: false }));
    expect(ledger.category(id)).toMatchObject({ hidden: false, category_group_name: 'Fun' });
  });
});

describe('a new month', () => {
  it('when a month begins, categories show its amounts, and the delta contains the categories that changed', () => {
    const ledger = smallLedger();
    const { id } = named(categories(ledger), 'Fun 1');
    ledger.commit((state) => setBudgeted(state, id, '2026-01-01', 30_000));
    const since = ledger.knowledge;
    ledger.advanceTo(Date.parse('2026-01-31T23:59:59Z'));
    expect(ledger.knowledge).toBe(since);
    ledger.advanceTo(Date.parse('2026-02-01T00:00:00Z'));
    expect(ledger.knowledge).toBe(since + 1);
    expect(ledger.currentMonth).toBe('2026-02-01');
    expect(ledger.summary().last_month).toBe('2026-02-01');
    expect(ledger.category(id)).toMatchObject({ budgeted: 0, balance: 30_000 });
    expect(ledger.category(id, '2026-01-01')).toMatchObject({ budgeted: 30_000, balance: 30_000 });
    expect(categories(ledger).length).toBeGreaterThan(1);
    const changed = ledger.categoryGroups(since).flatMap((group) => group.categories);
    expect(changed.map((category) => category.id)).toEqual([ledger.state.internal.inflow_category_id, id]);
    expect(ledger.months(since).map(({ month }) => month)).toEqual(['2026-02-01']);
  });

  it('the months of a budget reach to the last month that has a budgeted amount', () => {
    const ledger = smallLedger();
    const { id } = named(categories(ledger), 'Fun 1');
    ledger.commit((state) => setBudgeted(state, id, '2026-04-01', 30_000));
    expect(ledger.months().map(({ month }) => month.slice(5, 7))).toEqual(['01', '02', '03', '04']);
    expect(ledger.category(id, '2026-05-01')).toBeUndefined();
    expect(ledger.month('2026-04-01')?.budgeted).toBe(30_000);
  });
});

describe('the age of money', () => {
  it('the age of money is the number of days from income to spending, and transfers between accounts do not count', () => {
    const ledger = smallLedger();
    const checking = named(ledger.accounts(), 'Checking').id;
    ledger.advanceTo(START + 9 * DAY);
    ledger.commit((state) => {
      const spend = { account_id: checking, date: state.today, amount: -1_000 };
      const payee_id = named(state.payees.values(), 'Transfer : Savings').id;
      for (let i = 0; i < 9; i += 1) addTransaction(state, spend);
      addTransaction(state, { ...spend, payee_id, amount: -400_000 });
    });
    expect(ledger.months().at(-1)?.age_of_money).toBeNull();
    ledger.commit((state) => {
      const payee_id = named(state.payees.values(), 'Transfer : Card').id;
      addTransaction(state, { account_id: checking, date: state.today, amount: -1_000, payee_id });
    });
    expect(ledger.months().at(-1)?.age_of_money).toBe(9);
  });
});

describe('scheduled transactions', () => {
  const scheduled = (ledger: Ledger, change: Partial<Parameters<typeof addScheduled>[1]> = {}) =>
    ledger.commit((state) =>
      addScheduled(state, {
        account_id: named(state.accounts.values(), 'Checking').id,
        date: '2026-01-25',
        amount: -8_000,
        frequency: 'weekly',
        ...change,
      }),
    ).id;

  it('a scheduled transaction that comes due becomes an unapproved transaction whose id ends in the date, and gets its next date', () => {
    const ledger = smallLedger();
    const id = scheduled(ledger);
    ledger.advanceTo(START + 12 * DAY);
    expect(ledger.transaction(`${id}_2026-01-25`)).toMatchObject({ approved: false, date: '2026-01-25' });
    expect(ledger.transaction(`${id}_2026-02-01`)).toMatchObject({ amount: -8_000, cleared: 'uncleared' });
    expect(ledger.scheduledTransaction(id)).toMatchObject({
      date_first: '2026-01-25',
      date_next: '2026-02-08',
    });
  });

  it('a scheduled transaction that occurs once is deleted when it comes due', () => {
    const ledger = smallLedger();
    const id = scheduled(ledger, { frequency: 'never' });
    const since = ledger.knowledge;
    ledger.advanceTo(START + 5 * DAY);
    expect(ledger.transaction(`${id}_2026-01-25`)).toBeDefined();
    expect(ledger.scheduledTransaction(id)).toBeUndefined();
    expect(ledger.scheduledTransactions(since)).toMatchObject([{ id, deleted: true }]);
  });

  it('a scheduled transaction can be a transfer or a split', () => {
    const ledger = smallLedger();
    const transfer = scheduled(ledger, {
      payee_id: named(ledger.payees(), 'Transfer : Savings').id,
    });
    const split = scheduled(ledger, {
      legs: [
        { amount: -5_000, category_id: named(categories(ledger), 'Fun 1').id },
        { amount: -3_000, category_id: named(categories(ledger), 'Fun 2').id },
      ],
    });
    expect(ledger.scheduledTransaction(split)).toMatchObject({ category_name: 'Split' });
    ledger.advanceTo(START + 5 * DAY);
    expect(named(ledger.accounts(), 'Savings').balance).toBe(8_000);
    expect(ledger.transaction(`${transfer}_2026-01-25`)?.transfer_transaction_id).not.toBeNull();
    expect(ledger.transaction(`${split}_2026-01-25`)?.subtransactions).toHaveLength(2);
  });

  it('legs that are removed from a scheduled transaction appear as deleted in the delta', () => {
    const ledger = smallLedger();
    const legs = [{ amount: -5_000 }, { amount: -3_000 }];
    const id = scheduled(ledger, { legs });
    const since = ledger.knowledge;
    ledger.commit((state) => updateScheduled(state, id, { legs: [] }));
    const removedLegs = ledger.detail(since).scheduled_subtransactions;
    expect(removedLegs.map(({ deleted }) => deleted)).toEqual([true, true]);
    expect(ledger.detail().scheduled_subtransactions).toEqual([]);
  });

  it('a new date starts a new series of a scheduled transaction', () => {
    const ledger = smallLedger();
    const id = scheduled(ledger, { frequency: 'monthly' });
    ledger.commit((state) => updateScheduled(state, id, { date: '2026-01-31' }));
    expect(ledger.scheduledTransaction(id)).toMatchObject({
      date_first: '2026-01-31',
      date_next: '2026-01-31',
      frequency: 'monthly',
    });
  });
});
