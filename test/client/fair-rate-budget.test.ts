import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairRateBudget } from '../../src/client/fair-rate-budget.ts';
import { type RateBudget, RollingRateBudget } from '../../src/client/rate-budget.ts';
import { ManualClock } from '../manual-clock.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

function start({ limit = 200, reserve = 20 } = {}) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const shared = new RollingRateBudget({ clock, limit, reserve });
  let caller: string | undefined;
  const budget = new FairRateBudget({ shared, clock, caller: () => caller });
  const as = <Result>(who: string | undefined, work: (budget: RateBudget) => Result): Result => {
    caller = who;
    return work(budget);
  };
  return {
    clock,
    shared,
    status: (who: string | undefined) => as(who, (budget) => budget.status()),
    /** Whether the request is allowed. It then gets a response at once. */
    take: (who: string | undefined, effect: 'read' | 'write' = 'read') =>
      as(who, (budget) => sent(budget, effect)),
  };
}

type Started = ReturnType<typeof start>;

async function sent(budget: RateBudget, effect: 'read' | 'write' = 'read'): Promise<boolean> {
  try {
    await (await budget.take(effect)).answered({ status: 200, headers: {} });
    return true;
  } catch {
    return false;
  }
}

async function takeMany({ take }: Started, who: string, count: number): Promise<number> {
  let taken = 0;
  for (let asked = 0; asked < count; asked += 1) if (await take(who)) taken += 1;
  return taken;
}

test('a caller with 230 requests leaves the other caller its share', async () => {
  const started = start();
  expect(await takeMany(started, 'b', 1)).toBe(1);
  expect(await takeMany(started, 'a', 230)).toBe(130);
  expect(await takeMany(started, 'b', 100)).toBe(49);
});

test('simultaneous requests take no more than the same number of consecutive ones', async () => {
  const { take } = start();
  await take('b');
  const taken = await Promise.all(Array.from({ length: 230 }, () => take('a')));
  expect(taken.filter(Boolean)).toHaveLength(130);
});

test('a caller that is refused because of other callers gets an error that says so and when the next request is free', async () => {
  const started = start();
  await started.take('b');
  await takeMany(started, 'a', 80);
  started.clock.advance(10 * MINUTE);
  await takeMany(started, 'a', 100);
  const refusal = started.status('a').then(({ nextReadAt }) => new Date(nextReadAt).toISOString());
  // Of 130 requests the oldest 81 must become free before less than 50 are used.
  expect(await refusal).toBe('2026-11-21T13:10:00.000Z');
  await expect(started.take('a')).resolves.toBe(false);
});

test('a request without a caller is neither counted nor refused', async () => {
  const started = start();
  await started.take('b');
  await takeMany(started, 'a', 230);
  expect(await started.take(undefined)).toBe(true);
  expect((await started.status(undefined)).leftForReads).toBe(48);
});

test('a write is not refused because of other callers, and it counts', async () => {
  const started = start();
  await started.take('b');
  for (let count = 0; count < 60; count += 1) expect(await started.take('a', 'write')).toBe(true);
  expect(await takeMany(started, 'a', 230)).toBe(70);
  expect(await started.take('a', 'write')).toBe(true);
});

test('a caller without requests for an hour has no share', async () => {
  const started = start();
  await started.take('b');
  await takeMany(started, 'a', 130);
  expect(await started.take('a')).toBe(false);
  started.clock.advance(HOUR);
  expect(await takeMany(started, 'a', 200)).toBe(180);
});

test('a caller that begins when everything is used gets the first requests that become free', async () => {
  const started = start();
  for (let minute = 0; minute < 60; minute += 1) {
    expect(await takeMany(started, 'a', 3)).toBe(3);
    started.clock.advance(MINUTE);
  }
  await takeMany(started, 'a', 3);
  expect(await started.take('b')).toBe(false);
  let ofB = 0;
  for (let minute = 0; minute < 20; minute += 1) {
    started.clock.advance(MINUTE);
    await takeMany(started, 'a', 5);
    ofB += await takeMany(started, 'b', 5);
  }
  expect(ofB).toBeGreaterThanOrEqual(50);
});

const LIMIT = 20;
const RESERVE = 4;
const asks = fc.array(fc.record({ who: fc.constantFrom('a', 'b', 'c', 'd'), minutes: fc.nat(2) }), {
  maxLength: 150,
});

describe('in any order of callers', () => {
  test('every caller that was active from the start gets at least its share, or everything that it requested', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat(3), { maxLength: 80 }),
        async (n, order) => {
          const { take } = start({ limit: LIMIT, reserve: RESERVE });
          const all = [...Array.from({ length: n }, (_, who) => who), ...order.map((who) => who % n)];
          const asked = new Map<number, number>();
          const got = new Map<number, number>();
          for (const who of all) {
            asked.set(who, (asked.get(who) ?? 0) + 1);
            if (await take(String(who))) got.set(who, (got.get(who) ?? 0) + 1);
          }
          const share = Math.floor(LIMIT / 2 / n);
          for (const [who, count] of asked)
            expect(got.get(who)).toBeGreaterThanOrEqual(Math.min(count, share));
        },
      ),
    );
  });

  test('a single caller gets what it would get without shares', async () => {
    await fc.assert(
      fc.asyncProperty(asks, async (all) => {
        const { take, clock } = start({ limit: LIMIT, reserve: RESERVE });
        const bare = new RollingRateBudget({ clock, limit: LIMIT, reserve: RESERVE });
        for (const { minutes } of all) {
          clock.advance(minutes * MINUTE);
          expect(await take('a')).toBe(await sent(bare));
        }
      }),
    );
  });

  test('a caller can read as often as its status says, and not more often', async () => {
    await fc.assert(
      fc.asyncProperty(asks, async (all) => {
        const started = start({ limit: LIMIT, reserve: RESERVE });
        for (const { who, minutes } of all) {
          started.clock.advance(minutes * MINUTE);
          await started.take(who);
        }
        const who = all.at(-1)?.who ?? 'a';
        const { leftForReads } = await started.status(who);
        expect(await takeMany(started, who, LIMIT)).toBe(leftForReads);
      }),
    );
  });
});
