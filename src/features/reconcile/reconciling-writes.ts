/**
 * The writes after a comparison: they enter the missing rows first, and then mark transactions, with 1,000 rows in a request. What
 * the last `reconcile_account` found is remembered by the server, and not copied by the model.
 */

import { z } from 'zod';
import { plannedSteps, type WriteOfSteps } from '../../answers/planned-steps.ts';
import type { SentSteps } from '../../answers/send-steps.ts';
import { defineTool, type PlannedWrite } from '../../answers/tool.ts';
import { namesIn } from '../../answers/write-view.ts';
import { BudgetError, foundBy } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { accountId, balanceAmount, budgetId, flag, text, transactionId } from '../../base/schema/fields.ts';
import { batches, ROWS_PER_REQUEST } from '../../operations/row-batches.ts';
import { createTransactions, updateTransactions } from '../../operations/transaction-writes.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { WriteEntry } from '../../session/call-writes.ts';
import type { JournalStep } from '../../session/writes/journal.ts';
import { countKnown, newPayeesIn } from './bank-entries.ts';
import {
  type PreparedReconciliation,
  prepareReconciliation,
  type ReconciliationInput,
} from './prepare-reconciliation.ts';
import { planReconciliation, readRegister } from './reconciliation.ts';
import {
  commonFields,
  plannedReport,
  type ReconciliationSummary,
  reconciliationFields,
  writtenReport,
} from './reconciliation-answer.ts';
import { readingsOf } from './statements/readings.ts';

interface PlannedReconciliation extends ReconciliationInput {
  readonly entry: WriteEntry;
  /** The resolved arguments, by which equal calls are recognised. */
  readonly args: JsonObject;
  /** Whether the user is asked by the number of rows that it would enter. */
  readonly isCounted?: boolean;
}

/** Nothing is marked unless all rows were entered, because the balance would then be another. */
const reconciliationSteps = (
  call: BudgetCall,
  { entry, args, isCounted = false, ...input }: PlannedReconciliation,
): WriteOfSteps<PreparedReconciliation> => ({
  entry,
  args,
  source: ({ source }) => source,
  plan: (replica) => prepareReconciliation(call, input, replica),
  ...(isCounted && { size: ({ entries }) => entries.length }),
  facts: ({ date, balance, reconciliation, entries }) => ({
    date,
    ...(balance !== undefined && { balance }),
    marked: reconciliation.marked.map(({ id, cleared, amount }) => [id, cleared, amount]),
    entries,
  }),
  problems: ({ problems }, stale) => [
    ...problems,
    ...(stale === undefined ? [] : [`the account is not up to date: ${stale}`]),
  ],
  steps: ({ entries, reconciliation: { marked }, state }) => [
    ...batches(entries).map((transactions) => ({ operation: createTransactions, input: { transactions } })),
    ...batches(marked).map((rows) => ({
      operation: updateTransactions,
      input: { transactions: rows.map(({ id }) => ({ id, cleared: state })) },
    })),
  ],
  check(prepared, done) {
    const sent = prepared.entries.slice(0, done.length * ROWS_PER_REQUEST).length;
    const entered = enteredBy(prepared, done).length;
    const isEntry = done.at(-1)?.operation === createTransactions.name;
    if (isEntry && entered < sent)
      throw new BudgetError(
        entered > 0 ? 'partly_written' : 'conflict',
        `${progressOf(entry, prepared, done)} The service did not create ${sent - entered} rows, because it knows their import_id: create_transactions enters them without one.`,
      );
  },
  interrupted: (prepared, { done }) =>
    done.length > 0 ? [progressOf(entry, prepared, done), 'The same call again does the rest.'] : undefined,
  outcome(prepared, sent) {
    const { account, entries, reconciliation } = prepared;
    const entered = enteredBy(prepared, sent.done);
    const { marked } = reconciliation;
    const data: ReconciliationSummary = {
      ...commonFields(prepared),
      ...foundAfterwards(prepared, sent, entered),
      marked: marked.length,
      marked_uncleared: marked.filter(({ cleared }) => cleared === 'uncleared').length,
      entered: entered.length,
      ...(entered.length > 0 && { known: countKnown(entries, account) }),
      ...(newPayeesIn(entries).length > 0 && { new_payees: [...newPayeesIn(entries)] }),
    };
    const { outcome, possibleDuplicates } = sent;
    return { data, outcome, ...(possibleDuplicates && { possibleDuplicates }) };
  },
  planned: (prepared, problems) => plannedReport(prepared, entry, problems, namesIn(call)),
  async written(result, prepared) {
    if (prepared?.reading && prepared.entries.length > 0) {
      const { kind, ways } = prepared.reading;
      const budget = (await call.resolveBudget(undefined)).id;
      await (await readingsOf(call)).set({ budget, account: prepared.account.id, kind }, ways);
    }
    return writtenReport(result, prepared, namesIn(call));
  },
});

const answered = z.object({ transaction_ids: z.array(z.string()) });

/** The ids of the transactions that the steps have created. */
const enteredBy = (
  { known }: PreparedReconciliation,
  done: readonly Pick<JournalStep, 'operation' | 'data'>[],
): readonly string[] =>
  done
    .filter(({ operation }) => operation === createTransactions.name)
    .flatMap(({ data }) => answered.parse(data).transaction_ids)
    .filter((id) => !known.has(id));

function progressOf(
  { title }: WriteEntry,
  prepared: PreparedReconciliation,
  done: readonly JournalStep[],
): string {
  const { entries, reconciliation } = prepared;
  const marking = done.filter(({ operation }) => operation === updateTransactions.name).length;
  const marked = reconciliation.marked.slice(0, marking * ROWS_PER_REQUEST).length;
  return `${title}: ${enteredBy(prepared, done).length} of ${entries.length} rows were entered, and ${marked} of ${reconciliation.marked.length} transactions were marked.`;
}

/** The cleared balance, and what a person has to look at. Empty if it could not be read: the writes have succeeded all the same. */
function foundAfterwards(
  { account: { id }, date, reconciliation: { marked } }: PreparedReconciliation,
  { current }: SentSteps,
  entered: readonly string[],
): Pick<ReconciliationSummary, 'cleared_balance' | 'need_look'> {
  const register = current && foundBy(() => readRegister(current, id));
  if (!register) return {};
  const { account, transactions } = register;
  const ids = new Set(entered);
  const open = transactions.filter(
    ({ id, category_id, payee_id }) =>
      ids.has(id) && (account.on_budget ? category_id === null : payee_id === null),
  );
  const chosen = [...entered, ...marked.map((each) => each.id)];
  return {
    cleared_balance: planReconciliation(register, { date, chosen, entered: [] }).clearedAfter,
    ...(open.length > 0 && { need_look: open.map(({ id }) => id) }),
  };
}

const applied = z.strictObject({
  budget_id: budgetId,
  account: accountId,
  balance: balanceAmount.optional(),
  transactions: z.array(transactionId).max(1_000).optional(),
  enter: flag.optional().meta({ description: 'also the missing rows' }),
});

/** Marks transactions as reconciled (without a balance, as cleared), and enters the rows of the bank's list that are missing. */
export const applyReconciliation = defineTool({
  name: 'apply_reconciliation',
  title: 'Apply reconciliation',
  description:
    'Ticks off (marks as reconciled) what the last reconcile_account found (or transactions), and everything cleared. Refused unless the cleared balance then equals balance. Without balance: as cleared only.',
  kind: 'update',
  isConfirmed: true,
  toolset: 'reports',
  input: applied,
  output: z.object(reconciliationFields),
  example: { account: 'Checking', balance: 17_803.98 },
  plan: (call, args): Promise<PlannedWrite> =>
    plannedSteps(call, reconciliationSteps(call, { ...args, entry: applyReconciliation, args })),
});

const entered = z.strictObject({
  budget_id: budgetId,
  account: accountId,
  statement: text.meta({ description: 'name of a file' }).optional(),
  table: text.meta({ description: 'pasted csv, unchanged' }).optional(),
  /** Removes what is remembered of how such files are read. */
  forget: flag.meta({ description: 'ask again' }).optional(),
});

/**
 * Enters what is missing of a statement as cleared, without a balance of the bank. It marks nothing, and enters nothing twice: the
 * account is compared again just before.
 */
export const enterStatement = defineTool({
  name: 'enter_statement',
  title: 'Enter statement',
  description:
    'After reconcile_account: enters the rows that were missing, or those of a statement or table, as cleared, and none twice.',
  kind: 'create',
  batch: 'statement',
  isRepeatable: false,
  toolset: 'reports',
  input: entered,
  output: z.object(reconciliationFields),
  example: { account: 'Checking', statement: 'checking.csv' },
  check: ({ statement, table, forget }): string[] =>
    forget && (statement ?? table) === undefined ? ['forget: needs a statement or table'] : [],
  plan(call, args, isDryRun): Promise<PlannedWrite> {
    const all = { isDryRun, transactions: [], enter: true, canBeDone: true, isCounted: true };
    const wanted = { ...args, ...all, entry: enterStatement, args };
    return plannedSteps(call, reconciliationSteps(call, wanted));
  },
});
