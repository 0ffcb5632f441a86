/**
 * Takes back one write of this server. What was changed elsewhere since then is not overwritten: the fields that it would
 * write are compared with what the service answered to the write.
 */
import { z } from 'zod';
import { questionText } from '../../answers/dry-run.ts';
import { earlierError } from '../../answers/planned-steps.ts';
import { reconciledData, reconciledLines } from '../../answers/reconciled.ts';
import { References } from '../../answers/references/references.ts';
import { nextPartAt } from '../../answers/requests-left.ts';
import { firstOf, present, TextContext } from '../../answers/text.ts';
import { defineTool, type PlannedWrite } from '../../answers/tool.ts';
import { moneyFormatter, plainAmounts } from '../../answers/units.ts';
import {
  balanceLines,
  duplicateLine,
  headlineOf,
  lateDeliveryLine,
  newBalances,
  outcomeFields,
  unread,
  writeFields,
} from '../../answers/write-result.ts';
import { BudgetError, foundBy, invalidInput } from '../../base/errors.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import { budgetId } from '../../base/schema/fields.ts';
import { transactionsIn } from '../../base/schema/reconcilable.ts';
import { type ReconciledMove, reconciledMoves, summedMoves } from '../../model/bookkeeping/reconciled.ts';
import { listAccounts } from '../../operations/accounts.ts';
import type { Reversal, Reversals } from '../../operations/reversal.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { CallResult, SimulatedWrite } from '../../session/call-result.ts';
import type { WriteSteps } from '../../session/call-writes.ts';
import type { JournalEntry } from '../../session/writes/journal.ts';
import { carryOut, needsParts, sentNow } from './carry-out-undo.ts';
import { changedElsewhere, describeConflict, keepingLater, type State, stateOf } from './compare-target.ts';
import { checkEntry, type EntryToUndo, entryToUndo, isEnteredAgain, readEntry } from './entry-to-undo.ts';
import { describeReversals, operationOf, targetsOf, undoContent } from './take-back.ts';

const input = z.strictObject({
  budget_id: budgetId,
  write: z.string().optional(),
  keep_later_changes: z.boolean().meta({ description: 'take back only the difference' }).optional(),
});

const MAX_LINES = 20;
const MAX_PROBLEMS = 5;

export const undo = defineTool({
  name: 'undo',
  title: 'Undo',
  description:
    'Takes back (reverts) the last thing that was written here, deletions too, and puts it back how it was; or the write with this id of list_writes.',
  kind: 'update',
  isConfirmed: true,
  isRepeatable: false,
  input,
  output: z.object({
    write: z.string(),
    undone: z.int(),
    /** How many things are left for the next call, if an hour's requests do not suffice for all. */
    left: z.int().optional(),
    not_as_before: z.array(z.string()),
    ...writeFields,
  }),
  example: {},
  async plan(call, { write, keep_later_changes: keepsLater = false }): Promise<PlannedWrite> {
    return planUndo(call, await entryToUndo(call, undo, write), keepsLater);
  },
});

/** What was taken back by a call. */
const progress = z.object({ undone: z.int().default(0), left: z.int().default(0) });

function planUndo(call: BudgetCall, planned: EntryToUndo, keepsLater: boolean): PlannedWrite {
  const { entry, found, rest, undoneBy } = planned;
  const args = { write: entry.id };
  return {
    isRepeat: () => call.isRepeated(undo, args),
    async run(mustNotSend) {
      let hasBegun = false;
      let done = found;
      const takeBackNow = async (steps: WriteSteps) => {
        hasBegun = true;
        // Another undo may have been carried out while this one waited for its turn or for consent.
        const current = await checkEntry(call, entry.id);
        if (canonicalJson(current.rest) !== canonicalJson(rest))
          throw new BudgetError(
            'not_written',
            'What this would take back has changed since it was planned. This call undid nothing.',
          );
        const { pending, leftOut } = await checkUnchanged(call, rest, keepsLater);
        const reversals = call.cachedReplica ? await sentNow(call, pending.reversals) : pending.reversals;
        done = { ...pending, reversals };
        const undone = targetsOf(reversals).length;
        const left = targetsOf(pending.reversals).length - undone + leftOut;
        const { outcome, changed, reconciled, possibleDuplicates } = await carryOut(steps, call, reversals);
        if (left === 0) await steps.markTakenBack();
        return {
          data: { undone, left },
          outcome,
          ...(changed && { changed }),
          ...{ reconciled, possibleDuplicates },
        };
      };
      const options = { mustNotSend, takesBack: entry.id, continues: undoneBy?.id };
      const result = await call
        .writeTogether(undo, args, takeBackNow, options)
        .catch((error: unknown) => outcomeOfInterrupted(call, entry.id, earlierError(error, hasBegun)));
      const { freshness, changed, possibleDuplicates = [], reconciled = [] } = result;
      const { undone, left } = progress.parse(result.data);
      const nextAt = left > 0 ? await nextPartAt(call) : '';
      const isEntered = targetsOf(done.reversals).some(isEnteredAgain);
      const what = `${entry.tool} ${entry.id}`;
      const isEarlier = result.earlier_call !== undefined;
      const fields = {
        undone,
        ...(left > 0 && { left }),
        ...outcomeFields(result),
        ...(possibleDuplicates.length > 0 && { possible_duplicates: possibleDuplicates }),
        ...reconciledData(reconciled),
        ...(changed && { balances: newBalances(changed) }),
      };
      return {
        freshness,
        budgeted: budgetedBy(done),
        view: () =>
          undoContent(call, undo.title, 'written', done, [
            duplicateLine(possibleDuplicates, 'delete one of them'),
            ...reconciledLines(reconciled, 'has moved', contextOf(call, moneyFormatter)),
          ]),
        format: (context) => ({
          data: { ...dataOf(entry, done), ...fields },
          lines: [
            isEarlier
              ? `${headlineOf(result, 'Undone')} It took back ${left > 0 ? 'a part of ' : ''}${what}.`
              : `Undone${left > 0 ? ' in part' : ''}: ${what}.`,
            left > 0 &&
              `${undone} of ${undone + left} things are as before. An hour's requests do not suffice for all: undo with this id goes on with the rest, from ${nextAt} on.`,
            isEntered && lateDeliveryLine(result.outcome),
            // What an earlier call has left is not known here.
            ...(isEarlier && left > 0 ? [] : linesOf(done, context)),
            duplicateLine(possibleDuplicates, 'delete one of them'),
            ...reconciledLines(reconciled, 'has moved', context),
            ...(changed ? balanceLines(changed, context) : [unread(result, isEntered)]),
          ],
        }),
      };
    },
    async simulate() {
      const checked = await checkUnchanged(call, rest, keepsLater);
      const { freshness, pending: planned, leftOut, reconciled } = checked;
      const parts =
        (leftOut > 0 || (await needsParts(call, planned.reversals))) &&
        "An hour's requests do not suffice for all of this. It takes back as much as they do, and undo with this id goes on with the rest later.";
      const person = contextOf(call, moneyFormatter);
      const moved = reconciledLines(reconciled, 'would move', person);
      const about = [...linesOf(planned, person), ...moved];
      return {
        freshness,
        budgeted: budgetedBy(planned),
        view: () => undoContent(call, undo.title, 'preview', planned, [...moved, parts]),
        problems: [],
        facts: args,
        question: (shown) =>
          questionText({ title: `Undo ${entry.tool}` }, call.budget, shown, [...about, parts]),
        format: (context) => ({
          data: { ...dataOf(entry, planned), outcome: 'dry_run', ...reconciledData(reconciled) },
          lines: [
            'Dry run: this call wrote nothing. It would do this:',
            ...linesOf(planned, context),
            ...reconciledLines(reconciled, 'would move', context),
            parts,
          ],
        }),
      };
    },
  };
}

const budgetedBy = ({ reversals }: Reversals) =>
  reversals.flatMap((each) => {
    const { operation, input } = operationOf(each);
    return operation.budgeted?.(input) ?? [];
  });

/** What follows from an entry, which has no things of its own. */
const OTHER_SIDES = 'fields of the other sides of transfers';

/** The outcome of an undo that was interrupted, if it got to its end. Else throws the error with what is left. */
async function outcomeOfInterrupted(
  call: BudgetCall,
  id: string,
  error: BudgetError,
): Promise<CallResult<JsonObject>> {
  const { found, rest, undoneBy } = readEntry(await call.journal(), id);
  const { reversals } = rest;
  if (reversals.length === 0 && undoneBy) {
    const data = { undone: targetsOf(found.reversals).length, left: 0 };
    const { freshness } = await call.read(listAccounts, {});
    return { data, freshness, earlier_call: new Date(undoneBy.at).toISOString() };
  }
  const open = describeReversals(reversals, contextOf(call, plainAmounts));
  const left = open.length > 0 ? firstOf(open, MAX_PROBLEMS).join(', ') : OTHER_SIDES;
  throw new BudgetError(
    error.code,
    `${error.message} Left to do: ${left}. undo with the same id goes on with that.`,
    { cause: error },
  );
}

const dataOf = ({ id }: JournalEntry, { reversals, leftovers }: Reversals) => ({
  write: id,
  undone: targetsOf(reversals).length,
  not_as_before: leftovers,
});

const linesOf = ({ reversals, leftovers }: Reversals, context: TextContext) => [
  ...firstOf(describeReversals(reversals, context), MAX_LINES),
  ...leftovers.map((each) => `Not as before: ${each}.`),
];

const contextOf = ({ budget, cachedReplica }: BudgetCall, money: typeof plainAmounts) =>
  new TextContext(money(budget?.currency_format ?? null), {
    lookup: cachedReplica && References.of(cachedReplica),
  });

/**
 * Reads the newest state. Throws if anything was changed elsewhere, with both versions, unless the change can be kept and has
 * to be. Throws too if the service would refuse it.
 */
async function checkUnchanged(call: BudgetCall, { leftovers, ...rest }: Reversals, keepsLater: boolean) {
  // Without a cache, each thing is read by a request of its own. They are not spent for writes that cannot follow.
  const reversals = call.cachedReplica ? rest.reversals : await sentNow(call, rest.reversals);
  const synced = call.cachedReplica && (await call.refresh(false)).freshness;
  if (synced?.stale_reason !== undefined)
    throw new BudgetError(
      'not_written',
      `This call undid nothing, since the budget cannot be read. ${synced.stale_reason}`,
    );
  const context = contextOf(call, plainAmounts);
  const pending: Reversal[] = [];
  const keeping: Reversal[] = [];
  const conflicts: string[] = [];
  for (const reversal of reversals) {
    const states: State[] = [];
    let planned = reversal;
    for (const target of reversal.targets) {
      const state = await stateOf(call, target);
      states.push(state);
      if (state === 'written' || state === 'earlier') continue;
      const kept = keepingLater(reversal, target, state);
      if (kept) keeping.push(kept);
      if (kept && keepsLater) planned = kept;
      else conflicts.push(describeConflict(target, state, context));
    }
    // What follows from a reversal has no things to compare.
    if (states.length === 0 || states.some((state) => state !== 'earlier')) pending.push(planned);
  }
  if (conflicts.length > 0) throw changedElsewhere(conflicts, keeping, context);
  const problems: string[] = [];
  const moves: ReconciledMove[] = [];
  for (const each of pending) {
    const { problems: found, reconciled = [] } = await simulated(call, each);
    problems.push(...found);
    moves.push(...reconciled);
  }
  if (problems.length > 0)
    throw invalidInput(`${firstOf(problems, MAX_PROBLEMS).join('; ')}. This call undid nothing.`);
  if (pending.length === 0)
    throw invalidInput(
      'Nothing of it can be taken back: it is as it was before, or it was deleted since and has another id now. To take back another write, give its id of list_writes.',
    );
  const freshness = synced ?? (await call.read(listAccounts, {})).freshness;
  const isGone = reversals.some(
    (each) => !pending.includes(each) && each.targets.some(({ earlier }) => !earlier),
  );
  const remaining = present([
    ...leftovers,
    keeping.length > 0 && 'what was changed elsewhere since then stays',
    isGone && 'a part was deleted before; if it was entered again since, it has another id and stays',
  ]);
  const leftOut = targetsOf(rest.reversals).length - targetsOf(reversals).length;
  const reconciled = summedMoves(moves);
  return { freshness, pending: { reversals: pending, leftovers: remaining }, leftOut, reconciled };
}

/** Why the service would refuse a write of an undo, and what it would move. Without a cache this would need requests, so it is not checked. */
async function simulated(
  call: BudgetCall,
  reversal: Reversal,
): Promise<Pick<SimulatedWrite, 'problems' | 'reconciled'>> {
  const replica = call.cachedReplica;
  if (!replica) return { problems: [] };
  const { operation, input } = operationOf(reversal);
  if (operation.kind !== 'delete') return call.simulate(operation, input, true);
  // What a deletion deletes was compared before.
  const rows = transactionsIn(foundBy(() => operation.stateBefore?.(replica, input)) ?? []);
  const deleted = rows.map((row) => ({ ...row, deleted: true }));
  return { problems: [], reconciled: reconciledMoves(rows, deleted) };
}
