import { describe, expect, it } from 'vitest';
import type { TransactionQuery } from '../../../src/base/schema/transaction-query.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { findTransactions } from '../../../src/model/sums/found-transactions.ts';
import { createPayee } from '../../../src/service/ledger/payees.ts';
import { addTransaction } from '../../../src/service/ledger/transactions.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader } from '../replica/service-reader.helper.ts';

const ledger = smallLedger();
const idOf = (things: Iterable<{ id: string; name: string }>, name: string) =>
  [...things].find((each) => each.name === name)?.id ?? '';
const account = (name: string) => idOf(ledger.state.accounts.values(), name);
const category = (name: string) => idOf(ledger.state.categories.values(), name);
const payee = (name: string) => idOf(ledger.state.payees.values(), name);
const group = (name: string) => idOf(ledger.state.groups.values(), name);

ledger.commit((state) => {
  createPayee(state, 'Café Zoë');
  const entry = { account_id: account('Checking'), date: '2026-01-10', approved: true };
  addTransaction(state, {
    ...entry,
    id: 'plain',
    amount: -54_100,
    payee_id: payee('Café Zoë'),
    category_id: category('Fun 1'),
    memo: 'Crème brûlée',
    import_payee_name: 'Zoe Pastries',
    import_payee_name_original: 'SQ *ZOE PASTRIES 0042',
  });
  addTransaction(state, {
    ...entry,
    id: 'split',
    date: '2026-01-11',
    amount: -100_000,
    payee_id: payee('Baker'),
    memo: 'weekly',
    legs: [
      { amount: -60_000, category_id: category('Fun 1'), memo: 'cake' },
      { amount: -30_000, category_id: category('Bills 1'), payee_id: payee('Butcher') },
      { amount: -10_000, payee_id: payee('Transfer : Savings') },
    ],
  });
});
const { budget, ...rest } = await directReader(ledger).export();
// The embedded service names no flags.
const transactions = budget.transactions.map((row) =>
  row.id === 'plain' ? { ...row, flag_color: 'red', flag_name: 'Für später' } : row,
);
const replica = BudgetReplica.load({ ...rest, budget: { ...budget, transactions } }, ledger.state.today);

/** What is found, with the amounts that count. */
const found = (query: TransactionQuery) =>
  Object.fromEntries(
    findTransactions(replica, { since: '2026-01-02', until: '2026-01-11', ...query }).map(
      ({ id, amount, matching_amount }) => [id, matching_amount ?? amount],
    ),
  );

describe('a text', () => {
  it.each([
    ['its payee', 'zoe'],
    ['its memo', 'BRULEE'],
    ['its category', 'fun'],
    ['its account', 'checking zoë'],
    ['its amount', '54.10'],
    ['its amount with a comma', '54,1'],
    ['words in different places', 'creme zoe checking'],
    ['the name of its flag', 'spater'],
    ['the name that its import had', 'pastries'],
    ["the bank's own text", 'sq *zoe 0042'],
  ])('a transaction is found by %s', (_, text) => {
    expect(found({ text })).toHaveProperty('plain', -54_100);
  });

  it.each(['zoe butcher', 'zo x', '54.1.0', '54', 'zoe 54.11'])(
    'a transaction is not found if a word occurs nowhere: %s',
    (text) => {
      expect(found({ text })).not.toHaveProperty('plain');
    },
  );

  it('a split that is found by itself counts as a whole', () => {
    expect(found({ text: 'baker weekly' })).toEqual({ split: -100_000 });
    expect(found({ text: '100' })).toEqual({ split: -100_000 });
  });

  it('a split that is found by a leg counts with that leg only, together with words of the split', () => {
    expect(found({ text: 'cake' })).toEqual({ split: -60_000 });
    expect(found({ text: 'weekly butcher' })).toEqual({ split: -30_000 });
    expect(found({ text: 'cake butcher' })).toEqual({});
  });
});

describe('the other conditions', () => {
  it('amounts are compared without their sign, and the range includes its ends', () => {
    expect(found({ min_amount: 54_100, max_amount: 54_100 })).toEqual({ plain: -54_100 });
    expect(found({ min_amount: -54_100, max_amount: -54_100 })).toEqual({ plain: -54_100 });
    expect(found({ min_amount: 54_110, max_amount: 59_000 })).toEqual({});
  });

  it('the amount of a split is compared first, and then those of its legs', () => {
    expect(found({ min_amount: 99_000 })).toEqual({ split: -100_000 });
    expect(found({ min_amount: 55_000, max_amount: 61_000 })).toEqual({ split: -60_000 });
  });

  it('a category or a payee counts the legs that have it, as the lists of the service do', () => {
    expect(found({ category: [category('Fun 1')] })).toEqual({ plain: -54_100, split: -60_000 });
    expect(found({ payee: [payee('Baker')] })).toEqual({ split: -60_000 });
    expect(found({ payee: [payee('Butcher')] })).toEqual({ split: -30_000 });
    expect(found({ payee: [payee('Baker'), payee('Butcher')] })).toEqual({ split: -90_000 });
  });

  it('a group stands for all of its categories', () => {
    expect(found({ category: [group('Bills')] })).toEqual({ split: -30_000 });
  });

  it('the type transfer finds transfers, and of a split the legs that are', () => {
    expect(found({ type: 'transfer', account: [account('Checking')] })).toEqual({ split: -10_000 });
    expect(Object.values(found({ type: 'transfer', account: [account('Savings')] }))).toEqual([10_000]);
  });

  it('a condition on the transaction applies to all of its legs', () => {
    expect(found({ approved: false, text: 'cake' })).toEqual({});
    expect(found({ account: [account('Savings')], text: 'cake' })).toEqual({});
  });
});

it('only a split that counts in part has a matching amount', () => {
  const fields = (query: TransactionQuery) =>
    findTransactions(replica, query).map(({ id, matching_amount }) => [id, matching_amount]);
  expect(fields({ text: 'baker' })).toEqual([['split', undefined]]);
  expect(fields({ text: 'cake' })).toEqual([['split', -60_000]]);
});

it('a split is found as uncategorized by its legs that need a category', async () => {
  const open = smallLedger();
  open.commit((state) => {
    const leg = { amount: -30_000, category_id: category('Fun 1') };
    addTransaction(state, {
      id: 'half open',
      account_id: account('Checking'),
      date: '2026-01-11',
      amount: -40_000,
      legs: [leg, { amount: -10_000 }],
    });
  });
  const loaded = BudgetReplica.load(await directReader(open).export(), open.state.today);
  expect(findTransactions(loaded, { since: '2026-01-02', type: 'uncategorized' })).toMatchObject([
    { id: 'half open', matching_amount: -10_000 },
  ]);
});
