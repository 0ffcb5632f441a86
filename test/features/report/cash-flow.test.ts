import { describe, expect, it } from 'vitest';
import { cashFlow, type FlowQuery } from '../../../src/features/report/cash-flow.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import { updateCategory } from '../../../src/service/ledger/categories.ts';
import {
  addTransaction,
  type LegInput,
  type TransactionInput,
} from '../../../src/service/ledger/transactions.ts';
import { directReader } from '../../model/replica/service-reader.helper.ts';
import { smallLedger } from '../../service/ledger/random-changes.helper.ts';

const range = { since: '2026-01-01', until: '2026-01-31' };

interface Entry extends Partial<Pick<TransactionInput, 'date' | 'flag_color'>> {
  readonly amount: number;
  readonly account?: string;
  readonly payee?: string;
  readonly category?: string;
  readonly legs?: readonly (Omit<LegInput, 'payee_id' | 'category_id'> & {
    payee?: string;
    category?: string;
  })[];
}

/** A small book with the entries, all given by names. `flow` sums January 2026. */
async function bookOf(...entries: readonly Entry[]) {
  const ledger = smallLedger();
  const idOf = (things: ReadonlyMap<string, { readonly id: string; readonly name: string }>, name?: string) =>
    [...things.values()].find((each) => each.name === name)?.id ?? null;
  const { accounts, payees, categories } = ledger.state;
  const references = ({ payee, category }: { payee?: string; category?: string }) => ({
    payee_id: idOf(payees, payee),
    category_id: idOf(categories, category),
  });
  ledger.commit((state) => {
    for (const { amount, account = 'Checking', date = '2026-01-15', flag_color, legs, ...names } of entries)
      addTransaction(state, {
        account_id: idOf(accounts, account) ?? '',
        amount,
        date,
        ...(flag_color && { flag_color }),
        ...references(names),
        ...(legs && { legs: legs.map((leg) => ({ amount: leg.amount, ...references(leg) })) }),
      });
  });
  const load = async () => BudgetReplica.load(await directReader(ledger).export(), ledger.state.today);
  const flow = async (query: Partial<FlowQuery>, periods = [range]) =>
    cashFlow(await load(), periods, { flow: 'spending', by: 'none', ...query });
  const named = async (by: FlowQuery['by'], query: Partial<FlowQuery> = {}) => {
    const { categories, groups, payees, accounts } = await load();
    const things = [categories, groups, payees, accounts].flatMap(
      (table): readonly { id: string; name: string }[] => table.list(),
    );
    const { rows } = await flow({ by, ...query });
    return rows.map(({ id, amount, transactions }) => [
      things.find((each) => each.id === id)?.name ?? null,
      amount,
      transactions,
    ]);
  };
  return { ledger, flow, named, idOf };
}

describe('spending', () => {
  it('a refund reduces the spending of its category', async () => {
    const { named, flow } = await bookOf(
      { amount: -50_000, category: 'Fun 1' },
      { amount: 20_000, category: 'Fun 1' },
    );
    expect(await named('category')).toEqual([['Fun 1', 30_000, 2]]);
    expect((await flow({})).refunds).toEqual({ amount: 20_000, transactions: 1 });
  });

  it('the legs of a split count in their own categories, and the split is one transaction in each row and in all', async () => {
    const legs = [
      { amount: -10_000, category: 'Fun 1' },
      { amount: -5_000, category: 'Fun 1' },
      { amount: -2_000, category: 'Bills 1' },
      { amount: -1_000 },
    ];
    const { named, flow } = await bookOf({ amount: -18_000, legs });
    expect(await named('category')).toEqual([
      ['Fun 1', 15_000, 1],
      ['Bills 1', 2_000, 1],
      [null, 1_000, 1],
    ]);
    expect(await named('group')).toEqual([
      ['Fun', 15_000, 1],
      ['Bills', 2_000, 1],
      [null, 1_000, 1],
    ]);
    expect((await flow({})).periods).toEqual([{ amount: 18_000, transactions: 1 }]);
  });

  it('a leg without a payee has the payee of its transaction', async () => {
    const legs = [
      { amount: -3_000, category: 'Fun 1' },
      { amount: -1_000, category: 'Fun 1', payee: 'Butcher' },
    ];
    const { named, flow, ledger, idOf } = await bookOf({ amount: -4_000, payee: 'Baker', legs });
    expect(await named('payee')).toEqual([
      ['Baker', 3_000, 1],
      ['Butcher', 1_000, 1],
    ]);
    const payee = idOf(ledger.state.payees, 'Baker') ?? '';
    expect((await flow({ payee: [payee] })).periods).toEqual([{ amount: 3_000, transactions: 1 }]);
  });

  it('transfers within the budget and payments to cards do not count, and a transfer to a tracking account counts in its category', async () => {
    const { named, flow } = await bookOf(
      { amount: -100_000, payee: 'Transfer : Savings' },
      { amount: -50_000, payee: 'Transfer : Card' },
      { amount: -30_000, payee: 'Transfer : Car loan', category: 'Bills 2' },
      { amount: -7_000, account: 'Card', category: 'Fun 2' },
    );
    expect(await named('category')).toEqual([
      ['Bills 2', 30_000, 1],
      ['Fun 2', 7_000, 1],
    ]);
    expect(await flow({})).toMatchObject({ tracking: 30_000, periods: [{ amount: 37_000 }] });
    expect(await named('account')).toEqual([
      ['Checking', 30_000, 1],
      ['Card', 7_000, 1],
    ]);
  });

  it('what happens on a tracking account does not count', async () => {
    const { named, flow } = await bookOf({ amount: -4_000, account: 'Car loan', payee: 'Baker' });
    expect(await named('payee')).toEqual([]);
    expect(await flow({})).toMatchObject({ tracking: undefined });
  });

  it('a hidden category counts', async () => {
    const { named, ledger, idOf } = await bookOf({ amount: -4_000, category: 'Fun 2' });
    ledger.commit((state) => updateCategory(state, idOf(state.categories, 'Fun 2') ?? '', { hidden: true }));
    expect(await named('category')).toEqual([['Fun 2', 4_000, 1]]);
    expect(await named('group')).toEqual([['Hidden Categories', 4_000, 1]]);
  });

  it('by flag, legs count in the row of their transaction, and a report of one flag has the amounts of its row', async () => {
    const { flow } = await bookOf(
      { amount: -1_000, flag_color: 'red' },
      {
        amount: -6_000,
        flag_color: 'red',
        legs: [{ amount: -4_000, category: 'Fun 1' }, { amount: -2_000 }],
      },
      { amount: -2_000 },
    );
    const { rows } = await flow({ by: 'flag_color' });
    expect(rows.map(({ id, amount, transactions }) => [id, amount, transactions])).toEqual([
      ['red', 7_000, 2],
      [null, 2_000, 1],
    ]);
    const { periods } = await flow({ flag_color: 'red' });
    expect(periods).toEqual([{ amount: 7_000, transactions: 2 }]);
  });

  it('by weekday there are seven rows from Monday, each with what was spent on these days', async () => {
    const { flow } = await bookOf(
      // A Thursday, a Sunday, and the Thursday after.
      { amount: -1_000, date: '2026-01-01' },
      { amount: -2_000, date: '2026-01-04' },
      { amount: -4_000, date: '2026-01-08' },
    );
    const { rows } = await flow({ by: 'weekday' });
    expect(rows.map(({ id, amount, transactions }) => [id, amount, transactions])).toEqual([
      ['1', 0, 0],
      ['2', 0, 0],
      ['3', 0, 0],
      ['4', 5_000, 2],
      ['5', 0, 0],
      ['6', 0, 0],
      ['7', 2_000, 1],
    ]);
  });

  it('several payees count together, and words limit the lines to those in which all of them occur', async () => {
    const { flow, ledger } = await bookOf(
      { amount: -1_000, payee: 'Baker' },
      { amount: -2_000, payee: 'Butcher', category: 'Fun 1' },
      { amount: -4_000 },
    );
    const payee = [...ledger.state.payees.values()]
      .filter(({ name }) => name === 'Baker' || name === 'Butcher')
      .map(({ id }) => id);
    expect((await flow({ payee })).periods).toEqual([{ amount: 3_000, transactions: 2 }]);
    expect((await flow({ text: 'bak' })).periods).toEqual([{ amount: 1_000, transactions: 1 }]);
    expect((await flow({ text: 'fun butcher' })).periods).toEqual([{ amount: 2_000, transactions: 1 }]);
    expect((await flow({ text: 'fun baker' })).periods).toEqual([{ amount: 0, transactions: 0 }]);
  });

  it('a limit to the category Uncategorized finds what has no category', async () => {
    const { flow, ledger } = await bookOf({ amount: -4_000 }, { amount: -1_000, category: 'Fun 1' });
    const category = ledger.state.uncategorized_id;
    expect((await flow({ category: [category] })).periods).toEqual([{ amount: 4_000, transactions: 1 }]);
  });
});

describe('income', () => {
  it('starting balances of budget accounts are income, and those of tracking accounts and of debts are not', async () => {
    const { named } = await bookOf();
    expect(await named('account', { flow: 'income' })).toEqual([['Checking', 500_000, 1]]);
  });

  it('income and its correction count, and an inflow to another category does not', async () => {
    const ready = 'Inflow: Ready to Assign';
    const { named } = await bookOf(
      { amount: 90_000, category: ready, payee: 'Baker' },
      { amount: -10_000, category: ready, payee: 'Baker' },
      { amount: 5_000, category: 'Fun 1', payee: 'Butcher' },
    );
    expect(await named('payee', { flow: 'income' })).toEqual([
      ['Starting Balance', 500_000, 1],
      ['Baker', 80_000, 2],
    ]);
  });
});

it('sums that could be larger than an exact integer are marked', async () => {
  const amount = 1 - Number.MAX_SAFE_INTEGER;
  const one = await bookOf({ amount, category: 'Fun 1' });
  expect((await one.flow({})).isExact).toBe(true);
  const both = await bookOf({ amount, category: 'Fun 1' }, { amount: 2_000, category: 'Fun 1' });
  expect((await both.flow({})).isExact).toBe(false);
});
