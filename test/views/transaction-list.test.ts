import { describe, expect, it } from 'vitest';
import type { TransactionsContent } from '../../src/answers/view-data/transactions-content.ts';
import { moneyFormatter } from '../../src/views/money.ts';
import { TransactionList } from '../../src/views/transaction-list.ts';

const TOTAL = 25;
const PAGE = 10;

/** A page of a list that has amounts from 0 to 24 units, newest first, and two payees in turns. */
function pageFrom(start: number, total = TOTAL): TransactionsContent {
  const end = Math.min(start + PAGE, total);
  return {
    kind: 'transactions',
    conditions: [],
    total,
    sum: 0,
    isContinued: start > 0,
    next_cursor: end < total ? String(end) : null,
    accounts: [{ id: 'a', name: 'Checking' }],
    payees: [
      { id: 'p1', name: 'Café Ärmel' },
      { id: 'p2', name: 'Bakery' },
    ],
    categories: [],
    rows: Array.from({ length: end - start }, (_, index) => {
      const at = start + index;
      return {
        date: `2026-11-${String(28 - at).padStart(2, '0')}`,
        amount: ((at * 7) % total) * 1_000,
        account: 0,
        payee: at % 2,
      };
    }),
  };
}

const money = moneyFormatter({
  decimal_digits: 2,
  decimal_separator: ',',
  group_separator: '.',
  symbol_first: false,
  currency_symbol: '€',
  display_symbol: true,
});

function listed(total = TOTAL) {
  const cursors: string[] = [];
  const list = new TransactionList(pageFrom(0, total), money, async (cursor) => {
    cursors.push(cursor);
    return pageFrom(Number(cursor), total);
  });
  return { list, cursors };
}

describe('the transactions of a view', () => {
  it('pages are loaded one after another, as far as rows are needed', async () => {
    const { list, cursors } = listed();
    await list.load(5);
    expect(cursors).toEqual([]);
    await list.load(15);
    expect([cursors, list.rows.length, list.isComplete]).toEqual([['10'], 20, false]);
    await list.load(100);
    expect([cursors, list.rows.length, list.isComplete]).toEqual([['10', '20'], 25, true]);
  });

  it('a column sorts all rows in its own first direction, and a second press turns it around', async () => {
    const { list } = listed();
    await list.loadAll(() => {});
    const amounts = () => list.rows.map(({ row }) => row.amount / 1_000);
    const ascending = Array.from({ length: TOTAL }, (_, index) => index);
    expect(list.sortBy('amount')).toBe('descending');
    expect(amounts()).toEqual(ascending.toReversed());
    expect(list.sortBy('amount')).toBe('ascending');
    expect(amounts()).toEqual(ascending);
    expect(list.sortBy('payee')).toBe('ascending');
    expect(list.rows[0]?.payee?.name).toBe('Bakery');
    expect(list.sortBy('date')).toBe('descending');
    expect(list.sortBy('date')).toBe('ascending');
    expect(list.rows.map(({ row }) => row.date)).toEqual(list.rows.map(({ row }) => row.date).toSorted());
  });

  it('a filter finds words in any column, without case and accents', async () => {
    const { list } = listed();
    await list.loadAll(() => {});
    list.filterBy('armel CHECK');
    expect([list.isFiltered, list.rows.length]).toEqual([true, 13]);
    list.filterBy('bakery 2026-11-27');
    expect(list.rows).toHaveLength(1);
    list.filterBy(' ');
    expect([list.isFiltered, list.rows.length]).toEqual([false, TOTAL]);
  });

  it('a filter finds amounts as they are shown, and without the format', async () => {
    const { list } = listed();
    await list.loadAll(() => {});
    for (const text of ['14,00 €', '14,00', 'bakery 7,00']) {
      list.filterBy(text);
      expect(list.rows.length, text).toBeGreaterThan(0);
    }
    list.filterBy('24');
    expect(list.rows.some(({ row }) => row.amount === 24_000)).toBe(true);
  });

  it('more than 20,000 rows are not loaded to be sorted', async () => {
    const { list, cursors } = listed(20_001);
    await expect(list.loadAll(() => {})).rejects.toThrow('too many rows');
    expect(cursors).toEqual([]);
  });
});
