/** Every page of an answer fits, and the pages of an answer together have every row, and every row in a row, once. */
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Row } from '../../src/answers/fit-rows.ts';
import { selectRows } from '../../src/answers/selection.ts';
import { Room } from '../../src/answers/text.ts';
import { formatToolResult } from '../../src/answers/tool-result.ts';
import { fromOperation } from '../../src/features/mirror/from-operation.ts';
import { getBudget, listBudgets } from '../../src/operations/budgets.ts';
import { listCategories } from '../../src/operations/categories.ts';
import { getMonth } from '../../src/operations/months.ts';
import type { Operation } from '../../src/operations/operation.ts';
import {
  getScheduledTransaction,
  listScheduledTransactions,
} from '../../src/operations/scheduled-transactions.ts';
import {
  getTransaction,
  listPayeeTransactions,
  listTransactions,
} from '../../src/operations/transactions.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import * as a from './samples.helper.ts';

const [DEFAULT_TOKENS, MAX_TOKENS] = [2_000, 10_000];

const pageSchema = z.object({
  total: z.number(),
  returned: z.number(),
  next_cursor: z.string().nullable(),
  part: z
    .object({
      list: z.string(),
      from: z.number(),
      to: z.number(),
      total: z.number(),
      sum: z.number().optional(),
    })
    .optional(),
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
    const bound = Number(args['limit'] ?? 0) > 50 ? MAX_TOKENS : DEFAULT_TOKENS;
    expect(countTokens(answer.text)).toBeLessThanOrEqual(bound);
    if (structured) expect(countTokens(JSON.stringify(answer.data()))).toBeLessThanOrEqual(MAX_TOKENS);
    if (structured) expect(answer.data()).not.toHaveProperty('cut');
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

const legs = manyOf(fc.record({ id, memo: text, amount, category_id: id, category_name: text }));
const splitOf = fc
  .record({ id, date, memo: text, subtransactions: legs })
  .map(({ subtransactions, ...row }) =>
    a.transaction({ ...row, subtransactions: subtransactions.map((leg) => a.leg(leg)) }),
  );
const scheduledSplit = fc
  .record({ id, memo: text, subtransactions: legs })
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
  .record({ id, date, amount, parent_transaction_id: fc.constantFrom(null, 'trx-1', 'trx-2', 'trx-3') })
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

/** An operation, responses of it, and where the rows are. */
interface Case {
  readonly operation: Operation;
  readonly calls: fc.Arbitrary<{ readonly data: Row; readonly args?: Row }>;
  /** The property of the rows in a row. */
  readonly inner?: string;
  rowsIn(content: Row): unknown;
}

const list = (operation: Operation, rows: fc.Arbitrary<readonly Row[]>, inner?: string): Case => {
  const key = operation.rows?.key ?? '';
  const hasLimit = operation.rows?.order === 'newest first';
  return {
    operation,
    calls: fc.record({ rows, limit: fc.constantFrom(3, 50, 500) }).map(({ rows, limit }) => ({
      data: { [key]: rows, server_knowledge: 7 },
      ...(hasLimit && { args: { limit } }),
    })),
    ...(inner !== undefined && { inner }),
    rowsIn: (content) => content[key],
  };
};

const entity = (operation: Operation, key: string, row: fc.Arbitrary<Row>, inner: string): Case => ({
  operation,
  calls: row.map((row) => ({ data: { [key]: row } })),
  inner,
  rowsIn: (content) => [content[key]],
});

const collection = (name: string, rows: fc.Arbitrary<readonly Row[]>, inner?: string): Case => ({
  operation: getBudget,
  calls: fc.record({ rows, accounts }).map(({ rows, accounts }) => ({
    data: { budget: { ...a.exported({ accounts }), [name]: rows }, server_knowledge: 7 },
    args: { collections: ['accounts', name] },
  })),
  ...(inner !== undefined && { inner }),
  rowsIn: (content) => exportSchema.parse(content['budget'])[name],
});
const exportSchema = z.record(z.string(), z.unknown());

const cases: readonly (readonly [string, Case])[] = [
  ['transactions with legs', list(listTransactions, few(splitOf), 'subtransactions')],
  ['transactions and legs side by side', list(listPayeeTransactions, manyOf(hybrid))],
  [
    'scheduled transactions with legs',
    list(listScheduledTransactions, few(scheduledSplit), 'subtransactions'),
  ],
  ['categories in groups', list(listCategories, few(group), 'categories')],
  ['budgets with accounts', list(listBudgets, few(budget), 'accounts')],
  ['the categories of one month', entity(getMonth, 'month', month, 'categories')],
  ['the legs of one transaction', entity(getTransaction, 'transaction', splitOf, 'subtransactions')],
  [
    'the legs of one scheduled transaction',
    entity(getScheduledTransaction, 'scheduled_transaction', scheduledSplit, 'subtransactions'),
  ],
  [
    'payees of an export',
    collection(
      'payees',
      manyOf(
        fc.record({ id, name: text }).map((each) => ({ ...each, transfer_account_id: null, deleted: false })),
      ),
    ),
  ],
  [
    'months of an export',
    collection(
      'months',
      fc.uniqueArray(
        month.chain((each) => date.map((month) => ({ ...each, month }))),
        { selector: (each) => each.month },
      ),
      'categories',
    ),
  ],
];

const rowsOf = (value: unknown) => z.array(z.looseObject({})).parse(value);
const keyOf = (row: Row) => row['id'] ?? row['month'];
const keysIn = (value: unknown) => rowsOf(value).map(keyOf);

it.each(cases)('%s fit on each page, and all pages together have each of them once', (_, tested) => {
  const { operation, calls, inner, rowsIn } = tested;
  fc.assert(
    fc.property(calls, fc.boolean(), ({ data, args = {} }, structured) => {
      const pages = readPages(operation, data, args, structured);
      const all = rowsOf(rowsIn(data));
      const shown = new Map<unknown, unknown[]>();
      for (const { content } of pages)
        for (const row of rowsOf(rowsIn(content)))
          shown.set(keyOf(row), [
            ...(shown.get(keyOf(row)) ?? []),
            ...(inner ? keysIn(row[inner]) : [keyOf(row)]),
          ]);
      expect([...shown.keys()].toSorted()).toEqual(all.map(keyOf).toSorted());
      for (const row of all) expect(shown.get(keyOf(row))).toEqual(inner ? keysIn(row[inner]) : [keyOf(row)]);
      const returned = pages.reduce((sum, { page }) => sum + page.returned, 0);
      expect(returned).toBe(pages[0]?.page.total);
    }),
    // To make such a large example smaller would take minutes.
    { numRuns: fuzzRuns(12), endOnFailure: true },
  );
});
