import { expect, it } from 'vitest';
import { z } from 'zod';
import { withPresentIds } from '../../../src/features/undo/entered-again.ts';
import { takeBack } from '../../../src/features/undo/take-back.ts';
import type { JournalEntry } from '../../../src/session/writes/journal.ts';
import { household } from '../writing-household.helper.ts';

const MEMOS = ['first', 'second', 'third'];

/** Three transactions that were created, deleted by an undo, and entered again by an undo of that. */
async function enteredAgain() {
  const it = await household();
  await it.done('create_transactions', {
    transactions: MEMOS.map((memo) => ({ account_id: 'Checking', date: '2026-11-20', amount: -1, memo })),
  });
  const idsNow = () =>
    MEMOS.map((memo) => it.ledger.transactions(undefined).find((row) => row.memo === memo)?.id);
  const idsBefore = idsNow();
  await it.done('undo');
  const [undo] = await it.client.begin().journal();
  await it.done('undo', { write: undo?.id });
  const entries = await it.client.begin().journal();
  return { entries, idsBefore, idsNow: idsNow() };
}

/** The ids under which the creation is taken back, in the order of its rows. */
function idsToDelete(entries: readonly JournalEntry[]): unknown[] {
  const creation = entries.at(-1) ?? expect.unreachable('it is the first write');
  const found = takeBack({ steps: withPresentIds(entries)(creation).steps });
  const { reversals } = z
    .object({ reversals: z.array(z.object({ input: z.object({ transaction_id: z.string() }) })) })
    .parse(found);
  return reversals.map(({ input }) => input.transaction_id);
}

it('each row of a batch that was entered again has the id of its own copy', async () => {
  const { entries, idsNow } = await enteredAgain();
  expect(idsToDelete(entries)).toEqual(idsNow);
});

it('a row whose copy the journal lost keeps its id, and others have those of their own copies', async () => {
  const { entries, idsBefore, idsNow } = await enteredAgain();
  const [undoOfUndo, ...rest] = entries;
  const [lost, ...steps] = undoOfUndo?.steps ?? [];
  expect(lost?.input).toMatchObject({ transactions: [{ memo: 'third' }] });
  const remaining = undoOfUndo ? [{ ...undoOfUndo, steps }, ...rest] : [];
  expect(idsToDelete(remaining)).toEqual([idsNow[0], idsNow[1], idsBefore[2]]);
});

it('entries that were taken back and cannot be read do not keep others from being read', async () => {
  const { entries } = await enteredAgain();
  const [undoOfUndo, undo, ...rest] = entries;
  const unreadable = undo && { ...undo, steps: undo.steps.map((step) => ({ ...step, before: [{}] })) };
  expect(() => takeBack({ steps: unreadable?.steps ?? [] })).toThrow(z.ZodError);
  const all = undoOfUndo && unreadable ? [undoOfUndo, unreadable, ...rest] : [];
  const creation = rest[0] ?? expect.unreachable('it is the first write');
  expect(withPresentIds(all)(creation)).toEqual(creation);
});
