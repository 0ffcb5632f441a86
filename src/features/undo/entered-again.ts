/**
 * What was deleted and entered again by `undo` has a new id. Earlier writes of the same thing are taken back under that one.
 * Where the journal does not show which id has become which, they refer to something that was deleted.
 */
import { z } from 'zod';
import { canonicalJson, isJsonObject, type JsonObject } from '../../base/json.ts';
import type { IdChange, Reversal } from '../../operations/reversal.ts';
import type { JournalEntry, JournalStep } from '../../session/writes/journal.ts';
import { takeBack } from './take-back.ts';

/** Returns a function that gives an entry the ids that its things have now. `entries` is the whole journal, newest first. */
export function withPresentIds(entries: readonly JournalEntry[]): (entry: JournalEntry) => JournalEntry {
  const newIds = new Map<string, string>();
  const byId = new Map(entries.map((each) => [each.id, each]));
  for (const { takesBack, steps } of entries.toReversed()) {
    const takenBack = byId.get(takesBack ?? '');
    if (!takenBack) continue;
    // It was taken back under the ids that its things had until then.
    for (const { deleted, entered } of idChanges(replaceIds(takenBack, newIds), steps)) {
      for (const [id, latest] of newIds) if (latest === deleted) newIds.set(id, entered);
      newIds.set(deleted, entered);
    }
  }
  return (entry) => replaceIds(entry, newIds);
}

/** `done` are the steps that took the entry back. Some may be missing, if the journal lost them. */
function idChanges(entry: JournalEntry, done: readonly JournalStep[]): IdChange[] {
  try {
    const found = takeBack({ steps: entry.steps });
    if ('impossible' in found) return [];
    const open = found.reversals.map((reversal) => ({ reversal, request: requestOf(reversal) }));
    return done.flatMap(({ operation, input: { budget_id: _, ...input }, data }) => {
      const request = requestOf({ operation, input });
      const at = open.findIndex((each) => each.request === request);
      const [sent] = at === -1 ? [] : open.splice(at, 1);
      return (sent?.reversal.idChanges?.(data) ?? []).filter(({ deleted, entered }) => deleted !== entered);
    });
  } catch (error) {
    // Another version of this program wrote it.
    if (error instanceof z.ZodError) return [];
    throw error;
  }
}

const requestOf = ({ operation, input }: Pick<Reversal, 'operation' | 'input'>): string =>
  canonicalJson([operation, input]);

/** Such as `transaction_id` and `transfer_transaction_id`. */
const isId = (field: string): boolean => field === 'id' || /transaction_ids?$/.test(field);

function replaceIds(entry: JournalEntry, newIds: ReadonlyMap<string, string>): JournalEntry {
  if (newIds.size === 0) return entry;
  const replaced = (field: string, value: unknown): unknown => {
    if (typeof value === 'string') return isId(field) ? (newIds.get(value) ?? value) : value;
    if (Array.isArray(value)) return value.map((each) => replaced(field, each));
    return isJsonObject(value) ? row(value) : value;
  };
  const row = (fields: JsonObject) =>
    Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, replaced(field, value)]));
  const steps = entry.steps.map((step) => ({
    ...step,
    input: row(step.input),
    data: row(step.data),
    before: step.before?.map(row),
    after: step.after?.map(row),
  }));
  return { ...entry, steps };
}
