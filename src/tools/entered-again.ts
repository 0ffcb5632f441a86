/**
 * What was deleted and entered again by `undo` has a new id. Earlier writes of the same thing are taken back under that one.
 */
import type { JsonObject } from '../platform/json.ts';
import type { JournalEntry, JournalStep } from '../writes/journal.ts';
import { takeBack } from './take-back.ts';

/** The entry with the ids that things have now. `entries` is the whole journal, newest first. */
export function withPresentIds(entries: readonly JournalEntry[]): (entry: JournalEntry) => JournalEntry {
  const presentIds = new Map<string, string>();
  const byId = new Map(entries.map((each) => [each.id, each]));
  const present = (entry: JournalEntry) => (presentIds.size === 0 ? entry : replaceIds(entry, presentIds));
  for (const { takesBack, steps } of entries.toReversed()) {
    const takenBack = byId.get(takesBack ?? '');
    if (!takenBack) continue;
    for (const [deleted, entered] of newIds(present(takenBack), steps)) {
      for (const [id, latest] of presentIds) if (latest === deleted) presentIds.set(id, entered);
      if (deleted !== entered) presentIds.set(deleted, entered);
    }
  }
  return present;
}

/** `done` are the steps that took the entry back, or its first ones if it was taken back in part. */
function newIds({ steps }: JournalEntry, done: readonly JournalStep[]) {
  const found = takeBack({ steps });
  const open = 'impossible' in found ? [] : [...found.reversals];
  return done.flatMap(({ operation, data }) => {
    // A reversal that had nothing to do was left out.
    while (open[0] && open[0].operation !== operation) open.shift();
    const reversal = open.shift();
    open.unshift(...(reversal?.followUps?.(data) ?? []));
    return reversal?.newIds?.(data) ?? [];
  });
}

function replaceIds(entry: JournalEntry, ids: ReadonlyMap<string, string>): JournalEntry {
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return ids.get(value) ?? value;
    if (Array.isArray(value)) return value.map(replaced);
    return typeof value === 'object' && value !== null ? row({ ...value }) : value;
  };
  const row = (fields: JsonObject) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, replaced(value)]));
  const steps = entry.steps.map((step) => ({
    ...step,
    input: row(step.input),
    data: row(step.data),
    before: step.before?.map(row),
    after: step.after?.map(row),
  }));
  return { ...entry, steps };
}
