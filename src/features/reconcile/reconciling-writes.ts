/**
 * The writes after a comparison: they enter the missing rows first, and then mark transactions, with 1,000 rows in a request. What
 * the last `reconcile_account` found is remembered by the server, and not copied by the model.
 */

import { z } from 'zod';
import { rowLines } from '../../answers/row-lines.ts';
import { listProblems, present, quote, TextContext } from '../../answers/text.ts';
import { defineTool, type PlannedWrite } from '../../answers/tool.ts';
import { moneyFormatter } from '../../answers/units.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import { outcomeOf, partlyWritten } from '../../answers/write-together.ts';
import { namesIn } from '../../answers/write-view.ts';
import { BudgetError, invalidInput, undefinedIfExpected } from '../../base/errors.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import { accountId, balanceAmount, budgetId, flag, text, transactionId } from '../../base/schema/fields.ts';
import { MAX_ROWS_UNCONFIRMED } from '../../operations/consent.ts';
import { batches } from '../../operations/row-batches.ts';
import { createTransactions, updateTransactions } from '../../operations/transaction-writes.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { WriteResult } from '../../session/call-result.ts';
import type { WriteEntry, WriteSteps } from '../../session/call-writes.ts';
import { countKnown, newPayeesIn } from './bank-entries.ts';
import {
  type PreparedReconciliation,
  prepareReconciliation,
  type ReconciliationInput,
  sourceOf,
} from './prepare-reconciliation.ts';
import { planReconciliation, readRegister } from './reconciliation.ts';
import {
  commonFields,
  formatReconciliation,
  formatReconciliationPreview,
  previewLines,
  type ReconciliationSummary,
  reconciliationContent,
  reconciliationFields,
} from './reconciliation-answer.ts';

interface PlannedReconciliation extends ReconciliationInput {
  /** The resolved arguments, by which equal calls are recognised. */
  readonly args: JsonObject;
  /** `sourceOf` what it goes by. An equal call with another one is not repeated. */
  readonly source: string;
  /** How many rows it would enter now, if the user is asked by their number. */
  readonly rows?: number;
}

function planBankReconciliation(
  call: BudgetCall,
  entry: WriteEntry,
  input: PlannedReconciliation,
): PlannedWrite {
  const { rows, args, source } = input;
  /** The user is never asked about none. */
  const unaskedRows = rows === 0 ? 0 : Math.max(rows ?? Number.POSITIVE_INFINITY, MAX_ROWS_UNCONFIRMED);
  /** What the user has confirmed. Undefined if there was no question. */
  let shown: PreparedReconciliation | undefined;
  let written: PreparedReconciliation | undefined;
  /** The account is read again, after all other writes of this program, so that nothing is entered twice. */
  const carryOutCurrent = async (steps: WriteSteps) => {
    const prepared = await prepareReconciliation(call, input, await steps.update());
    const isOther = shown && canonicalJson(factsOf(shown)) !== canonicalJson(factsOf(prepared));
    if (isOther || (!shown && prepared.entries.length > unaskedRows))
      throw new BudgetError(
        'not_written',
        `${entry.title}: the account has changed since this was ${shown ? 'confirmed' : 'planned'}.`,
      );
    const result = await carryOut(entry, steps, prepared);
    written = prepared;
    return result;
  };
  const viewOf = (prepared: PreparedReconciliation, state: 'preview' | 'written') => () =>
    reconciliationContent(prepared, state, namesIn(call));
  return {
    ...(rows !== undefined && { rows }),
    isRepeat: () => call.isRepeated(entry, args, source),
    async run(mustNotSend) {
      const result = await call.writeTogether(entry, args, carryOutCurrent, { mustNotSend, source });
      if (written?.reading && written.entries.length > 0) {
        const { kind, ways } = written.reading;
        const budget = (await call.resolveBudget(undefined)).id;
        await (await call.readings()).set({ budget, account: written.account.id, kind }, ways);
      }
      return {
        freshness: result.freshness,
        ...(written && { view: viewOf(written, 'written') }),
        format: (context) => formatReconciliation(result, written?.inParts, context),
      };
    },
    async simulate() {
      if (!call.cachedReplica) await readWholeBudget(call);
      const { replica, freshness } = await call.refresh(false);
      const prepared = await prepareReconciliation(call, input, replica);
      shown = prepared;
      const { stale_reason } = freshness;
      return {
        freshness,
        view: viewOf(prepared, 'preview'),
        problems: present([
          ...prepared.problems,
          stale_reason !== undefined && `the account is not up to date: ${stale_reason}`,
        ]),
        facts: factsOf(prepared),
        question: () => questionFor(call, entry, prepared),
        format: (context) => formatReconciliationPreview(prepared, context),
      };
    },
  };
}

const factsOf = ({ date, balance, reconciliation, entries }: PreparedReconciliation): JsonObject => ({
  date,
  ...(balance !== undefined && { balance }),
  marked: reconciliation.marked.map(({ id, cleared, amount }) => [id, cleared, amount]),
  entries,
});

/** For a person, to whom ids mean nothing. */
function questionFor(
  { budget }: BudgetCall,
  { title }: WriteEntry,
  prepared: PreparedReconciliation,
): string {
  const context = new TextContext(moneyFormatter(budget?.currency_format ?? null));
  const uncleared = prepared.reconciliation.marked
    .filter(({ cleared }) => cleared === 'uncleared')
    .map(({ date, amount, payee_name }) => ({ date, amount, text: payee_name }));
  const where = budget ? ` in ${quote(budget.name)}` : '';
  return present([
    `${title} of ${quote(prepared.account.name)}${where}?`,
    ...previewLines(prepared, context, rowLines(uncleared, context)),
  ]).join('\n');
}

/** Nothing is marked unless all rows were entered, because the balance would then be another. */
async function carryOut(
  { title }: WriteEntry,
  { write, update }: WriteSteps,
  prepared: PreparedReconciliation,
): Promise<WriteResult<JsonObject>> {
  const { account, date, entries, known, problems, reconciliation, state } = prepared;
  if (problems.length > 0) throw invalidInput(`${title}: ${listProblems(problems)}.`);
  const { marked } = reconciliation;
  const entered: string[] = [];
  const done: string[] = [];
  const progress = () =>
    `${title}: ${entered.length} of ${entries.length} rows were entered, and ${done.length} of ${marked.length} transactions were marked.`;
  const steps: WriteResult<unknown>[] = [];
  const step = async <Data>(send: Promise<WriteResult<Data>>): Promise<Data> => {
    const result = await send.catch((error: unknown) => {
      if (steps.length === 0 || !(error instanceof BudgetError)) throw error;
      throw partlyWritten(error, `${progress()} ${error.message} The same call again does the rest.`);
    });
    steps.push(result);
    return result.data;
  };

  for (const transactions of batches(entries)) {
    const { transaction_ids } = await step(write(createTransactions, { transactions }));
    const created = transaction_ids.filter((id) => !known.has(id));
    entered.push(...created);
    const skipped = transactions.length - created.length;
    if (skipped > 0)
      throw new BudgetError(
        entered.length > 0 ? 'partly_written' : 'conflict',
        `${progress()} The service did not create ${skipped} rows, because it knows their import_id: create_transactions enters them without one.`,
      );
  }
  for (const rows of batches(marked)) {
    const transactions = rows.map(({ id }) => ({ id, cleared: state }));
    await step(write(updateTransactions, { transactions }));
    done.push(...rows.map(({ id }) => id));
  }

  const after = await readAfterwards(update, account.id, date, entered, done);
  const data: ReconciliationSummary = {
    ...commonFields(prepared),
    ...after,
    marked: done.length,
    marked_uncleared: marked.filter(({ cleared }) => cleared === 'uncleared').length,
    entered: entered.length,
    ...(entered.length > 0 && { known: countKnown(entries, account) }),
    ...(newPayeesIn(entries).length > 0 && { new_payees: [...newPayeesIn(entries)] }),
  };
  return {
    data,
    outcome: outcomeOf(steps),
    possibleDuplicates: steps.flatMap((each) => each.possibleDuplicates ?? []),
  };
}

/** The cleared balance, and what a person has to look at. Empty if it cannot be read: the writes have succeeded all the same. */
async function readAfterwards(
  update: WriteSteps['update'],
  accountId: string,
  date: string,
  entered: readonly string[],
  marked: readonly string[],
): Promise<Pick<ReconciliationSummary, 'cleared_balance' | 'need_look'>> {
  try {
    const register = readRegister(await update(), accountId);
    const { account, transactions } = register;
    const ids = new Set(entered);
    const open = transactions.filter(
      ({ id, category_id, payee_id }) =>
        ids.has(id) && (account.on_budget ? category_id === null : payee_id === null),
    );
    const chosen = [...entered, ...marked];
    return {
      cleared_balance: planReconciliation(register, { date, chosen, entered: [] }).clearedAfter,
      ...(open.length > 0 && { need_look: open.map(({ id }) => id) }),
    };
  } catch (error) {
    undefinedIfExpected(error);
    return {};
  }
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
  async plan(call, args): Promise<PlannedWrite> {
    const source = sourceOf(await (await call.comparisons()).get(args.account));
    return planBankReconciliation(call, applyReconciliation, { ...args, args, source });
  },
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
  async plan(call, args, isDryRun): Promise<PlannedWrite> {
    const wanted = { ...args, isDryRun, transactions: [], enter: true, canBeDone: true };
    const { replica } = await readWholeBudget(call);
    const { entries, source } = await prepareReconciliation(call, wanted, replica);
    return planBankReconciliation(call, enterStatement, { ...wanted, args, source, rows: entries.length });
  },
});
