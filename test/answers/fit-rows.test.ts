import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { selectRows } from '../../src/answers/selection.ts';
import { joinParts, Room, TextContext } from '../../src/answers/text.ts';
import { formatToolResult } from '../../src/answers/tool-result.ts';
import { plainAmounts } from '../../src/answers/units.ts';
import { formatData } from '../../src/answers/write-result.ts';
import { fromOperation } from '../../src/features/mirror/from-operation.ts';
import { listCategories } from '../../src/operations/categories.ts';
import { getMonth } from '../../src/operations/months.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { updateTransaction } from '../../src/operations/transaction-writes.ts';
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

const legsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => a.leg({ id: `leg-${at}`, amount: -1_000 - at }));
const categoriesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => a.category({ id: `cat-${at}`, name: `No ${at}` }));

describe('a row with many rows in it', () => {
  const split = a.transaction({ subtransactions: legsOf(200) });

  it.each([
    ['get_transaction', getTransaction, { transaction: split }, ''],
    ['list_transactions', listTransactions, { transactions: [split] }, '1 transactions · sum -42.10'],
  ] as const)('has all of them, longer than a page (%s)', (_, operation, data, heading) => {
    const shown = select(operation, data);
    expect(shown.heading).toBe(heading);
    expect(shown.data).toMatchObject(data);
    expect(shown.lines.join('\n').split('\n')).toHaveLength(201);
  });

  it('has a page of its own, and the next row starts the next page', () => {
    const rows = ['2026-11-02', '2026-11-01'].map((date, at) =>
      a.transaction({ id: `trx-${at}`, date, subtransactions: legsOf(120) }),
    );
    const first = select(listTransactions, { transactions: rows });
    expect(first.data).toMatchObject({ transactions: [rows[0]], page: { total: 2, returned: 1 } });
    const { page } = cursorIn.parse(first.data);
    const second = select(listTransactions, { transactions: rows }, { cursor: page.next_cursor });
    expect(second.data).toMatchObject({ transactions: [rows[1]], page: { returned: 1, next_cursor: null } });
  });

  const group = {
    id: 'grp-1',
    name: 'Everyday',
    hidden: false,
    deleted: false,
    categories: categoriesOf(500),
  };
  const longSplit = a.transaction({ subtransactions: legsOf(1_500) });

  it.each([
    ['list_categories', listCategories, { category_groups: [group] }, 'category_groups.0.categories', 500],
    [
      'list_transactions',
      listTransactions,
      { transactions: [longSplit] },
      'transactions.0.subtransactions',
      1_500,
    ],
    ['get_transaction', getTransaction, { transaction: longSplit }, 'transaction.subtransactions', 1_500],
  ] as const)(
    'is cut where it is longer than any answer, and the answer says so (%s)',
    (_, operation, rows, list, count) => {
      const data = { ...rows, server_knowledge: 7 };
      const { budget, freshness } = a.resultOf(data);
      const answer = formatToolResult(
        fromOperation(operation).output,
        { budget, freshness, notes: ['A note.'], room: Room.forAnswer({ structured: true }) },
        (context) => selectRows(operation, { data, budgetId: budget.id }, {}, context),
      );
      const lines = answer.text.split('\n').slice(1);
      const shown = lines.filter((line) => line.startsWith('  ')).length;
      expect(shown).toBeGreaterThan(150);
      expect(lines.slice(shown + 1, -1)).toEqual([
        `Too long: ${count - shown} lines were left out here.`,
        'A note.',
      ]);
      expect(answer.data()).toMatchObject({ cut: { [list]: count } });
    },
  );
});

describe('a long split that is written', () => {
  const data = { transaction: a.transaction({ subtransactions: legsOf(400) }) };

  it('leaves room for the lines after it, and the number of the others is told', () => {
    const lines = formatData(updateTransaction, data, contextOfAnswer()).join('\n').split('\n');
    expect(lines.length).toBeGreaterThan(50);
    expect(lines.at(-1)).toBe(`Too long: ${402 - lines.length} lines were left out here.`);
    expect(lines.join('\n').length).toBeLessThan(5_000);
  });
});

it('a month with 300 categories is paged, and each page begins with the totals of the month', () => {
  const categories = categoriesOf(300);
  const data = { month: a.month({ categories }) };
  const shown: unknown[] = [];
  let cursor: string | undefined;
  do {
    const { heading, lines, data: selected } = select(getMonth, data, { cursor });
    const page = monthPage.parse(selected);
    const { next_cursor } = page.page;
    expect(heading).toBe(
      `${page.month.categories.length} of 300 categories; ${next_cursor ? `cut for length, more with cursor ${next_cursor}` : 'the last of them'}`,
    );
    expect(lines[0]).toMatch(/^2026-11 · income 4000.00 · /);
    expect(lines.slice(1)).toHaveLength(page.month.categories.length);
    expect(selected).toMatchObject({ page: { total: 300, returned: page.month.categories.length } });
    shown.push(...page.month.categories);
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(shown).toEqual(categories);
});

it('a month whose categories fit has no page, and one line for each category', () => {
  const month = a.month({ categories: categoriesOf(3) });
  const { heading, data, lines } = select(getMonth, { month });
  expect([heading, data]).toEqual(['', { month }]);
  expect(lines.join('\n').split('\n')).toEqual([
    expect.stringMatching(/^2026-11 · income /),
    ...[0, 1, 2].map((at) => expect.stringMatching(new RegExp(`^  "No ${at}" · `))),
  ]);
});

const monthPage = z.object({
  month: z.object({ categories: z.array(z.unknown()) }),
  page: z.object({ next_cursor: z.string().nullable() }),
});
