/** Which entry of the journal `undo` takes back, and whether it still can. Sends nothing. */

import { word } from '../../answers/text.ts';
import { invalidInput } from '../../base/errors.ts';
import type { Reversals, ReversalTarget } from '../../operations/reversal.ts';
import type { BudgetCall } from '../../session/budget-call.ts';
import type { WriteEntry } from '../../session/call-writes.ts';
import type { JournalEntry } from '../../session/writes/journal.ts';
import { restOf } from './rest-of-undo.ts';
import { isOfBank, takeBack } from './take-back.ts';

/** The entry with this id, by default that of the last write of this process. Throws `invalid_input` if it cannot be taken back. */
export async function entryToUndo(
  call: BudgetCall,
  undo: WriteEntry,
  wanted: string | undefined,
): Promise<EntryToUndo> {
  const id = wanted ?? (await idOfLast(call, undo));
  // The caller gets the outcome of its earlier call, also if that has taken back the entry.
  const isRepeated = await call.isRepeated(undo, { write: id });
  return isRepeated ? readEntry(await call.journal(), id) : checkEntry(call, id);
}

/** Throws `invalid_input` if there is no such entry, or if it cannot be taken back now. */
export async function checkEntry(call: BudgetCall, id: string): Promise<EntryToUndo> {
  const entries = await call.journal();
  const read = readEntry(entries, id);
  const { entry } = read;
  const takenBackBy = takenBackIn(entry, entries);
  if (takenBackBy !== undefined) {
    const again = entries.find((each) => each.id === takenBackBy)?.takenBackBy;
    throw impossible(
      entry,
      again === undefined
        ? `it was taken back already, by ${takenBackBy}`
        : `it was taken back by ${takenBackBy}, and that by ${again}, which can be undone`,
    );
  }
  return read;
}

export interface EntryToUndo {
  readonly entry: JournalEntry;
  /** What takes back all of it, and what of that is left to do. */
  readonly found: Reversals;
  readonly rest: Reversals;
  /** The entry of an undo that has taken back a part, or all without having noted that. */
  readonly undoneBy?: JournalEntry | undefined;
}

/** The id of the undo that has taken back all of an entry, also if it was interrupted before it noted that. */
export function takenBackIn(entry: JournalEntry, entries: readonly JournalEntry[]): string | undefined {
  const { id, takenBackBy } = entry;
  if (takenBackBy !== undefined || !entries.some(({ takesBack }) => takesBack === id)) return takenBackBy;
  const { rest, undoneBy } = readEntry(entries, id);
  return rest.reversals.length === 0 ? undoneBy?.id : undefined;
}

export function readEntry(entries: readonly JournalEntry[], id: string): EntryToUndo {
  const entry = entries.find((each) => each.id === id);
  if (!entry) throw invalidInput(`There is no write ${word(id)}: list_writes shows them.`);
  const found = takeBack({ steps: entry.steps }, isOfBank(entry, entries));
  if ('impossible' in found) throw impossible(entry, found.impossible);
  const undoneBy = entries.find((each) => each.takesBack === id && each.takenBackBy === undefined);
  const rest = { ...found, reversals: restOf(found.reversals, undoneBy?.steps ?? []) };
  return { entry, found, rest, undoneBy };
}

async function idOfLast(call: BudgetCall, undo: WriteEntry): Promise<string> {
  const isRepeated = await call.repeated();
  const { writes } = await call.status();
  const isOfAny = call.unnamed !== undefined;
  const open = writes.find(
    (each) => OPEN_STATES.has(each.state) && (isOfAny || each.budget_id === call.budget?.id),
  );
  // After that: a write that is not open any more is in the journal.
  const entries = await call.journal();
  const last = entries.filter(isLeft);
  const own = last.find(({ isOwn }) => isOwn);
  // An undo whose outcome the caller did not get is not followed by that of an earlier write, but by that of a newer one.
  const repeated = entries.find(({ id }) => isRepeated(undo, { write: id }));
  const isNewer = own && repeated && entries.indexOf(own) < entries.indexOf(repeated);
  if (repeated && !isNewer) return repeated.id;
  if (open)
    throw invalidInput(
      `The last write is ${word(open.tool)} of ${new Date(open.called_at).toISOString()}, and it is not known whether it was written: get_status shows its outcome. To take back another one, give its id of list_writes.`,
    );
  const newest = isOfAny ? (await call.journal(true)).filter(isLeft).find(({ isOwn }) => isOwn) : own;
  if (newest && newest.id !== own?.id)
    throw invalidInput(
      `The last write, ${newest.tool} ${newest.id}, is in another budget: give budget_id ${word(newest.budgetId)} to take it back.`,
    );
  if (own) return own.id;
  throw invalidInput(
    last.length === 0
      ? 'This server has written nothing in this budget that could be taken back.'
      : 'This run of the server has written nothing in this budget. To take back what another one has written, give its id of list_writes.',
  );
}

const isLeft = (each: JournalEntry, _: number, entries: readonly JournalEntry[]): boolean =>
  each.takesBack === undefined && takenBackIn(each, entries) === undefined;

const OPEN_STATES = new Set(['waiting', 'sent', 'being_looked_for', 'unknown']);

export const isEnteredAgain = ({ written }: ReversalTarget): boolean => written === undefined;

const impossible = ({ tool, id }: JournalEntry, why: string) =>
  invalidInput(`${tool} ${id} cannot be undone: ${why}. list_writes shows the others.`);
