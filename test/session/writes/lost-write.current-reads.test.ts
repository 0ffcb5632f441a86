/** Reads for a write, which use only a response that is as new as all responses before. */
import { expect, test } from 'vitest';
import { listAccounts } from '../../../src/operations/accounts.ts';
import { Watermarks } from '../../../src/session/freshness/watermarks.ts';
import { CurrentReads } from '../../../src/session/writes/lost-write.ts';
import { AutoAdvanceClock, ManualClock } from '../../manual-clock.helper.ts';
import { ScriptedService } from '../scripted-service.helper.ts';
import { failureOf } from '../sending.helper.ts';

/** As an older service answers it. */
const withoutKnowledge = { ...listAccounts, output: listAccounts.output.omit({ server_knowledge: true }) };

function start(clock: ManualClock = new AutoAdvanceClock('2026-11-21T12:00:00Z')) {
  const service = new ScriptedService();
  const watermarks = new Watermarks(clock);
  watermarks.beginRequest('b')(service.knowledge);
  const reads = new CurrentReads(service, watermarks, clock);
  const read = (signal?: AbortSignal, attempts?: number) =>
    reads.read(listAccounts, { budget_id: 'b' }, { signal }, attempts);
  const readOlder = () => reads.read(withoutKnowledge, { budget_id: 'b' });
  return { service, clock, read, readOlder };
}

test.each([
  [0, 0],
  [1, 500],
  [2, 1_500],
  [3, 3_500],
  [4, 6_500],
])(
  'after %i responses of lagging copies, the current response is requested %i ms later',
  async (lagging, later) => {
    const { service, clock, read } = start();
    service.copies.push(...Array<number>(lagging).fill(99));
    const before = clock.monotonic();
    expect((await read()).server_knowledge).toBe(100);
    expect([clock.monotonic() - before, service.reads.length]).toEqual([later, lagging + 1]);
  },
);

test('a read fails after five responses of lagging copies, or after the number that the caller gives', async () => {
  for (const [attempts, expected] of [
    [undefined, 5],
    [2, 2],
  ] as const) {
    const { service, read } = start();
    service.copies.push(...Array<number>(9).fill(99));
    const failure = await failureOf(read(undefined, attempts));
    expect(failure.code).toBe('service_unavailable');
    expect(failure.message).toContain('an older state of the budget than before');
    expect(service.reads).toHaveLength(expected);
  }
});

test('a response without a knowledge is used, and a later one of a lagging copy is still noticed', async () => {
  const { service, read, readOlder } = start();
  expect(await readOlder()).toEqual({ accounts: [] });
  service.copies.push(99);
  expect((await read()).server_knowledge).toBe(100);
  expect(service.reads).toHaveLength(3);
});

test('a caller that cancels before the read is repeated gets the error cancelled', async () => {
  const { service, read } = start(new ManualClock('2026-11-21T12:00:00Z'));
  service.copies.push(99);
  const cancelling = new AbortController();
  const failure = failureOf(read(cancelling.signal));
  await new Promise((resolve) => setImmediate(resolve));
  cancelling.abort();
  expect((await failure).code).toBe('cancelled');
});
