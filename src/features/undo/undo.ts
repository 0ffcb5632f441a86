/**
 * Takes back one write of this server. What was changed elsewhere since then is not overwritten: the fields that it would
 * write are compared with what the service answered to the write.
 */
import { z } from 'zod';
import { questionText } from '../../answers/dry-run.ts';
import { References } from '../../answers/references/references.ts';
import { firstOf, present, TextContext } from '../../answers/text.ts';
import type { PlannedWrite, WriteTool } from '../../answers/tool.ts';
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
import { checkRequestsLeft, outcomeOf, partlyWritten } from '../../answers/write-together.ts';
import { namesIn } from '../../answers/write-view.ts';
import { BudgetError, invalidInput } from '../../base/errors.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import { budgetId } from '../../base/schema/fields.ts';
import { listAccounts } from '../../operations/accounts.ts';
import type { Reversal, Reversals } from '../../operations/reversal.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { ChangedEntities, WriteResult } from '../../session/call-result.ts';
import type { WriteStep, WriteSteps } from '../../session/call-writes.ts';
import type { JournalEntry } from '../../session/writes/journal.ts';
import { changedElsewhere, describeConflict, keepingLater, type State, stateOf } from './compare-target.ts';
import { checkEntry, type EntryToUndo, entryToUndo, isEnteredAgain } from './entry-to-undo.ts';
import { describeReversals, operationNamed, targetsOf, undoContent } from './take-back.ts';

const input = z.strictObject({
  budget_id: budgetId,
  write: z.string().optional(),
  keep_later_changes: z.boolean().optional(),
});

const MAX_LINES = 20;
const MAX_PROBLEMS = 5;

export const undo: WriteTool = {
  name: 'undo',
  title: 'Undo',
  description:
    'Takes back the last thing that was written here, deletions too, and puts it back how it was; or the write with this id of list_writes.',
  kind: 'update',
  isConfirmed: true,
  isRepeatable: false,
  input,
  output: z.object({
    write: z.string(),
    undone: z.int(),
    not_as_before: z.array(z.string()),
    ...writeFields,
  }),
  example: {},
  async plan(call, args) {
    const { write, keep_later_changes: keepsLater = false } = input.parse(args);
    return planUndo(call, await entryToUndo(call, undo, { wanted: write, keepsLater }), keepsLater);
  },
};

function planUndo(call: BudgetCall, { entry, found }: EntryToUndo, keepsLater: boolean): PlannedWrite {
  const args = { write: entry.id };
  return {
    isRepeat: () => call.isRepeated(undo, args),
    async run(mustNotSend) {
      let done = found;
      const takeBackNow = async ({ write }: WriteSteps) => {
        // Another undo may have been carried out while this one waited for its turn or for consent.
        const current = await checkEntry(call, entry.id, keepsLater);
        if (canonicalJson(current.found) !== canonicalJson(found))
          throw new BudgetError(
            'not_written',
            'What this would take back has changed since it was planned. This call undid nothing.',
          );
        done = (await checkUnchanged(call, found, keepsLater)).pending;
        await checkRequests(call, done.reversals);
        return carryOut(write, done.reversals, keepsLater);
      };
      const result = await call.writeTogether(undo, args, takeBackNow, { mustNotSend, takesBack: entry.id });
      const { freshness, changed, possibleDuplicates = [] } = result;
      const isEntered = targetsOf(done.reversals).some(isEnteredAgain);
      const what = `${entry.tool} ${entry.id}`;
      const fields = {
        ...outcomeFields(result),
        ...(possibleDuplicates.length > 0 && { possible_duplicates: possibleDuplicates }),
        ...(changed && { balances: newBalances(changed) }),
      };
      return {
        freshness,
        view: () => undoContent(undo.title, 'written', done, namesIn(call)),
        format: (context) => ({
          data: { ...dataOf(entry, done), ...fields },
          lines: [
            result.earlier_call === undefined
              ? `Undone: ${what}.`
              : `${headlineOf(result, 'Undone')} It took back ${what}.`,
            isEntered && lateDeliveryLine(result.outcome),
            ...linesOf(done, context),
            duplicateLine(possibleDuplicates, 'delete one of them'),
            ...(changed ? balanceLines(changed, context) : [unread(result, isEntered)]),
          ],
        }),
      };
    },
    async simulate() {
      const { freshness, pending: planned } = await checkUnchanged(call, found, keepsLater);
      return {
        freshness,
        view: () => undoContent(undo.title, 'preview', planned, namesIn(call)),
        problems: [],
        facts: args,
        question: (shown) =>
          questionText(
            { title: `Undo ${entry.tool}` },
            undefined,
            shown,
            linesOf(planned, contextOf(call, moneyFormatter)),
          ),
        format: (context) => ({
          data: { ...dataOf(entry, planned), outcome: 'dry_run' },
          lines: ['Dry run: this call wrote nothing. It would do this:', ...linesOf(planned, context)],
        }),
      };
    },
  };
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
async function checkUnchanged(call: BudgetCall, { reversals, leftovers }: Reversals, keepsLater: boolean) {
  // Without a cache, each thing is read by a request of its own. They are not spent for writes that cannot follow.
  if (!call.cachedReplica) await checkRequests(call, reversals, targetsOf(reversals).length);
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
    if (states.some((state) => state !== 'earlier')) pending.push(planned);
  }
  if (conflicts.length > 0) throw changedElsewhere(conflicts, keeping, context);
  const problems: string[] = [];
  for (const each of pending) problems.push(...(await refusalsOf(call, each)));
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
  return { freshness, pending: { reversals: pending, leftovers: remaining } };
}

/** Why the service would refuse a write of an undo. Without a cache this would need requests, so it is not checked. */
async function refusalsOf(call: BudgetCall, reversal: Reversal): Promise<readonly string[]> {
  const operation = operationNamed(reversal.operation);
  // What a deletion deletes was compared before.
  if (!call.cachedReplica || operation.kind === 'delete') return [];
  return (await call.simulate(operation, operation.input.parse(reversal.input), true)).problems;
}

/** Each write is sent, and then the change is read. */
const REQUESTS_PER_WRITE = 2;

const checkRequests = (call: BudgetCall, pending: readonly Reversal[], reads = 0) =>
  checkRequestsLeft(call, reads + pending.length * REQUESTS_PER_WRITE, 'undid nothing');

/** Sends the writes one after another, and says what stands if one fails. */
async function carryOut(
  write: WriteStep,
  pending: readonly Reversal[],
  keepsLater: boolean,
): Promise<WriteResult<JsonObject>> {
  const open = [...pending];
  const results: WriteResult<JsonObject>[] = [];
  for (let next = open.shift(); next; next = open.shift()) {
    const operation = operationNamed(next.operation);
    try {
      const result = await write(operation, operation.input.parse(next.input));
      results.push(result);
      open.unshift(...(next.followUps?.(result.data) ?? []));
    } catch (error) {
      if (!(error instanceof BudgetError) || results.length === 0) throw error;
      const done = `${results.length} of ${results.length + 1 + open.length} writes of it are undone`;
      const howToGoOn = waysOn(pending, next, keepsLater);
      throw partlyWritten(error, `${done}, and then: ${error.message} ${howToGoOn}`);
    }
  }
  return together(results);
}

/**
 * What was entered again is new: another undo would enter it a second time. What follows from a reversal is not sent again, since
 * that reversal is done. And a difference would be taken back twice.
 */
const waysOn = (pending: readonly Reversal[], failed: Reversal, keepsLater: boolean) =>
  keepsLater || targetsOf(pending).some(isEnteredAgain) || !pending.includes(failed)
    ? 'Correct the rest by hand.'
    : 'undo with the same id goes on with the rest.';

function together(results: readonly WriteResult<JsonObject>[]): WriteResult<JsonObject> {
  const changes = results.flatMap(({ changed }) => changed ?? []);
  return {
    data: {},
    outcome: outcomeOf(results),
    ...(changes.length === results.length && { changed: latest(changes) }),
    possibleDuplicates: results.flatMap(({ possibleDuplicates = [] }) => possibleDuplicates),
  };
}

/** The last state of each thing. */
function latest(changes: readonly ChangedEntities[]): ChangedEntities {
  const last = <Row extends { readonly id: string }>(list: (each: ChangedEntities) => readonly Row[]) => [
    ...new Map(changes.flatMap(list).map((row) => [row.id, row])).values(),
  ];
  return {
    accounts: last(({ accounts }) => accounts),
    categories: last(({ categories }) => categories),
    transactions: last(({ transactions }) => transactions),
    scheduled_transactions: last(({ scheduled_transactions }) => scheduled_transactions),
  };
}
