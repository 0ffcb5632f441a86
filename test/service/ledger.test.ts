import { describe, expect, it } from 'vitest';
import { createAccount, updateAccount } from '../../src/service/ledger/accounts.ts';
import { setBudgeted, updateCategory } from '../../src/service/ledger/categories.ts';
import { addPayeeLocation, deletePayee, renamePayee } from '../../src/service/ledger/payees.ts';
import { addScheduled, updateScheduled } from '../../src/service/ledger/scheduled-transactions.ts';
import { addTransaction } from '../../src/service/ledger/transactions.ts';
import type { Ledger } from '../../src/service/ledger.ts';
import { START, smallLedger } from './ledger/random-changes.ts';

function named<T extends { name: string }>(rows: Iterable<T>, name: string): T {
  for (const row of rows) if (row.name === name) return row;
  throw new Error(`nothing is named ${name}`);
}

const DAY = 24 * 60 * 60 * 1000;
const categories = (ledger: Ledger) => ledger.categoryGroups().flatMap((group) => group.categories);

describe('a new budget', () => {
  it('has the internal groups, categories and payees', () => {
    const ledger = smallLedger();
    const groups = ledger.categoryGroups().slice(0, 3);
    expect(groups.map(({ name, categories: own }) => [name, own.map((each) => each.name)])).toEqual([
      ['Internal Master Category', ['Inflow: Ready to Assign', 'Uncategorized']],
      ['Credit Card Payments', ['Card', 'Other card']],
      ['Hidden Categories', []],
    ]);
    expect(ledger.payees().map(({ name }) => name)).toContain('Starting Balance');
  });
});

describe('a new account', () => {
  it('comes with a transfer payee and its opening balance in Inflow: Ready to Assign', () => {
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

  it('gives its name to its transfer payee and its payment category, also later', () => {
    const ledger = smallLedger();
    const { id, transfer_payee_id } = named(ledger.accounts(), 'Card');
    ledger.commit((books) => updateAccount(books, id, { name: 'Gold' }));
    expect(ledger.payee(transfer_payee_id ?? '')?.name).toBe('Transfer : Gold');
    expect(named(categories(ledger), 'Gold').category_group_name).toBe('Credit Card Payments');
  });

  it('without an opening balance has no transaction', () => {
    const ledger = smallLedger();
    const { id } = ledger.commit((books) =>
      createAccount(books, { name: 'Purse', type: 'cash', balance: 0 }),
    );
    expect(ledger.transactions({ account_id: id })).toEqual([]);
  });
});

describe('server_knowledge', () => {
  it('moves on with each change, and its delta is what the change touched, derived values included', () => {
    const ledger = smallLedger();
    const since = ledger.knowledge;
    const card = named(ledger.accounts(), 'Card');
    const fun = named(categories(ledger), 'Fun 1');
    ledger.commit((books) => {
      setBudgeted(books, fun.id, ledger.currentMonth, 50_000);
      addTransaction(books, {
        account_id: card.id,
        date: books.today,
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
    expect(delta.months).toMatchObject([{ month: '2026-01-01', budgeted: 50_000, activity: 0 }]);
    expect(delta.months[0]?.categories).toEqual(delta.categories);
    expect(delta.transactions).toHaveLength(1);
    expect([delta.payees, delta.category_groups, delta.scheduled_transactions]).toEqual([[], [], []]);
  });

  it('counts a payee’s new name as a change of its transactions, though not of their summaries', () => {
    const ledger = smallLedger();
    const payee = named(ledger.payees(), 'Baker');
    const { id } = ledger.commit((books) =>
      addTransaction(books, {
        account_id: named(books.accounts.values(), 'Checking').id,
        date: books.today,
        amount: -1_000,
        payee_id: payee.id,
      }),
    );
    const since = ledger.knowledge;
    ledger.commit((books) => renamePayee(books, payee.id, 'Bakery'));
    expect(ledger.transactions(undefined, { since })).toMatchObject([{ id, payee_name: 'Bakery' }]);
    expect(ledger.detail(since)).toMatchObject({
      payees: [{ name: 'Bakery' }],
      transactions: [],
      accounts: [],
    });
  });

  it('shows nothing of a change that changed nothing', () => {
    const ledger = smallLedger();
    const since = ledger.knowledge;
    const { id, name } = named(ledger.payees(), 'Baker');
    ledger.commit((books) => renamePayee(books, id, name));
    expect(ledger.knowledge).toBeGreaterThan(since);
    expect(ledger.payees(since)).toEqual([]);
  });

  it('moves last_modified_on', () => {
    const ledger = smallLedger();
    ledger.advanceTo(START + 5_000);
    ledger.commit((books) => renamePayee(books, named(books.payees.values(), 'Baker').id, 'X'));
    expect(ledger.summary().last_modified_on).toBe('2026-01-20T12:00:05.000Z');
  });
});

describe('deleting a payee', () => {
  it('leaves a tombstone, takes its locations along and leaves its transactions without a payee', () => {
    const ledger = smallLedger();
    const { id } = named(ledger.payees(), 'Baker');
    const { id: transaction } = ledger.commit((books) => {
      addPayeeLocation(books, { payee_id: id, latitude: '1', longitude: '2' });
      const account_id = named(books.accounts.values(), 'Checking').id;
      return addTransaction(books, { account_id, date: books.today, amount: -1, payee_id: id });
    });
    const since = ledger.knowledge;
    ledger.commit((books) => deletePayee(books, id));
    expect(ledger.payee(id)).toBeUndefined();
    expect(ledger.payees(since)).toMatchObject([{ id, deleted: true }]);
    expect(ledger.payeeLocations(id)).toEqual([]);
    expect(ledger.transaction(transaction)).toMatchObject({ payee_id: null, payee_name: null });
  });
});

describe('a flag', () => {
  it('has the user’s own label, which a transaction shows from then on', () => {
    const ledger = smallLedger();
    const { id } = ledger.commit((books) =>
      addTransaction(books, {
        account_id: named(books.accounts.values(), 'Checking').id,
        date: books.today,
        amount: -1_000,
        flag_color: 'red',
      }),
    );
    expect(ledger.transaction(id)).toMatchObject({ flag_color: 'red', flag_name: null });
    const since = ledger.knowledge;
    ledger.commit((books) => books.setFlagName('red', 'To check'));
    expect(ledger.transactions(undefined, { since })).toMatchObject([{ id, flag_name: 'To check' }]);
  });
});

describe('a month', () => {
  it('may have a note', () => {
    const ledger = smallLedger();
    const since = ledger.knowledge;
    ledger.commit((books) => books.setNote('2026-01-01', 'Calm'));
    expect(ledger.months(since)).toMatchObject([{ month: '2026-01-01', note: 'Calm' }]);
  });
});

describe('a hidden category', () => {
  it('is served in Hidden Categories and returns to its group', () => {
    const ledger = smallLedger();
    const { id } = named(categories(ledger), 'Fun 1');
    ledger.commit((books) => updateCategory(books, id, { hidden: true }));
    expect(ledger.category(id)).toMatchObject({ hidden: true, category_group_name: 'Hidden Categories' });
    ledger.commit((books) => updateCategory(books, id, { hidden: false }));
    expect(ledger.category(id)).toMatchObject({ hidden: false, category_group_name: 'Fun' });
  });
});

describe('when a month begins', () => {
  it('categories show the new month, which is a change', () => {
    const ledger = smallLedger();
    const { id } = named(categories(ledger), 'Fun 1');
    ledger.commit((books) => setBudgeted(books, id, '2026-01-01', 30_000));
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
    expect(changed.map((category) => category.id)).toEqual([id]);
    expect(ledger.months(since).map(({ month }) => month)).toEqual(['2026-02-01']);
  });

  it('months reach as far as the budget was made', () => {
    const ledger = smallLedger();
    const { id } = named(categories(ledger), 'Fun 1');
    ledger.commit((books) => setBudgeted(books, id, '2026-04-01', 30_000));
    expect(ledger.months().map(({ month }) => month.slice(5, 7))).toEqual(['01', '02', '03', '04']);
    expect(ledger.category(id, '2026-05-01')).toBeUndefined();
    expect(ledger.month('2026-04-01')?.budgeted).toBe(30_000);
  });
});

describe('the age of money', () => {
  it('is counted in days from income to spending, and moving money between accounts is neither', () => {
    const ledger = smallLedger();
    const checking = named(ledger.accounts(), 'Checking').id;
    ledger.advanceTo(START + 9 * DAY);
    ledger.commit((books) => {
      const spend = { account_id: checking, date: books.today, amount: -1_000 };
      const payee_id = named(books.payees.values(), 'Transfer : Savings').id;
      for (let i = 0; i < 9; i += 1) addTransaction(books, spend);
      addTransaction(books, { ...spend, payee_id, amount: -400_000 });
    });
    expect(ledger.months().at(-1)?.age_of_money).toBeNull();
    ledger.commit((books) => {
      const payee_id = named(books.payees.values(), 'Transfer : Card').id;
      addTransaction(books, { account_id: checking, date: books.today, amount: -1_000, payee_id });
    });
    expect(ledger.months().at(-1)?.age_of_money).toBe(9);
  });
});

describe('a scheduled transaction', () => {
  const scheduled = (ledger: Ledger, change: Partial<Parameters<typeof addScheduled>[1]> = {}) =>
    ledger.commit((books) =>
      addScheduled(books, {
        account_id: named(books.accounts.values(), 'Checking').id,
        date: '2026-01-25',
        amount: -8_000,
        frequency: 'weekly',
        ...change,
      }),
    ).id;

  it('enters the register unapproved on its date, under an id that ends in the date, and moves on', () => {
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

  it('is deleted once it has come due if it happens only once', () => {
    const ledger = smallLedger();
    const id = scheduled(ledger, { frequency: 'never' });
    const since = ledger.knowledge;
    ledger.advanceTo(START + 5 * DAY);
    expect(ledger.transaction(`${id}_2026-01-25`)).toBeDefined();
    expect(ledger.scheduledTransaction(id)).toBeUndefined();
    expect(ledger.scheduledTransactions(since)).toMatchObject([{ id, deleted: true }]);
  });

  it('may be a transfer or a split', () => {
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

  it('loses the legs that it no longer has', () => {
    const ledger = smallLedger();
    const legs = [{ amount: -5_000 }, { amount: -3_000 }];
    const id = scheduled(ledger, { legs });
    const since = ledger.knowledge;
    ledger.commit((books) => updateScheduled(books, id, { legs: [] }));
    const gone = ledger.detail(since).scheduled_subtransactions;
    expect(gone.map(({ deleted }) => deleted)).toEqual([true, true]);
    expect(ledger.detail().scheduled_subtransactions).toEqual([]);
  });

  it('begins its series anew with a new date', () => {
    const ledger = smallLedger();
    const id = scheduled(ledger, { frequency: 'monthly' });
    ledger.commit((books) => updateScheduled(books, id, { date: '2026-01-31' }));
    expect(ledger.scheduledTransaction(id)).toMatchObject({
      date_first: '2026-01-31',
      date_next: '2026-01-31',
      frequency: 'monthly',
    });
  });
});
