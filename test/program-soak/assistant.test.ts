import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { Random } from '../../src/service/demo-data/random.ts';
import { addTransaction } from '../../src/service/ledger/transactions.ts';
import type { Called } from '../hosts.helper.ts';
import { Assistant } from './assistant.helper.ts';
import { type Finding, NOTHING_WRONG } from './judgement.helper.ts';
import { Truth } from './truth.helper.ts';

const entered = z.object({
  transactions: z.array(
    z.object({ account_id: z.string(), date: z.string(), amount: z.number(), memo: z.string() }),
  ),
});

const WISHES = 20;

const answer = (text: string, structured = {}, isError = false): Called => ({ text, structured, isError });

/** Enters the first fields of the rows only, and nothing of transfers, splits, changes and deletions. */
function enterInPart(truth: Truth, args: unknown): void {
  const { success, data } = entered.safeParse(args);
  if (!success) return;
  const [ledger] = truth.service.user.ledgers;
  for (const { account_id: name, amount, ...row } of data.transactions) {
    const account_id = ledger?.accounts().find((account) => account.name === name)?.id ?? '';
    ledger?.commit((books) =>
      addTransaction(books, { ...row, account_id, amount: Math.round(amount * 1_000) }),
    );
  }
}

/** What an assistant finds that calls a program which does `call`. */
async function findingsWith(call: (truth: Truth, tool: string, args: unknown) => Called) {
  const truth = await Truth.start(() => {});
  onTestFinished(() => truth.service.close());
  const found: Record<Finding, number> = { ...NOTHING_WRONG };
  const assistant = new Assistant({
    nth: 0,
    random: new Random(1),
    place: { windows: 1, call: async (_, tool, args) => call(truth, tool, args) },
    truth,
    longestPauseMs: 0,
    log: () => {},
    onFinding: (finding, count) => {
      found[finding] += count;
    },
  });
  assistant.limitPatience(0);
  await assistant.work(() => assistant.counts.wishes >= WISHES);
  assistant.judge();
  return found;
}

test('an assistant finds what was acknowledged and never written', async () => {
  const found = await findingsWith(() => answer('Written.'));
  expect(found).toMatchObject({ lost: expect.any(Number), twiceUnreported: 0, deniedWrongly: 0 });
  expect(found.lost).toBeGreaterThan(0);
  expect(found.claimedWrongly).toBeGreaterThan(0);
});

test('an assistant finds a row that lacks some of its fields, and an answer without it', async () => {
  const found = await findingsWith((truth, tool, args) => {
    if (tool === 'find_transactions') return answer('None.', { transactions: [], freshness: {} });
    enterInPart(truth, args);
    return answer('Written.');
  });
  expect(found).toMatchObject({ twiceUnreported: 0, deniedWrongly: 0 });
  for (const finding of ['lost', 'claimedWrongly', 'olderThanOwnWrite'] as const)
    expect(found[finding], finding).toBeGreaterThan(0);
});

test('an assistant finds what was written twice, and what is called not written although it was', async () => {
  const found = await findingsWith((truth, _, args) => {
    enterInPart(truth, args);
    enterInPart(truth, args);
    return answer('This call changed nothing.', {}, true);
  });
  expect(found).toMatchObject({ lost: 0, claimedWrongly: 0, olderThanOwnWrite: 0 });
  expect(found.twiceUnreported).toBeGreaterThan(0);
  expect(found.deniedWrongly).toBeGreaterThan(0);
});
