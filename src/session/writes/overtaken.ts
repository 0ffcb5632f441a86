/**
 * Whether the outcome of an earlier equal call is still right, as the journal shows it. An outcome that no host has got is
 * repeated for ten minutes, in which the write can be taken back, replaced, or read from something else. Pure.
 */
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { JournalEntry, JournalStep } from './journal.ts';
import type { PendingWrite } from './pending-write.ts';
import type { WriteCall } from './write-call.ts';

export interface Overtaken {
  /** Whether an equal call is a new one: what the earlier one wrote was taken back, or it read something else. */
  readonly isOver: boolean;
  /** The later writes of the same things, in a sentence. Undefined if there are none. */
  readonly since?: string | undefined;
}

const MAX_NAMED = 3;

/** `entries` are those of all callers in the budget, newest first. */
export function overtaken(
  { id, continues, call }: Pick<PendingWrite, 'id' | 'continues' | 'call'>,
  { source }: Pick<WriteCall, 'source'>,
  entries: readonly JournalEntry[],
): Overtaken {
  const index = entries.findIndex((each) => each.id === (continues ?? id));
  const own = entries[index];
  const hasOtherSource = call.source !== source;
  if (!own) return { isOver: hasOtherSource };
  const things = thingsOf(own);
  // A write that was found late is in the journal after others that were sent later.
  const isLater = (each: JournalEntry, at: number) => at < index || (at > index && each.at > own.at);
  const later = entries
    .filter((each, at) => isLater(each, at) && [...thingsOf(each)].some((thing) => things.has(thing)))
    .map(({ tool, at }) => `${tool} of ${new Date(at).toISOString()}`);
  const more = later.length > MAX_NAMED ? ` and ${later.length - MAX_NAMED} more` : '';
  return {
    isOver: hasOtherSource || isTakenBack(own, entries),
    ...(later.length > 0 && {
      since: `The same things were written since then: ${later.slice(0, MAX_NAMED).join(', ')}${more}.`,
    }),
  };
}

/** Whether it is taken back now: taking back an undo brings the write back. */
export function isTakenBack({ takenBackBy }: JournalEntry, entries: readonly JournalEntry[]): boolean {
  const by = takenBackBy !== undefined && entries.find(({ id }) => id === takenBackBy);
  return takenBackBy !== undefined && !(by && isTakenBack(by, entries));
}

/** What is ready to be assigned changes with each amount that is budgeted. */
const READY = 'ready to assign';

/** The things that an entry has written, and those whose balances it has changed. */
const thingsOf = ({ steps }: JournalEntry): ReadonlySet<string> => new Set(steps.flatMap(thingsOfStep));

const thingsOfStep = ({ input, before = [], data, after = [] }: JournalStep): string[] => [
  ...('budgeted' in input ? [READY] : []),
  ...[data['transaction_ids'] ?? []].flat().map(String),
  // Before a creation, these are the payees that it names.
  ...before.flatMap(({ id: _, ...row }) => thingsOfRow(row)),
  ...[...Object.values(data).flat(), ...after].filter(isJsonObject).flatMap(thingsOfRow),
];

const idFields: ReadonlySet<string> = new Set(['id', 'account_id', 'transfer_account_id', 'category_id']);

function thingsOfRow({ subtransactions, ...row }: JsonObject): string[] {
  const legs = Array.isArray(subtransactions) ? subtransactions.filter(isJsonObject) : [];
  const own = Object.entries(row).flatMap(([name, value]) =>
    idFields.has(name) && typeof value === 'string' ? [value] : [],
  );
  return [...own, ...legs.flatMap(thingsOfRow)];
}
