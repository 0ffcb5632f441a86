/**
 * Several HTTP callers share one rate budget that is locked: by a 429 that requests of this process do not explain, or by
 * requests that the service may not have counted. The duration of such a lockout is unknown, so it must be probed.
 */
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BudgetError } from '../../../src/base/errors.ts';
import { RateBudget, type RateBudgetAttempt } from '../../../src/session/rate-budget/rate-budget.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { HOUR, MINUTE, SECOND, silent, start as startedAt, tooMany, withCount } from '../spending.helper.ts';

const unavailable = { status: 503, headers: {} };
const lost = new BudgetError('connection_lost', 'The connection broke off.');

type Effect = 'read' | 'write';
/** How an attempt ends. */
type End = (attempt: RateBudgetAttempt) => Promise<void>;

const answered =
  (response: Parameters<RateBudgetAttempt['answered']>[0]): End =>
  (attempt) =>
    attempt.answered(response);
const failed: End = (attempt) => attempt.failed(lost);

/** Cases in which it is unknown whether the service counted a request. */
const refusals: readonly (readonly [name: string, end: End])[] = [
  ['answered with 503', answered(unavailable)],
  ['answered with 429', answered(tooMany)],
  ['lost', failed],
];

function start() {
  const clock = new ManualClock(startedAt);
  let caller = '';
  const budget = new RateBudget({ clock, caller: () => caller });
  /** Whether the request is allowed. */
  const take = async (who: string, end: End = answered(silent), effect: Effect = 'read') => {
    caller = who;
    const attempt = await budget.take(effect).catch((error: unknown) => {
      if (!(error instanceof BudgetError) || error.code !== 'rate_budget_spent') throw error;
      return undefined;
    });
    if (attempt) await end(attempt);
    return attempt !== undefined;
  };
  const takeMany = async (who: string, times: number, end?: End) => {
    let taken = 0;
    for (let asked = 0; asked < times; asked += 1) if (await take(who, end)) taken += 1;
    return taken;
  };
  const status = (who: string) => {
    caller = who;
    return budget.status();
  };
  return { clock, take, takeMany, status };
}

/** The service has just given its count, so no request that is doubtful because of the 429 becomes free early. */
async function startLocked() {
  const started = start();
  await started.take('b', answered(withCount(1)));
  await started.take('c', answered(withCount(2)));
  await started.take('a', answered(tooMany));
  return started;
}

const asks = fc.array(fc.record({ who: fc.constantFrom('a', 'b', 'c'), isWrite: fc.boolean() }), {
  minLength: 1,
  maxLength: 40,
});

test('a lockout by a 429 is probed once a minute, whichever callers send requests', async () => {
  await fc.assert(
    fc.asyncProperty(asks, async (order) => {
      const { clock, take } = await startLocked();
      const sentAt: number[] = [];
      for (let asked = 0; clock.monotonic() < 5 * MINUTE; asked += 1) {
        clock.advance(10 * SECOND);
        const { who = 'a', isWrite = false } = order[asked % order.length] ?? {};
        const isSent = await take(who, answered(tooMany), isWrite ? 'write' : 'read');
        if (isSent) sentAt.push(clock.monotonic() / MINUTE);
      }
      expect(sentAt).toEqual([1, 2, 3, 4, 5]);
    }),
    { numRuns: 30 },
  );
});

test.each(refusals.filter(([name]) => name !== 'answered with 429'))(
  'a lockout by requests that were %s is probed once a minute, whichever caller sends requests',
  async (_, end) => {
    const { clock, take, takeMany } = start();
    await takeMany('b', 1);
    await takeMany('a', 200, end);
    for (let minute = 0; minute < 5; minute += 1) {
      clock.advance(MINUTE - 1);
      for (const who of ['a', 'b', 'c']) expect(await take(who)).toBe(false);
      clock.advance(1);
      const order = ['c', 'b', 'a'].slice(minute % 3);
      const [first = 'a', ...rest] = [...order, 'a'];
      expect(await take(first, end)).toBe(true);
      for (const who of rest) expect(await take(who)).toBe(false);
    }
  },
);

test('of many simultaneous callers when a probe is due, one is allowed', async () => {
  const { clock, take } = await startLocked();
  clock.advance(MINUTE);
  const callers = Array.from({ length: 20 }, (_, nth) => `caller ${nth}`);
  const sent = await Promise.all(callers.map((who) => take(who, answered(tooMany))));
  expect(sent.filter(Boolean)).toHaveLength(1);
});

test('the response to one caller’s probe ends the lockout for all callers', async () => {
  const { clock, take, takeMany } = await startLocked();
  clock.advance(MINUTE);
  expect(await take('b')).toBe(true);
  clock.advance(MINUTE);
  expect(await take('c', answered(withCount(5)))).toBe(true);
  for (const who of ['a', 'b', 'c']) expect(await takeMany(who, 30)).toBe(30);
});

test.each(refusals)(
  'a caller whose requests were all %s has its share when the service is back',
  async (_, end) => {
    const { clock, take, takeMany } = start();
    // The other caller is active as well, so half of the limit is divided between the two.
    await take('b', answered(withCount(1)));
    // All of them are in progress when the first one is refused.
    let refuse = () => {};
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    const asked = Array.from({ length: 130 }, () => take('a', (attempt) => refused.then(() => end(attempt))));
    await setImmediate();
    refuse();
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(130);
    clock.advance(MINUTE);
    // Other callers have used all requests except those reserved for callers that have not used their share.
    expect(await take('b', answered(withCount(130)))).toBe(true);
    expect(await takeMany('a', 130)).toBe(50);
  },
);

test('a caller that has used its share may probe a lockout like any other caller, and its status says when', async () => {
  const { clock, take, takeMany, status } = start();
  await take('b', answered(withCount(1)));
  await takeMany('a', 60);
  expect(await take('a', answered(tooMany))).toBe(true);
  clock.advance(MINUTE - 1);
  expect(await take('a')).toBe(false);
  expect((await status('a')).nextReadAt).toBe(clock.now() + 1);
  clock.advance(1);
  expect(await take('a', answered(withCount(62)))).toBe(true);
});

test('the status of a caller that begins during a lockout says when the next probe is due', async () => {
  const { clock, take, status } = await startLocked();
  expect(await take('d')).toBe(false);
  expect(await status('d')).toMatchObject({ leftForReads: 0, nextReadAt: clock.now() + MINUTE });
  clock.advance(HOUR);
  expect(await take('d')).toBe(true);
});
