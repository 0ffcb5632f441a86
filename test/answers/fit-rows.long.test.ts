/** Every page of an answer fits, and the pages of an answer together have every row once. */
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Row } from '../../src/answers/fit-rows.ts';
import { selectRows } from '../../src/answers/selection.ts';
import { Room } from '../../src/answers/text.ts';
import { formatToolResult } from '../../src/answers/tool-result.ts';
import { fromOperation } from '../../src/features/mirror/from-operation.ts';
import { listBudgets } from '../../src/operations/budgets.ts';
import { listCategories } from '../../src/operations/categories.ts';
import { getMonth } from '../../src/operations/months.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { listScheduledTransactions } from '../../src/operations/scheduled-transactions.ts';
import { listPayeeTransactions, listTransactions } from '../../src/operations/transactions.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import * as a from './samples.helper.ts';

const [DEFAULT_TOKENS, MAX_TOKENS] = [2_000, 10_000];

const pageSchema = z.object({
  total: z.number(),
  returned: z.number(),
  next_cursor: z.string().nullable(),
});
const wholePage = { total: 1, returned: 1, next_cursor: null };

/** Reads all pages as a tool does, and checks the size of each. */
function readPages(operation: Operation, data: Row, args: Row, structured: boolean) {
  const pages = [];
  for (let cursor: string | undefined; ; ) {
    const { budget, freshness } = a.resultOf(data);
    const room = Room.forAnswer({ structured });
    const { output } = fromOperation(operation);
    let content: Row = {};
    const answer = formatToolResult(output, { budget, freshness, room }, (context) => {
      const selected = selectRows(operation, { data, budgetId: budget.id }, { ...args, cursor }, context);
      content = selected.data;
      return selected;
    });
    // A row that has no page with others is as long as any answer may be. If it is longer, the answer says so.
    const isAlone = rowsOf(operation.rows ? content[operation.rows.key] : []).length === 1;
    const bound = isAlone || Number(args['limit'] ?? 0) > 50 ? MAX_TOKENS : DEFAULT_TOKENS;
    expect(countTokens(answer.text)).toBeLessThanOrEqual(bound);
    if (!isAlone) expect(answer.text).not.toContain('left out');
    if (structured) expect(countTokens(JSON.stringify(answer.data()))).toBeLessThanOrEqual(MAX_TOKENS);
    if (structured && !isAlone) expect(answer.data()).not.toHaveProperty('cut');
    const page = pageSchema.parse(content['page'] ?? wholePage);
    pages.push({ content, page, text: answer.text });
    if (page.next_cursor === null) return pages;
    expect(page.next_cursor).not.toBe(cursor);
    cursor = page.next_cursor;
  }
}

const id = fc.uuid();
const text = fc
  .array(
    fc.constantFrom('coffee', 'and', 'cake', 'for the', 'birthday party', 'on', 'Zoë’s', 'café', '2026', '"'),
    {
      maxLength: 25,
    },
  )
  .map((words) => words.join(' '));
const date = fc.constantFrom('2026-09-30', '2026-11-01', '2026-11-02');
const amount = fc.integer({ min: -99_999, max: 0 });

/** Mostly few, and sometimes more than a page has room for. */
const manyOf = <Value>(each: fc.Arbitrary<Value>, max = 300) =>
  fc
    .oneof({ weight: 3, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.integer({ min: max / 3, max }) })
    .chain((length) => fc.array(each, { minLength: length, maxLength: length }));
const few = <Value>(each: fc.Arbitrary<Value>) => fc.array(each, { maxLength: 8 });

/** Each row names them with their full ids, because no budget is cached. */
const named = { account_id: id, payee_id: id, category_id: id };

const legs = manyOf(fc.record({ id, memo: text, amount, category_id: id, category_name: text }));
const splitOf = fc
  .record({ id, date, memo: text, ...named, subtransactions: legs })
  .map(({ subtransactions, ...row }) =>
    a.transaction({ ...row, subtransactions: subtransactions.map((leg) => a.leg(leg)) }),
  );
const scheduledSplit = fc
  .record({ id, memo: text, ...named, subtransactions: legs })
  .map(({ subtransactions, ...row }) =>
    a.scheduled({ ...row, subtransactions: subtransactions.map((leg) => a.scheduledLeg(leg)) }),
  );
const categories = manyOf(fc.record({ id, name: text }).map((changed) => a.category(changed)));
const accounts = manyOf(fc.record({ id, name: text }).map((changed) => a.account(changed)));
const month = categories.map((each) => a.month({ categories: each }));
const group = fc
  .record({ id, name: text, categories })
  .map((changed) => ({ ...changed, hidden: false, deleted: false }));
const budget = fc.record({ id, accounts }).map((changed) => ({ ...a.budget, ...changed }));
const hybrid = fc
  .record({
    id,
    date,
    amount,
    ...named,
    parent_transaction_id: fc.constantFrom(null, 'trx-1', 'trx-2', 'trx-3'),
  })
  .map(({ parent_transaction_id: parent, ...changed }) => {
    const { subtransactions: _, ...row } = a.transaction(changed);
    // All legs of a split have its date.
    return {
      ...row,
      ...(parent && { date: '2026-11-01' }),
      type: 'transaction',
      parent_transaction_id: parent,
    };
  });

/** An operation, responses of it, and the paged rows in a response or in a page of it. */
interface Case {
  readonly operation: Operation;
  readonly calls: fc.Arbitrary<{ readonly data: Row; readonly args?: Row }>;
  rowsIn(content: Row): unknown;
}

const list = (operation: Operation, rows: fc.Arbitrary<readonly Row[]>): Case => {
  const key = operation.rows?.key ?? '';
  const hasLimit = operation.rows?.order === 'newest first';
  return {
    operation,
    calls: fc.record({ rows, limit: fc.constantFrom(3, 50, 500) }).map(({ rows, limit }) => {
      const data = { [key]: rows, server_knowledge: 7 };
      return { data: operation.arrange?.(data, {}) ?? data, ...(hasLimit && { args: { limit } }) };
    }),
    rowsIn: (content) => content[key],
  };
};

const cases: readonly (readonly [string, Case])[] = [
  ['transactions with legs', list(listTransactions, few(splitOf))],
  ['transactions and legs side by side', list(listPayeeTransactions, manyOf(hybrid))],
  ['scheduled transactions with legs', list(listScheduledTransactions, few(scheduledSplit))],
  ['categories in groups', list(listCategories, few(group))],
  ['budgets with accounts', list(listBudgets, few(budget))],
  [
    'the categories of one month',
    {
      operation: getMonth,
      calls: month.map((each) => ({ data: { month: each } })),
      rowsIn: ({ month }) => monthSchema.parse(month).categories,
    },
  ],
];

const monthSchema = z.object({ categories: z.unknown() });
const rowsOf = (value: unknown) => z.array(z.looseObject({})).parse(value);
const byId = (rows: readonly Row[]) =>
  rows.toSorted((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1));

it.each(cases)('%s fit on each page, and all pages together have each of them once', (_, tested) => {
  const { operation, calls, rowsIn } = tested;
  fc.assert(
    fc.property(calls, fc.boolean(), ({ data, args = {} }, structured) => {
      const pages = readPages(operation, data, args, structured);
      const shown = pages.flatMap(({ content }) => rowsOf(rowsIn(content)));
      expect(byId(shown)).toEqual(byId(rowsOf(rowsIn(data))));
      const returned = pages.reduce((sum, { page }) => sum + page.returned, 0);
      expect(returned).toBe(pages[0]?.page.total);
    }),
    // To make such a large example smaller would take minutes.
    { numRuns: fuzzRuns(12), endOnFailure: true },
  );
});
