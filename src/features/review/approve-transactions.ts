/** Approves all transactions that match, if they are as many as the caller expects. */
import { z } from 'zod';
import { checkRequestsLeft } from '../../answers/requests-left.ts';
import { rowLines } from '../../answers/row-lines.ts';
import { counted, type TextContext } from '../../answers/text.ts';
import { defineTool, type PlannedWrite } from '../../answers/tool.ts';
import { computeFromBudget } from '../../answers/whole-budget.ts';
import {
  outcomeOf,
  outcomeTogether,
  partlyWritten,
  previewTogether,
  writtenTogether,
} from '../../answers/write-together.ts';
import { BudgetError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { budgetId, integer, milliunits, text } from '../../base/schema/fields.ts';
import { transactionQuery } from '../../base/schema/transaction-query.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Transaction } from '../../model/replica/entities.ts';
import { findTransactions, queryProblems } from '../../model/sums/found-transactions.ts';
import { sumOf } from '../../model/sums/sum.ts';
import { batches, requestsFor } from '../../operations/row-batches.ts';
import { updateTransactions } from '../../operations/transaction-writes.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { WriteResult } from '../../session/call-result.ts';
import type { WriteSteps } from '../../session/call-writes.ts';

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
  async plan(call, args): Promise<PlannedWrite> {
    const { budget_id: _, expected, ...query } = args;
    const planned = plannedApproval(call, args, query, expected);
    // What an equal earlier call has approved does not match any more.
    if (!(await planned.isRepeat()))
      await computeFromBudget(call, (replica) => checkNumber(unapproved(replica, query), expected));
    return planned;
  },
});

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

function plannedApproval(call: BudgetCall, args: JsonObject, query: Query, expected: number): PlannedWrite {
  /** What the person has confirmed. Undefined if there was no question. */
  let shown: string | undefined;
  const carryOut = async (steps: WriteSteps) => {
    const rows = unapproved(await steps.update(), query);
    checkNumber(rows, expected);
    if (shown !== undefined && shown !== idsOf(rows))
      throw new BudgetError(
        'not_written',
        'Other transactions match than were confirmed. Nothing was approved.',
      );
    // One more to read the changes.
    await checkRequestsLeft(call, requestsFor(rows) + 1, 'approved nothing');
    return approve(steps, rows);
  };
  return {
    rows: expected,
    isRepeat: () => call.isRepeated(approveTransactions, args),
    async run(mustNotSend) {
      const result = await call.writeTogether(approveTransactions, args, carryOut, { mustNotSend });
      const done = approval.parse(result.data);
      return outcomeTogether(result, {
        data: done,
        lines: (context) => [`Approved: ${described(done, context)}.`],
      });
    },
    async simulate() {
      const { replica, freshness } = await call.refresh(false);
      const rows = unapproved(replica, query);
      checkNumber(rows, expected);
      shown = idsOf(rows);
      const planned = approvalOf(rows);
      const byPayee = rows.map((row) => ({ ...row, text: row.payee_name }));
      return previewTogether(call, approveTransactions, {
        freshness,
        data: planned,
        facts: { ids: shown },
        lines: (context) => [
          `To be approved: ${described(planned, context)}.`,
          ...rowLines(byPayee, context, 10),
        ],
      });
    },
  };
}

const idsOf = (rows: readonly Transaction[]) => rows.map(({ id }) => id).join(' ');

const approvalOf = (rows: readonly Transaction[]): Approval => ({
  approved: rows.length,
  sum: sumOf(rows, ({ amount }) => amount),
  first_date: rows.at(-1)?.date ?? '',
  last_date: rows[0]?.date ?? '',
});

const described = ({ approved, sum, first_date, last_date }: Approval, { money }: TextContext) =>
  `${counted(approved, 'transaction')} from ${first_date} to ${last_date}, sum ${money(sum)}`;

/** One request for each 1,000 rows. Throws `partly_written` or `outcome_unknown` with what stands if one of them fails. */
async function approve(
  { write }: WriteSteps,
  rows: readonly Transaction[],
): Promise<WriteResult<JsonObject>> {
  let done = 0;
  const written: WriteResult<unknown>[] = [];
  for (const batch of batches(rows)) {
    const transactions = batch.map(({ id }) => ({ id, approved: true }));
    const result = await write(updateTransactions, { transactions }).catch((error: unknown) => {
      if (done === 0 || !(error instanceof BudgetError)) throw error;
      const progress = `${done} of ${rows.length} transactions were approved, and then: ${error.message}`;
      throw partlyWritten(error, `${progress} The same call with the number of the others does the rest.`);
    });
    done += batch.length;
    written.push(result);
  }
  return { data: approvalOf(rows), outcome: outcomeOf(written) };
}
