/** Which entry of the journal `undo` takes back, and whether it still can. Sends nothing. */

import { word } from '../../answers/text.ts';
import { invalidInput } from '../../base/errors.ts';
import type { ReversalTarget } from '../../operations/reversal.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { WriteEntry } from '../../session/call-writes.ts';
import type { JournalEntry } from '../../session/writes/journal.ts';
import { isOfBank, takeBack, targetsOf } from './take-back.ts';

/** The entry with this id, by default that of the last write of this process. Throws `invalid_input` if it cannot be taken back. */
export async function entryToUndo(
  call: BudgetCall,
  undo: WriteEntry,
  { wanted, keepsLater }: { readonly wanted?: string | undefined; readonly keepsLater: boolean },
) {
  const id = wanted ?? (await idOfLast(call, undo));
  // The caller gets the outcome of its earlier call, also if that has taken back the entry.
  const isRepeated = await call.isRepeated(undo, { write: id });
  return isRepeated ? readEntry(await call.journal(), id) : checkEntry(call, id, keepsLater);
}

/**
 * Throws `invalid_input` if there is no such entry, or if it cannot be taken back now. With `keepsLater`, what was taken back
 * in part cannot: a difference that was taken back already does not show in the budget.
 */
export async function checkEntry(call: BudgetCall, id: string, keepsLater: boolean) {
  const entries = await call.journal();
  const { entry, found } = readEntry(entries, id);
  const { takenBackBy } = entry;
  if (takenBackBy !== undefined) {
    const again = entries.find((each) => each.id === takenBackBy)?.takenBackBy;
    throw impossible(
      entry,
      again === undefined
        ? `it was taken back already, by ${takenBackBy}`
        : `it was taken back by ${takenBackBy}, and that by ${again}, which can be undone`,
    );
  }
  // A deletion that was taken back in part: what was deleted is there again, under a new id.
  const isAgain = targetsOf(found.reversals).some(isEnteredAgain);
  const partlyBy = entries.find(
    ({ takesBack, takenBackBy }) => takesBack === id && takenBackBy === undefined,
  );
  if (partlyBy && isAgain) throw impossible(entry, `it was entered again already, by ${partlyBy.id}`);
  if (partlyBy && keepsLater)
    throw impossible(entry, `a part of it was taken back already, by ${partlyBy.id}`);
  return { entry, found };
}

function readEntry(entries: readonly JournalEntry[], id: string) {
  const entry = entries.find((each) => each.id === id);
  if (!entry) throw invalidInput(`There is no write ${word(id)}: list_writes shows them.`);
  const found = takeBack({ steps: entry.steps }, isOfBank(entry, entries));
  if ('impossible' in found) throw impossible(entry, found.impossible);
  return { entry, found };
}

export type EntryToUndo = ReturnType<typeof readEntry>;

async function idOfLast(call: BudgetCall, undo: WriteEntry): Promise<string> {
  const isRepeated = await call.repeated();
  const { writes } = await call.status();
  const open = writes.find((each) => each.budget_id === call.budget?.id && OPEN_STATES.has(each.state));
  // After that: a write that is not open any more is in the journal.
  const entries = await call.journal();
  const last = entries.filter(
    ({ takesBack, takenBackBy }) => takesBack === undefined && takenBackBy === undefined,
  );
  const own = last.find(({ isOwn }) => isOwn);
  // An undo whose outcome the caller did not get is not followed by that of an earlier write, but by that of a newer one.
  const repeated = entries.find(({ id }) => isRepeated(undo, { write: id }));
  const isNewer = own && repeated && entries.indexOf(own) < entries.indexOf(repeated);
  if (repeated && !isNewer) return repeated.id;
  if (open)
    throw invalidInput(
      `The last write is ${word(open.tool)} of ${new Date(open.called_at).toISOString()}, and it is not known whether it was written: get_status shows its outcome. To take back another one, give its id of list_writes.`,
    );
  if (own) return own.id;
  throw invalidInput(
    last.length === 0
      ? 'This server has written nothing in this budget that could be taken back.'
      : 'This run of the server has written nothing in this budget. To take back what another one has written, give its id of list_writes.',
  );
}

const OPEN_STATES = new Set(['waiting', 'sent', 'being_looked_for', 'unknown']);

export const isEnteredAgain = ({ written }: ReversalTarget): boolean => written === undefined;

const impossible = ({ tool, id }: JournalEntry, why: string) =>
  invalidInput(`${tool} ${id} cannot be undone: ${why}. list_writes shows the others.`);
