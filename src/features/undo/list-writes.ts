/** Lists what this server has written for the caller, so that `undo` can take it back. */
import { z } from 'zod';
import { counted, firstOf, joinParts, joinWords, word } from '../../answers/text.ts';
import { defineTool } from '../../answers/tool.ts';
import { budgetId, rangeStart } from '../../base/schema/fields.ts';
import type { TakeBack } from '../../operations/reversal.ts';
import type { JournalEntry } from '../../session/writes/journal.ts';
import { readEntry, takenBackIn } from './entry-to-undo.ts';
import { describeReversals, isOfBank, takeBack } from './take-back.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
const MAX_TARGETS = 3;

const input = z.strictObject({
  budget_id: budgetId,
  since: rangeStart.optional(),
  limit: z.int().min(1).max(MAX_LIMIT).optional(),
});

const output = z.object({
  total: z.int(),
  writes: z.array(
    z.object({
      id: z.string(),
      at: z.string(),
      tool: z.string(),
      /** Why it cannot be taken back. */
      problem: z.string().optional(),
      takes_back: z.string().optional(),
      taken_back_by: z.string().optional(),
    }),
  ),
});

interface ListedWrite {
  readonly entry: JournalEntry;
  readonly found: TakeBack;
}

export const listWrites = defineTool({
  name: 'list_writes',
  title: 'List writes',
  description:
    'What this server (you) wrote or changed since when, a history of changes, newest first, and how undo would revert it.',
  kind: 'read',
  isAboutServer: true,
  input,
  output,
  example: {},
  async run(call, { since, limit = DEFAULT_LIMIT }) {
    const all = await call.journal();
    const recent = all.filter(({ at }) => since === undefined || call.dayOf(at) >= since);
    const entries = recent
      .slice(0, limit)
      .map((each) => ({ ...each, takenBackBy: takenBackIn(each, all) }))
      .map((entry) => {
        const found = takeBack(entry, isOfBank(entry, all));
        return { entry, found: 'impossible' in found ? found : readEntry(all, entry.id).rest };
      });
    return { data: { total: recent.length, writes: entries.map(dataOf) }, entries };
  },
  text: ({ entries, data: { total } }, context) => ({
    heading: [joinWords(counted(total, 'write'), entries.length < total && `(${entries.length} shown)`)],
    lines: entries.map(({ entry: { id, at, tool, takesBack }, found }) => {
      const changes =
        'impossible' in found
          ? `cannot be undone: ${found.impossible}`
          : `undo ${firstOf(describeReversals(found.reversals, context), MAX_TARGETS).join(', ')}`;
      return joinParts(id, word(isoTime(at)), tool, takesBack && `takes back ${takesBack}`, changes);
    }),
  }),
});

const isoTime = (milliseconds: number) => new Date(milliseconds).toISOString();

function dataOf({ entry, found }: ListedWrite) {
  const { id, at, tool, takesBack, takenBackBy } = entry;
  return {
    id,
    at: isoTime(at),
    tool,
    ...('impossible' in found && { problem: found.impossible }),
    ...(takesBack !== undefined && { takes_back: takesBack }),
    ...(takenBackBy !== undefined && { taken_back_by: takenBackBy }),
  };
}
