/** Approves all transactions that match, if they are as many as the caller expects. */
import { z } from 'zod';
import { plannedSteps } from '../../answers/planned-steps.ts';
import { rowLines } from '../../answers/row-lines.ts';
import { counted, type TextContext } from '../../answers/text.ts';
import { defineTool, type PlannedWrite } from '../../answers/tool.ts';
import { writtenTogether } from '../../answers/write-report.ts';
import { BudgetError } from '../../base/errors.ts';
import { budgetId, integer, milliunits, text } from '../../base/schema/fields.ts';
import { transactionQuery } from '../../base/schema/transaction-query.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Transaction } from '../../model/replica/entities.ts';
import { findTransactions, queryProblems } from '../../model/sums/found-transactions.ts';
import { sumOf } from '../../model/sums/sum.ts';
import { batches, ROWS_PER_REQUEST } from '../../operations/row-batches.ts';
import { updateTransactions } from '../../operations/transaction-writes.ts';

/** The journal keeps the rows of a write, so that it can be taken back. */
const MAX_ROWS = 10_000;

const conditions = transactionQuery.omit({ approved: true });
const input = z.strictObject({
  budget_id: budgetId,
  expected: z.int().min(1).max(MAX_ROWS),
  ...conditions.shape,
});

type Query = z.output<typeof conditions>;

const approval = z.object({ approved: integer, sum: milliunits, first_date: text, last_date: text });

type Approval = z.output<typeof approval>;

export const approveTransactions = defineTool({
  name: 'approve_transactions',
  title: 'Approve transactions',
  description:
    'Approves (ok) all that match, as find_transactions finds them; refused if they are not as many as expected.',
  kind: 'update',
  toolset: 'transactions',
  batch: 'expected',
  input,
  output: writtenTogether(approval),
  example: { expected: 12, until: '2026-10' },
  check: (query): string[] => [...queryProblems(query)],
  plan(call, args): Promise<PlannedWrite> {
    const { budget_id: _, expected, ...query } = args;
    return plannedSteps<Rows>(call, {
      entry: approveTransactions,
      args,
      plan(replica) {
        const rows = unapproved(replica, query);
        checkNumber(rows, expected);
        return rows;
      },
      size: (rows) => rows.length,
      facts: (rows) => ({ ids: rows.map(({ id }) => id) }),
      steps: (rows) =>
        batches(rows).map((batch) => ({
          operation: updateTransactions,
          input: { transactions: batch.map(({ id }) => ({ id, approved: true })) },
        })),
      nothingDone: 'approved nothing',
      interrupted: (rows, { done }) =>
        done.length > 0
          ? [
              `${done.length * ROWS_PER_REQUEST} of ${rows.length} transactions were approved, and then:`,
              'The same call with the number of the others does the rest.',
            ]
          : undefined,
      outcome: (rows, { outcome }) => ({ data: approvalOf(rows), outcome }),
      planned: (rows) => ({
        data: approvalOf(rows),
        lines: (context) => [
          `To be approved: ${described(approvalOf(rows), context)}.`,
          ...rowLines(
            rows.map((row) => ({ ...row, text: row.payee_name })),
            context,
            10,
          ),
        ],
      }),
      written({ data }) {
        const done = approval.parse(data);
        return { data: done, lines: (context) => [`Approved: ${described(done, context)}.`] };
      },
    });
  },
});

type Rows = readonly Transaction[];

/** Newest first. A split is approved as a whole if one of its legs matches. */
const unapproved = (replica: BudgetReplica, query: Query): readonly Transaction[] =>
  findTransactions(replica, { ...query, approved: false });

function checkNumber(rows: readonly Transaction[], expected: number): void {
  if (rows.length !== expected)
    throw new BudgetError(
      'not_written',
      `${rows.length} unapproved transactions match, and not ${expected}. Nothing was approved. find_transactions with the same conditions and approved: false shows them.`,
    );
}

const approvalOf = (rows: readonly Transaction[]): Approval => ({
  approved: rows.length,
  sum: sumOf(rows, ({ amount }) => amount),
  first_date: rows.at(-1)?.date ?? '',
  last_date: rows[0]?.date ?? '',
});

const described = ({ approved, sum, first_date, last_date }: Approval, { money }: TextContext) =>
  `${counted(approved, 'transaction')} from ${first_date} to ${last_date}, sum ${money(sum)}`;
