import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Row } from '../../src/answers/fit-rows.ts';
import { selectRows } from '../../src/answers/selection.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { getBudget } from '../../src/operations/budgets.ts';
import type { Operation } from '../../src/operations/operation.ts';
import {
  getTransaction,
  listCategoryTransactions,
  listMonthTransactions,
  listPayeeTransactions,
  listTransactions,
} from '../../src/operations/transactions.ts';
import { dollarContext, lineOf } from './format-row.helper.ts';
import * as a from './samples.helper.ts';

const page = z.object({ total: z.number(), returned: z.number(), next_cursor: z.string().nullable() });

function select(operation: Operation, data: Row, display: Row = {}, input: Row = {}, budgetId = a.budget.id) {
  const selected = selectRows(operation, { data, budgetId }, { ...input, ...display }, dollarContext());
  const { page: shown, ...rest } = selected.data;
  return {
    data: rest,
    ...(shown !== undefined && { page: page.parse(shown) }),
    summary: selected.heading?.[1],
    sum: selected.heading?.[2],
    lines: selected.lines,
  };
}

/** `count` transactions, one a day, newest first. */
const days = (count: number): Row[] =>
  Array.from({ length: count }, (_, day) =>
    a.transaction({
      id: `trx-${day}`,
      date: new Date(Date.UTC(2025, 0, count - day)).toISOString().slice(0, 10),
    }),
  );

/** A row of a list that holds transactions and legs side by side. */
const hybrid = (changed: Row): Row => {
  const { subtransactions: _, ...row } = a.transaction();
  return { ...row, type: 'transaction', parent_transaction_id: null, ...changed };
};

const listOf = (count: number) => ({ transactions: days(count), server_knowledge: 7 });

describe('single entities', () => {
  it('a single entity is returned completely, without a summary', () => {
    const data = { transaction: a.transaction(), server_knowledge: 7 };
    const { lines, ...selected } = select(getTransaction, data);
    expect(selected).toEqual({ data });
    expect(lines).toEqual([lineOf('transaction', data.transaction)]);
  });
});

describe('lists of transactions', () => {
  it('a list of transactions returns the newest fifty, the total and a cursor', () => {
    const { data, page, summary, lines } = select(listTransactions, listOf(120));
    expect(page).toEqual({ total: 120, returned: 50, next_cursor: expect.any(String) });
    expect(summary).toBe(`50 of 120 transactions, newest first; more with cursor ${page?.next_cursor}`);
    const shown = days(120).slice(0, 50);
    expect(data).toEqual({ transactions: shown, server_knowledge: 7 });
    expect(lines).toEqual(shown.map((row) => lineOf('transaction', row)));
  });

  it('the next page starts at the cursor, and the summary names the last page', () => {
    const first = select(listTransactions, listOf(5), { limit: 3 });
    const second = select(listTransactions, listOf(5), { limit: 3, cursor: first.page?.next_cursor ?? '' });
    expect(second.page).toEqual({ total: 5, returned: 2, next_cursor: null });
    expect(second.summary).toBe('2 of 5 transactions, newest first; the last of them');
    expect(second.data['transactions']).toEqual(days(5).slice(3));
  });

  describe('with legs', () => {
    /** Two legs of each of two splits, and two whole transactions, newest first. */
    const rows: Row[] = [
      hybrid({ id: 'a', date: '2026-11-04', amount: -1 }),
      hybrid({ id: 'b-1', date: '2026-11-03', parent_transaction_id: 'b', amount: -2 }),
      hybrid({ id: 'b-2', date: '2026-11-03', parent_transaction_id: 'b', amount: -3 }),
      hybrid({ id: 'c-1', date: '2026-11-02', parent_transaction_id: 'c', amount: -4 }),
      hybrid({ id: 'c-2', date: '2026-11-02', parent_transaction_id: 'c', amount: -5 }),
      hybrid({ id: 'd', date: '2026-11-01', amount: -6 }),
    ];

    it.each([listPayeeTransactions, listCategoryTransactions])(
      'the total and the summary of $name count transactions, and not the legs of splits',
      (operation) => {
        const whole = select(operation, { transactions: rows });
        expect(whole.data).toEqual({ transactions: rows });
        expect(whole).toMatchObject({
          page: { total: 4, returned: 4, next_cursor: null },
          summary: '4 transactions, newest first',
          sum: 'sum -$0.021',
        });
      },
    );

    it('a page that ends within a split names the cursor, and the next page has the rest of the split', () => {
      const first = select(listPayeeTransactions, { transactions: rows }, { limit: 2 });
      expect(first.page).toMatchObject({ total: 4, returned: 2 });
      const cursor = first.page?.next_cursor ?? '';
      expect(first.summary).toBe(`2 of 4 transactions, newest first; more with cursor ${cursor}`);
      const second = select(listPayeeTransactions, { transactions: rows }, { limit: 10, cursor });
      expect(second.data).toEqual({ transactions: rows.slice(2) });
      expect(second.summary).toBe('2 of 4 transactions, newest first; the last of them');
      expect(second.page).toMatchObject({ total: 4, returned: 2 });
    });

    it('a page with one of two legs of the only transaction is not the whole list', () => {
      const { summary, page } = select(
        listPayeeTransactions,
        { transactions: rows.slice(1, 3) },
        { limit: 1 },
      );
      expect(summary).toBe(`1 of 1 transactions; more with cursor ${page?.next_cursor}`);
    });
  });

  it('the summary of a list that fits one page is its count', () => {
    expect(select(listTransactions, listOf(3)).summary).toBe('3 transactions, newest first');
    expect(select(listTransactions, listOf(0))).toMatchObject({
      summary: '0 transactions',
      page: { total: 0, returned: 0, next_cursor: null },
    });
  });

  it('a cursor is valid only for its operation, budget, arguments and until_date', () => {
    const input = { since_date: '2024-01-01', until_date: '2025-12-31' };
    const cursor = select(listTransactions, listOf(9), { limit: 3 }, input).page?.next_cursor ?? '';
    const goOn =
      (operation: Operation, changed: Row, display: Row = {}, budget = a.budget) =>
      () =>
        select(operation, listOf(9), { limit: 3, cursor, ...display }, changed, budget.id);
    const refused = expect.objectContaining({ code: 'invalid_cursor' });
    expect(goOn(listTransactions, input)).not.toThrow();
    expect(goOn(listTransactions, input, { limit: 500 })).not.toThrow();
    expect(goOn(listMonthTransactions, input)).toThrow(refused);
    expect(goOn(listTransactions, { ...input, since_date: '2024-01-02' })).toThrow(refused);
    expect(goOn(listTransactions, { ...input, until_date: '2025-01-09' })).toThrow(refused);
    expect(goOn(listTransactions, input, {}, { ...a.budget, id: 'bud-2' })).toThrow(refused);
  });

  it('a cursor is valid however the budget was named', () => {
    const cursor =
      select(listTransactions, listOf(9), { limit: 3 }, { budget_id: 'Home' }).page?.next_cursor ?? '';
    expect(select(listTransactions, listOf(9), { limit: 3, cursor }, {}).page?.returned).toBe(3);
  });
});

describe('other lists', () => {
  const accounts = (count: number) => ({
    accounts: Array.from({ length: count }, (_, index) => a.account({ id: `acc-${count - index}` })),
    server_knowledge: 7,
  });

  it('a list of other entities is returned completely, in the order of the service', () => {
    const { data, page, summary } = select(listAccounts, accounts(500));
    expect(page).toEqual({ total: 500, returned: 500, next_cursor: null });
    expect(summary).toBe('500 accounts');
    expect(data).toEqual(accounts(500));
  });

  it('a list of other entities is limited to 500 rows, with the total and a cursor', () => {
    const first = select(listAccounts, accounts(501));
    expect(first.page).toMatchObject({ total: 501, returned: 500 });
    expect(first.summary).toBe(`500 of 501 accounts; more with cursor ${first.page?.next_cursor}`);
    const lastPage = select(listAccounts, accounts(501), { cursor: first.page?.next_cursor ?? '' });
    expect(lastPage.data['accounts']).toEqual([a.account({ id: 'acc-1' })]);
    expect(lastPage.summary).toBe('1 of 501 accounts; the last of them');
  });
});

describe('exports', () => {
  const exportOf = (transactions: readonly Row[]) => ({
    budget: {
      ...a.exported({ accounts: [a.account(), a.account({ id: 'acc-2' })], months: [a.month()] }),
      transactions,
    },
    server_knowledge: 7,
  });
  const head = {
    id: 'bud-1',
    name: 'Home',
    last_modified_on: '2026-11-20T08:00:00Z',
    first_month: '2024-12-01',
    last_month: '2026-12-01',
    date_format: { format: 'YYYY-MM-DD' },
    currency_format: a.dollars,
  };
  const counts = {
    accounts: 2,
    payees: 0,
    payee_locations: 0,
    category_groups: 0,
    categories: 0,
    months: 1,
    transactions: 3,
    subtransactions: 0,
    scheduled_transactions: 0,
    scheduled_subtransactions: 0,
  };
  const countSummary =
    '2 accounts, 0 payees, 0 payee locations, 0 category groups, 0 categories, 1 months, 3 transactions, 0 subtransactions, 0 scheduled transactions, 0 scheduled subtransactions';

  it('an export returns the budget and the number of rows of each kind', () => {
    expect(select(getBudget, exportOf(days(3)))).toEqual({
      data: { budget: { ...head, counts }, server_knowledge: 7 },
      lines: [],
    });
    const { heading } = selectRows(
      getBudget,
      { data: exportOf(days(3)), budgetId: a.budget.id },
      {},
      dollarContext(),
    );
    expect(heading).toEqual([countSummary]);
  });
});
