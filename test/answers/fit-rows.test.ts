import { expect, it } from 'vitest';
import { z } from 'zod';
import { selectRows } from '../../src/answers/selection.ts';
import { joinParts, Room, TextContext } from '../../src/answers/text.ts';
import { plainAmounts } from '../../src/answers/units.ts';
import { getMonth } from '../../src/operations/months.ts';
import type { Operation } from '../../src/operations/operation.ts';
import {
  getScheduledTransaction,
  listScheduledTransactions,
} from '../../src/operations/scheduled-transactions.ts';
import { getTransaction, listTransactions } from '../../src/operations/transactions.ts';
import * as a from './samples.helper.ts';

const contextOfAnswer = () => new TextContext(plainAmounts(a.dollars), { room: Room.forAnswer() });
const cursorIn = z.object({ page: z.object({ next_cursor: z.string() }).loose() }).loose();

function select(operation: Operation, data: object, args: object = {}) {
  const selected = selectRows(
    operation,
    { data: { ...data }, budgetId: 'bud-1' },
    { ...args },
    contextOfAnswer(),
  );
  return { ...selected, heading: joinParts(...(selected.heading ?? [])) };
}

const legs = Array.from({ length: 200 }, (_, at) => a.leg({ id: `leg-${at}`, amount: -1_000 - at }));
const split = a.transaction({ amount: -219_900, subtransactions: legs });
const scheduledSplit = a.scheduled({
  subtransactions: Array.from({ length: 200 }, (_, at) =>
    a.scheduledLeg({ id: `leg-${at}`, amount: -1_000 - at }),
  ),
});

it.each([
  ['get_transaction', getTransaction, { transaction: split }, ''],
  ['get_scheduled_transaction', getScheduledTransaction, { scheduled_transaction: scheduledSplit }, ''],
  [
    'list_transactions',
    listTransactions,
    { transactions: [split] },
    '1 of 1 transactions; the first row has ',
  ],
  [
    'list_scheduled_transactions',
    listScheduledTransactions,
    { scheduled_transactions: [scheduledSplit] },
    '1 of 1 scheduled transactions; the first row has ',
  ],
] as const)(
  '%s cuts a split with 200 legs, names the number and the sum of all, and goes on after the last leg',
  (_, operation, data, start) => {
    const first = select(operation, data);
    const { page } = cursorIn.parse(first.data);
    const [, to = ''] =
      /legs 1 to (\d+) of 200, sum of all -219.90; more with cursor \S+/.exec(first.heading) ?? [];
    expect(first.heading.startsWith(`${start}legs 1 to ${to} of 200`)).toBe(true);
    expect(page).toMatchObject({
      total: 1,
      returned: 1,
      part: { list: 'subtransactions', from: 1, to: Number(to), total: 200, sum: -219_900 },
    });
    expect(first.lines.join('\n').split('\n')).toHaveLength(Number(to) + 1);
    const second = select(operation, data, { cursor: page.next_cursor });
    expect(second.heading).toContain(`legs ${Number(to) + 1} to `);
    expect(second.data['page']).toMatchObject({ total: 1, returned: 0 });
  },
);

it('a row that fits on a page of its own is not cut, but starts the next page', () => {
  const rows = ['2026-11-02', '2026-11-01'].map((date, at) =>
    a.transaction({ id: `trx-${at}`, date, subtransactions: legs.slice(0, 120) }),
  );
  const first = select(listTransactions, { transactions: rows });
  expect(first.data).toMatchObject({ transactions: [rows[0]], page: { total: 2, returned: 1 } });
  const { page } = cursorIn.parse(first.data);
  const second = select(listTransactions, { transactions: rows }, { cursor: page.next_cursor });
  expect(second.data).toMatchObject({ transactions: [rows[1]], page: { returned: 1, next_cursor: null } });
});

it('a cursor within a split is refused when its leg is no longer there', () => {
  const { page } = cursorIn.parse(select(getTransaction, { transaction: split }).data);
  const changed = { transaction: { ...split, subtransactions: legs.slice(0, 2) } };
  const next = () => select(getTransaction, changed, { cursor: page.next_cursor });
  expect(next).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
});

it('a month with 300 categories is paged, and each page begins with the totals of the month', () => {
  const categories = Array.from({ length: 300 }, (_, at) =>
    a.category({ id: `cat-${at}`, name: `No ${at}` }),
  );
  const data = { month: a.month({ categories }) };
  const first = select(getMonth, data);
  expect(first.heading).toMatch(/^categories 1 to \d+ of 300; more with cursor /);
  const { page } = cursorIn.parse(first.data);
  const second = select(getMonth, data, { cursor: page.next_cursor });
  for (const { lines } of [first, second]) expect(lines[0]).toMatch(/^2026-11 · income 4000.00 · /);
  expect(select(getMonth, { month: a.month({ categories: categories.slice(0, 3) }) })).toMatchObject({
    heading: '',
  });
});
