/** Reads for the sake of a write: only an answer that is as new as any before counts. */
import { expect, test } from 'vitest';
import { CurrentReads, quietly } from '../../src/client/current-reads.ts';
import { KnowledgeWatermarks } from '../../src/client/knowledge-watermarks.ts';
import { BudgetError } from '../../src/errors.ts';
import { listAccounts } from '../../src/operations/accounts.ts';
import { AutoAdvanceClock, ManualClock } from '../manual-clock.ts';
import { ScriptedService } from './scripted-service.ts';
import { failureOf } from './sending.ts';

function start(clock: ManualClock = new AutoAdvanceClock('2026-11-21T12:00:00Z')) {
  const service = new ScriptedService();
  const watermarks = new KnowledgeWatermarks(clock);
  watermarks.recordKnowledge('b')(service.knowledge);
  const reads = new CurrentReads(service, watermarks, clock);
  const read = (signal?: AbortSignal, attempts?: number) =>
    reads.read(listAccounts, { budget_id: 'b' }, { signal }, attempts);
  return { service, clock, read };
}

test.each([
  [0, 0],
  [1, 500],
  [2, 1_500],
  [3, 3_500],
  [4, 6_500],
])(
  'After %i answers of copies that lag, the one that counts is asked for %i ms later',
  async (lagging, later) => {
    const { service, clock, read } = start();
    service.copies.push(...Array<number>(lagging).fill(99));
    const before = clock.monotonic();
    expect((await read()).server_knowledge).toBe(100);
    expect([clock.monotonic() - before, service.reads.length]).toEqual([later, lagging + 1]);
  },
);

test('Five answers of copies that lag are enough, or as many as the caller says', async () => {
  for (const [attempts, expected] of [
    [undefined, 5],
    [2, 2],
  ] as const) {
    const { service, read } = start();
    service.copies.push(...Array<number>(9).fill(99));
    const failure = await failureOf(read(undefined, attempts));
    expect(failure.code).toBe('service_unavailable');
    expect(failure.message).toContain('as it was before what it has shown already');
    expect(service.reads).toHaveLength(expected);
  }
});

test('A caller that cancels while it waits to ask again is told so', async () => {
  const { service, read } = start(new ManualClock('2026-11-21T12:00:00Z'));
  service.copies.push(99);
  const cancelling = new AbortController();
  const failure = failureOf(read(cancelling.signal));
  await new Promise((go) => setImmediate(go));
  cancelling.abort();
  expect((await failure).code).toBe('cancelled');
});

test('What can be done without is undefined where it cannot be read; a bug is none the less one', async () => {
  expect(await quietly(Promise.resolve(1))).toBe(1);
  expect(await quietly(Promise.reject(new BudgetError('timed_out', 'It failed.')))).toBeUndefined();
  const bug = new TypeError('It is broken.');
  await expect(quietly(Promise.reject(bug))).rejects.toBe(bug);
});
