import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import { RateBudget, type RateBudgetAttempt } from '../../../src/session/rate-budget/rate-budget.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { failureOf } from '../sending.helper.ts';
import { silent, tooMany, withCount } from '../spending.helper.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

function start({
  limit = 200,
  reserve = 20,
  expected,
}: {
  limit?: number;
  reserve?: number;
  expected?: readonly string[];
} = {}) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const store = new MemoryStore(clock);
  let caller: string | undefined;
  /** For requests without a caller. */
  const shared = new RateBudget({ clock, store, limit, reserve, caller: () => undefined });
  const expectedCallers = expected && (() => expected);
  const budget = new RateBudget({
    clock,
    store,
    limit,
    reserve,
    caller: () => caller,
    expectedCallers,
  });
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
    /** Starts a request that the test answers or fails. */
    begin: (who: string, effect: 'read' | 'write' = 'read') => as(who, (budget) => budget.take(effect)),
    refusal: async (who: string) => (await failureOf(as(who, (budget) => budget.take('read')))).message,
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

async function takeMany({ take }: Started, who: string | undefined, count: number): Promise<number> {
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

test('a caller that is expected has its share before it has asked', async () => {
  const started = start({ expected: ['a', 'b', 'c'] });
  expect(await takeMany(started, 'a', 230)).toBe(114);
  expect(await started.status('a')).toMatchObject({ leftForReads: 0 });
  expect(await started.status('b')).toMatchObject({ leftForReads: 33 });
  expect(await takeMany(started, 'b', 100)).toBe(33);
  started.clock.advance(HOUR);
  expect(await takeMany(started, 'c', 230)).toBe(114);
});

test('a caller that is the only one expected may use the whole hour', async () => {
  expect(await takeMany(start({ expected: ['a'] }), 'a', 230)).toBe(180);
});

test('simultaneous requests take no more than the same number of consecutive ones', async () => {
  const { take } = start();
  await take('b');
  const taken = await Promise.all(Array.from({ length: 230 }, () => take('a')));
  expect(taken.filter(Boolean)).toHaveLength(130);
});

test('a caller that is refused because of other callers gets that reason and the time of its next request', async () => {
  const started = start();
  await started.take('b');
  await takeMany(started, 'a', 80);
  started.clock.advance(10 * MINUTE);
  await takeMany(started, 'a', 100);
  const { nextReadAt } = await started.status('a');
  // Of 130 the oldest 81 have to come back before less than 50 are taken.
  expect(new Date(nextReadAt).toISOString()).toBe('2026-11-21T13:10:00.000Z');
  expect(await started.refusal('a')).toBe(
    'Other callers or other programs of the same user may use the token too, and the remaining requests of this hour are reserved for them. The next request for this caller is free at the latest in 3600 s, at 2026-11-21T13:10:00.000Z.',
  );
});

test('a caller beyond its share that may still read has the current time as its next read', async () => {
  const started = start();
  await started.take('b');
  await takeMany(started, 'a', 100);
  expect(await started.status('a')).toMatchObject({ leftForReads: 30, nextReadAt: started.clock.now() });
});

test('a single caller gets the next time and the refusals of the shared budget', async () => {
  const started = start();
  await takeMany(started, 'a', 80);
  started.clock.advance(10 * MINUTE);
  await takeMany(started, 'a', 100);
  const { nextReadAt } = await started.status('a');
  expect(nextReadAt).toBe((await started.shared.status()).nextReadAt);
  expect(new Date(nextReadAt).toISOString()).toBe('2026-11-21T13:00:00.000Z');
  expect(await started.refusal('a')).toContain('reserved for writes');
});

test('a caller within its share gets the next time of the shared budget when nothing is left', async () => {
  const started = start();
  await started.take('b');
  for (let count = 0; count < 199; count += 1) await started.take('a', 'write');
  const { nextReadAt } = await started.shared.status();
  expect(await started.status('b')).toMatchObject({ leftForReads: 0, nextReadAt });
  expect(await started.refusal('b')).toContain('used up');
});

test('a caller within its share gets the reason that nothing is left, also while others have not used theirs', async () => {
  const started = start();
  await started.take('b');
  await started.take('c');
  for (let count = 0; count < 198; count += 1) await started.take('a', 'write');
  expect(await started.refusal('b')).toContain('used up');
});

test('a caller beyond its share gets the reason that nothing is left once the others have used theirs', async () => {
  const started = start({ limit: 4, reserve: 0 });
  expect(await takeMany(started, 'b', 2)).toBe(2);
  expect(await takeMany(started, 'a', 3)).toBe(2);
  expect(await started.refusal('a')).toContain('used up');
});

test('requests without a caller do not use the share of a caller that is expected', async () => {
  const started = start({ limit: 20, reserve: 0, expected: ['a', 'b'] });
  expect(await takeMany(started, undefined, 5)).toBe(5);
  expect(await takeMany(started, 'a', 20)).toBe(10);
});

test('work that belongs to no caller is neither counted nor refused', async () => {
  const started = start();
  await started.take('b');
  await takeMany(started, 'a', 230);
  expect(await takeMany(started, undefined, 100)).toBe(49);
  expect((await started.status(undefined)).leftForReads).toBe(0);
});

test('a caller gets no more than its share when the writes of another caller have left less than all shares', async () => {
  const started = start();
  await started.take('b');
  await started.take('c');
  expect(await takeMany(started, 'a', 230)).toBe(114);
  for (let count = 0; count < 24; count += 1) await started.take('a', 'write');
  // 40 are left for reads, and 32 of them are reserved for c.
  expect(await takeMany(started, 'b', 100)).toBe(32);
});

test('what a caller has taken counts for an hour', async () => {
  const started = start();
  await started.take('b');
  expect(await takeMany(started, 'a', 230)).toBe(130);
  started.clock.advance(HOUR / 2);
  await started.take('b');
  started.clock.advance(HOUR / 2 - 1);
  expect(await started.take('a')).toBe(false);
  started.clock.advance(1);
  expect(await takeMany(started, 'a', 230)).toBe(130);
});

describe('probes', () => {
  const lockOut = async (started: Started) => {
    await started.take('b');
    await takeMany(started, 'a', 60);
    await (await started.begin('a')).answered(tooMany);
  };

  test('a read before the next probe is refused by the shared budget, which names the time of the probe', async () => {
    const started = start();
    await lockOut(started);
    expect(await started.refusal('a')).toBe(
      'The requests of this hour are used up. When the next one is free is not known: one request is tried in 60 s, at 2026-11-21T12:01:00.000Z.',
    );
  });
});

describe('requests that end', () => {
  /**
   * The reads that a caller has left of its share of 33 after 33 of its requests were ended by `end`, and the service has
   * counted `counted` of them.
   */
  async function leftOfShare(end: (attempt: RateBudgetAttempt) => Promise<void>, counted: number) {
    const started = start();
    await started.take('b');
    const attempts = [];
    for (let count = 0; count < 33; count += 1) attempts.push(await started.begin('a'));
    for (const attempt of attempts) await end(attempt);
    started.clock.advance(MINUTE);
    const probe = await started.shared.take('write');
    await probe.answered(withCount(2 + counted));
    await takeMany(started, 'c', 230);
    return takeMany(started, 'a', 230);
  }

  test.each<[string, (attempt: RateBudgetAttempt) => Promise<void>]>([
    ['is not sent', (attempt) => attempt.failed(new BudgetError('unreachable', 'It failed.'))],
    ['is refused because the hour is used up', (attempt) => attempt.answered(tooMany)],
    ['meets an error of the service', (attempt) => attempt.answered({ status: 500, headers: {} })],
  ])('a request that %s is returned to the share of its caller', async (_, end) => {
    expect(await leftOfShare(end, 0)).toBe(33);
  });

  test.each([
    ['is refused for its arguments', { ...withCount(35), status: 400 }],
    ['is answered', silent],
  ])('a request that %s counts in the share of its caller', async (_, response) => {
    expect(await leftOfShare((attempt) => attempt.answered(response), 33)).toBe(0);
  });

  test('a request that fails more than an hour after it was sent does not return a later one', async () => {
    const started = start();
    await started.take('b');
    const slow = await started.begin('a');
    started.clock.advance(HOUR);
    await started.take('b');
    await started.take('c');
    expect(await takeMany(started, 'a', 33)).toBe(33);
    await takeMany(started, 'c', 230);
    await slow.failed(new BudgetError('timed_out', 'It failed.'));
    expect(await started.take('a')).toBe(false);
  });
});

test('a write is not refused because of other callers, and it counts', async () => {
  const started = start();
  await started.take('b');
  for (let count = 0; count < 60; count += 1) expect(await started.take('a', 'write')).toBe(true);
  expect(await takeMany(started, 'a', 230)).toBe(70);
  expect(await started.take('a', 'write')).toBe(true);
});

test('a caller that has asked for nothing for an hour has no share any more', async () => {
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
        const bare = new RateBudget({ clock, limit: LIMIT, reserve: RESERVE });
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
