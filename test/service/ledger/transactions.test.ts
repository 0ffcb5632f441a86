import { describe, expect, it } from 'vitest';
import { setBudgeted } from '../../../src/service/ledger/categories.ts';
import type { LedgerState } from '../../../src/service/ledger/ledger-state.ts';
import {
  addTransaction,
  deleteTransaction,
  type TransactionInput,
  updateTransaction,
} from '../../../src/service/ledger/transactions.ts';
import type { Ledger } from '../../../src/service/ledger.ts';
import { smallLedger } from './random-changes.helper.ts';

function idNamed(rows: Iterable<{ id: string; name: string }>, name: string): string {
  for (const row of rows) if (row.name === name) return row.id;
  throw new Error(`nothing is named ${name}`);
}

const account = ({ state }: Ledger, name: string) => idNamed(state.accounts.values(), name);
const category = ({ state }: Ledger, name: string) => idNamed(state.categories.values(), name);
const transferTo = ({ state }: Ledger, name: string) => idNamed(state.payees.values(), `Transfer : ${name}`);

function add(ledger: Ledger, input: Partial<TransactionInput> = {}): string {
  const date = ledger.state.today;
  const transaction = { account_id: account(ledger, 'Checking'), date, amount: -10_000, ...input };
  return ledger.commit((state) => addTransaction(state, transaction)).id;
}

const change = (ledger: Ledger, run: (state: LedgerState) => void) => ledger.commit(run);

describe('transfers', () => {
  it('a transfer is one transaction in each account, and each refers to the other', () => {
    const ledger = smallLedger();
    const id = add(ledger, {
      payee_id: transferTo(ledger, 'Savings'),
      category_id: category(ledger, 'Fun 1'),
    });
    const fromSide = ledger.transaction(id);
    const toSide = ledger.transaction(fromSide?.transfer_transaction_id ?? '');
    expect(fromSide).toMatchObject({ payee_name: 'Transfer : Savings', category_id: null });
    expect(toSide).toMatchObject({
      account_name: 'Savings',
      amount: 10_000,
      payee_name: 'Transfer : Checking',
      transfer_account_id: account(ledger, 'Checking'),
      transfer_transaction_id: id,
    });
  });

  it('a change to one side of a transfer changes the other side', () => {
    const ledger = smallLedger();
    const id = add(ledger, { payee_id: transferTo(ledger, 'Savings') });
    const other = ledger.transaction(id)?.transfer_transaction_id ?? '';
    change(ledger, (state) => updateTransaction(state, other, { amount: 4_000, date: '2026-01-02' }));
    expect(ledger.transaction(id)).toMatchObject({ amount: -4_000, date: '2026-01-02' });
    change(ledger, (state) => updateTransaction(state, id, { payee_id: transferTo(ledger, 'Card') }));
    expect(ledger.transaction(other)).toMatchObject({ account_name: 'Card', amount: 4_000 });
  });

  it('the other side of a transfer is removed when the transfer is deleted or gets another payee', () => {
    const ledger = smallLedger();
    const transfer = { payee_id: transferTo(ledger, 'Savings') };
    const deleted = add(ledger, transfer);
    const changed = add(ledger, transfer);
    const others = [deleted, changed].map((id) => ledger.transaction(id)?.transfer_transaction_id ?? '');
    change(ledger, (state) => deleteTransaction(state, deleted));
    change(ledger, (state) => updateTransaction(state, changed, { payee_id: null }));
    expect(others.map((id) => ledger.transaction(id))).toEqual([undefined, undefined]);
    expect(ledger.transaction(changed)).toMatchObject({
      transfer_account_id: null,
      transfer_transaction_id: null,
    });
    expect(ledger.account(account(ledger, 'Savings'))?.balance).toBe(0);
  });

  it('a transfer to a tracking account has a category on the budget side, and none on the tracking side', () => {
    const ledger = smallLedger();
    const id = add(ledger, {
      payee_id: transferTo(ledger, 'Car loan'),
      category_id: category(ledger, 'Bills 1'),
    });
    const payment = ledger.transaction(ledger.transaction(id)?.transfer_transaction_id ?? '');
    expect(ledger.transaction(id)?.category_name).toBe('Bills 1');
    expect(payment).toMatchObject({ category_id: null, debt_transaction_type: 'payment' });
    expect(ledger.category(category(ledger, 'Bills 1'))?.activity).toBe(-10_000);
    change(ledger, (state) => updateTransaction(state, payment?.id ?? '', { payee_id: null }));
    expect(ledger.transaction(payment?.id ?? '')).toMatchObject({ debt_transaction_type: null });
  });

  it('a month’s activity includes purchases with a card, and no income and no transfers within the budget', () => {
    const ledger = smallLedger();
    const month = () => ledger.month(ledger.currentMonth);
    const before = month()?.activity ?? 0;
    const bought = { account_id: account(ledger, 'Card'), category_id: category(ledger, 'Bills 1') };
    change(ledger, (state) => setBudgeted(state, bought.category_id, ledger.currentMonth, 50_000));
    add(ledger, bought);
    expect(ledger.category(category(ledger, 'Card'))?.activity).toBe(10_000);
    expect(month()?.activity).toBe(before - 10_000);
    add(ledger, { payee_id: transferTo(ledger, 'Card') });
    add(ledger, { category_id: category(ledger, 'Inflow: Ready to Assign') });
    expect(month()?.activity).toBe(before - 10_000);
  });

  it('a transfer to a card is paid from the card’s payment category', () => {
    const ledger = smallLedger();
    add(ledger, { payee_id: transferTo(ledger, 'Card') });
    expect(ledger.category(category(ledger, 'Card'))).toMatchObject({ activity: -10_000, balance: -10_000 });
  });
});

describe('splits', () => {
  const split = (ledger: Ledger) =>
    add(ledger, {
      payee_id: idNamed(ledger.state.payees.values(), 'Baker'),
      category_id: category(ledger, 'Bills 1'),
      legs: [
        { amount: -7_000, category_id: category(ledger, 'Fun 1'), memo: 'cake 🎂' },
        { amount: -3_000, payee_id: transferTo(ledger, 'Savings') },
      ],
    });

  it('a split has the internal category Split, which is in no list, and each leg has its own category', () => {
    const ledger = smallLedger();
    const row = ledger.transaction(split(ledger));
    expect(row).toMatchObject({ category_name: 'Split', category_id: expect.any(String) });
    expect(ledger.category(row?.category_id ?? '')).toBeUndefined();
    expect(row?.subtransactions).toMatchObject([
      { amount: -7_000, category_name: 'Fun 1', memo: 'cake 🎂', payee_name: null },
      { amount: -3_000, category_name: null, payee_name: 'Transfer : Savings' },
    ]);
    expect(ledger.category(category(ledger, 'Fun 1'))?.activity).toBe(-7_000);
    expect(ledger.category(category(ledger, 'Bills 1'))?.activity).toBe(0);
    expect(ledger.account(account(ledger, 'Savings'))?.balance).toBe(3_000);
  });

  it('the lists by category and payee contain the legs of a split, with the payee of the split', () => {
    const ledger = smallLedger();
    const id = split(ledger);
    const [leg] = ledger.transaction(id)?.subtransactions ?? [];
    const row = { id: leg?.id, type: 'subtransaction', parent_transaction_id: id, payee_name: 'Baker' };
    expect(ledger.hybridTransactions({ category_id: category(ledger, 'Fun 1') })).toMatchObject([row]);
    const payee_id = idNamed(ledger.state.payees.values(), 'Baker');
    expect(ledger.hybridTransactions({ payee_id })).toMatchObject([row]);
  });

  it('a row of the lists by category and payee has a category name that is a text, or none', () => {
    const ledger = smallLedger();
    split(ledger);
    add(ledger, { payee_id: transferTo(ledger, 'Savings') });
    const namesOf = (payee: string) =>
      ledger
        .hybridTransactions({ payee_id: idNamed(ledger.state.payees.values(), payee) })
        .map((row) => JSON.parse(JSON.stringify(row)).category_name);
    expect(namesOf('Baker')).toEqual(['Fun 1']);
    expect(namesOf('Transfer : Savings')).toEqual([undefined, undefined]);
  });

  it('deleting a split deletes its legs and the other sides of their transfers', () => {
    const ledger = smallLedger();
    const since = ledger.knowledge;
    const id = split(ledger);
    change(ledger, (state) => deleteTransaction(state, id));
    expect(ledger.account(account(ledger, 'Savings'))?.balance).toBe(0);
    expect(ledger.detail(since).subtransactions.map(({ deleted }) => deleted)).toEqual([true, true]);
    expect(ledger.transactions(undefined, { since }).map(({ deleted }) => deleted)).toEqual([true, true]);
  });

  it('a leg keeps its amount when its other side is deleted', () => {
    const ledger = smallLedger();
    const id = split(ledger);
    const other = ledger.transaction(id)?.subtransactions[1]?.transfer_transaction_id ?? '';
    change(ledger, (state) => updateTransaction(state, other, { amount: 1, memo: 'saved' }));
    expect(ledger.transaction(other)).toMatchObject({ amount: 3_000, memo: 'saved' });
    change(ledger, (state) => deleteTransaction(state, other));
    expect(ledger.transaction(id)?.subtransactions[1]).toMatchObject({
      amount: -3_000,
      transfer_account_id: null,
      transfer_transaction_id: null,
    });
  });
});

describe('lists of transactions', () => {
  it('transactions are sorted by date, then by order of entry', () => {
    const ledger = smallLedger();
    const dates = ['2026-01-10', '2026-01-05', '2026-01-10'];
    const ids = dates.map((date) => add(ledger, { date }));
    const all = ledger.transactions(undefined).map(({ id }) => id);
    expect(all.filter((id) => ids.includes(id))).toEqual([ids[1], ids[0], ids[2]]);
  });

  it('the uncategorized filter excludes tracking accounts, categorized transactions and transfers within the budget', () => {
    const ledger = smallLedger();
    const id = add(ledger);
    add(ledger, { category_id: category(ledger, 'Fun 1') });
    add(ledger, { payee_id: transferTo(ledger, 'Savings') });
    add(ledger, { account_id: account(ledger, 'House') });
    const loanPayment = add(ledger, { payee_id: transferTo(ledger, 'Car loan') });
    const rows = ledger.transactions(undefined, { type: 'uncategorized' });
    expect(rows.map((row) => row.id)).toEqual([id, loanPayment]);
  });

  it('the filters unapproved and since_date limit the list', () => {
    const ledger = smallLedger();
    add(ledger, { approved: true });
    const earlier = add(ledger, { date: '2026-01-01' });
    const today = add(ledger);
    const ids = (filter: Parameters<Ledger['transactions']>[1]) =>
      ledger.transactions(undefined, filter).map(({ id }) => id);
    expect(ids({ type: 'unapproved' })).toEqual([earlier, today]);
    expect(ids({ type: 'unapproved', since_date: '2026-01-20' })).toEqual([today]);
  });

  it('a transaction that left an account, month, category or payee appears as deleted in the deltas of those lists only', () => {
    const ledger = smallLedger();
    const payee_id = idNamed(ledger.state.payees.values(), 'Baker');
    const fun = category(ledger, 'Fun 1');
    const id = add(ledger, { payee_id, category_id: fun });
    const since = ledger.knowledge;
    change(ledger, (state) =>
      updateTransaction(state, id, {
        account_id: account(ledger, 'Savings'),
        date: '2025-12-31',
        payee_id: null,
        category_id: category(ledger, 'Fun 2'),
      }),
    );
    const deleted = [{ id, deleted: true }];
    const filter = { since, since_date: '2026-01-20' };
    expect(ledger.transactions({ account_id: account(ledger, 'Checking') }, filter)).toMatchObject(deleted);
    expect(ledger.transactions({ month: '2026-01-01' }, filter)).toMatchObject(deleted);
    expect(ledger.hybridTransactions({ category_id: fun }, filter)).toMatchObject(deleted);
    expect(ledger.hybridTransactions({ payee_id }, filter)).toMatchObject(deleted);
    expect(ledger.transactions(undefined, { since })).toMatchObject([{ id, deleted: false }]);
    expect(ledger.detail(since).transactions).toMatchObject([{ id, deleted: false }]);
    expect(ledger.transactions({ month: '2026-01-01' }, { since: ledger.knowledge })).toEqual([]);
  });

  it.each([
    ['account', (ledger: Ledger) => ({ account_id: account(ledger, 'Savings') })],
    ['month', () => ({ date: '2025-12-31' })],
    ['payee', () => ({ payee_id: null })],
    ['category', (ledger: Ledger) => ({ category_id: category(ledger, 'Fun 2') })],
  ] as const)(
    'a transaction that left a list and returned appears as present in the delta: %s',
    (_, changeOf) => {
      const ledger = smallLedger();
      const payee_id = idNamed(ledger.state.payees.values(), 'Baker');
      const original = {
        account_id: account(ledger, 'Checking'),
        date: '2026-01-15',
        category_id: category(ledger, 'Fun 1'),
        payee_id,
      };
      const id = add(ledger, original);
      const lists = (since: number) => [
        ledger.transactions({ account_id: original.account_id }, { since }),
        ledger.transactions({ month: '2026-01-01' }, { since }),
        ledger.hybridTransactions({ category_id: original.category_id }, { since }),
        ledger.hybridTransactions({ payee_id }, { since }),
      ];
      const since = ledger.knowledge;
      change(ledger, (state) => updateTransaction(state, id, changeOf(ledger)));
      expect(lists(since).filter(([row]) => row?.deleted)).toHaveLength(1);
      change(ledger, (state) => updateTransaction(state, id, original));
      for (const rows of lists(since)) expect(rows).toMatchObject([{ id, deleted: false }]);
    },
  );
});
