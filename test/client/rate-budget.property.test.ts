/** The rate budget against the service's own window, with requests that overtake each other and get lost. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RateBudgetAttempt, RollingRateBudget } from '../../src/client/rate-budget.ts';
import { LONGEST_REQUEST_MS } from '../../src/client/rate-ledger.ts';
import { BudgetError } from '../../src/errors.ts';
import { Access } from '../../src/service/access.ts';
import { RateLimit } from '../../src/service/rate-limit.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { HOUR, mostInAnHour } from './simulated-day.helper.ts';
import { MINUTE } from './spending.helper.ts';

const LIMIT = 8;
const RESERVE = 3;

/** Each step moves one request on: to the service, into its count, back to the client, or into loss. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('take'), read: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('arrive'), pick: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('end'),
      pick: fc.nat(),
      lost: fc.boolean(),
      header: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('wait'),
      minutes: fc.integer({ min: 0, max: 25 }),
      /** How the requests end that cannot be in progress any longer. */
      lost: fc.boolean(),
      header: fc.boolean(),
    }),
  },
);
const other = fc.record({ what: fc.constant('other') });
type Step = typeof step | typeof other extends fc.Arbitrary<infer T> ? T : never;

interface Travelling {
  readonly takenAt: number;
  readonly attempt: RateBudgetAttempt;
  readonly effect: 'read' | 'write';
  /** It was allowed although no requests seemed to be left. */
  readonly isProbe: boolean;
  /** The response of the service. 0 is a refusal. */
  count?: number;
}

async function run(steps: readonly Step[]) {
  const clock = new ManualClock(0);
  const rateLimit = new RateLimit(LIMIT, clock);
  const grant = { user: new Access(clock).addUser([]) };
  const rateBudget = new RollingRateBudget({ clock, limit: LIMIT, reserve: RESERVE });
  const reads: number[] = [];
  const all: number[] = [];
  const probes: number[] = [];
  let refused = 0;
  /** Probes that were counted before another request that had been sent earlier. */
  let overtaking = 0;
  let travelling: Travelling[] = [];

  async function end(request: Travelling, { lost, header }: { lost: boolean; header: boolean }) {
    travelling = travelling.filter((each) => each !== request);
    const headers = header && request.count ? { 'x-rate-limit': `${request.count}/${LIMIT}` } : {};
    if (request.count === undefined)
      await request.attempt.failed(new BudgetError(lost ? 'timed_out' : 'unreachable', 'It failed.'));
    else if (lost) await request.attempt.failed(new BudgetError('connection_lost', 'It failed.'));
    else await request.attempt.answered({ status: request.count === 0 ? 429 : 200, headers });
  }

  for (const step of steps) {
    if (step.what === 'wait' && 'minutes' in step) {
      const waitMs = step.minutes * MINUTE + 1;
      for (const request of travelling)
        if (request.takenAt + LONGEST_REQUEST_MS <= clock.now() + waitMs) await end(request, step);
      clock.advance(waitMs);
    }
    if (step.what === 'other') rateLimit.take(grant);
    if (step.what === 'take' && 'read' in step) {
      const effect = step.read ? 'read' : 'write';
      const { left, leftForReads } = await rateBudget.status();
      const isProbe = (step.read ? leftForReads : left) === 0;
      const attempt = await rateBudget.take(effect).catch(() => undefined);
      if (attempt && isProbe) probes.push(clock.now());
      if (attempt) travelling.push({ takenAt: clock.now(), attempt, effect, isProbe });
    }
    if (!('pick' in step)) continue;
    const request = travelling[step.pick % travelling.length];
    if (!request) continue;
    if (step.what === 'arrive' && request.count === undefined) {
      request.count = rateLimit.take(grant) ?? 0;
      const isAdmitted = request.count > 0;
      if (isAdmitted) all.push(clock.now());
      if (!isAdmitted && !request.isProbe) refused += 1;
      if (isAdmitted && request.isProbe && travelling.some(({ count }) => count === undefined))
        overtaking += 1;
      if (isAdmitted && !request.isProbe && request.effect === 'read') reads.push(clock.now());
    }
    if ('lost' in step) await end(request, step);
  }
  return { clock, rateLimit, grant, rateBudget, refused, overtaking, reads, all, probes, travelling };
}

const alone = fc.array(step, { maxLength: 120, minLength: 20, size: 'max' });
const withOthers = fc.array(fc.oneof({ weight: 6, arbitrary: step }, { weight: 1, arbitrary: other }), {
  maxLength: 120,
  minLength: 20,
  size: 'max',
});

describe('in any rolling hour, with any losses, delays, overtaking and missing counts', () => {
  it('no request exceeds the limit, except a probe or one whose place a probe took, while no other process sends and fewer than ten are doubtful', async () => {
    await fc.assert(
      fc.asyncProperty(alone, async (steps) => {
        const { refused, overtaking, all } = await run(steps);
        expect(refused).toBeLessThanOrEqual(overtaking);
        expect(mostInAnHour(all)).toBeLessThanOrEqual(LIMIT);
      }),
      { numRuns: 300 },
    );
  });

  it('probes are at least a minute apart, also if others send requests', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(withOthers, async (steps) => {
        const { probes } = await run(steps);
        count += probes.length;
        for (const [i, at] of probes.slice(1).entries())
          expect(at - (probes[i] ?? expect.unreachable())).toBeGreaterThanOrEqual(MINUTE);
      }),
      { numRuns: 300 },
    );
    expect(count).toBeGreaterThan(50);
  });

  it('no request exceeds the limit, and no probe is needed, if every response arrives and has the count', async () => {
    const honest = alone.map((steps) =>
      steps.map((each) => ('lost' in each ? { ...each, lost: false, header: true } : each)),
    );
    await fc.assert(
      fc.asyncProperty(honest, async (steps) => {
        const { refused, probes } = await run(steps);
        expect({ refused, probes }).toEqual({ refused: 0, probes: [] });
      }),
      { numRuns: 300 },
    );
  });

  it('reads other than probes leave the reserve to writes, also if others send requests', async () => {
    await fc.assert(
      fc.asyncProperty(withOthers, async (steps) => {
        const { reads } = await run(steps);
        expect(mostInAnHour(reads)).toBeLessThanOrEqual(LIMIT - RESERVE);
      }),
      { numRuns: 300 },
    );
  });

  it('some requests always become free within an hour of the last response', async () => {
    await fc.assert(
      fc.asyncProperty(withOthers, async (steps) => {
        const { clock, rateBudget, travelling } = await run(steps);
        for (const { attempt } of travelling) await attempt.failed(new Error('It failed.'));
        const { allBackAt, nextReadAt, nextWriteAt, returnsAt } = await rateBudget.status();
        expect(allBackAt).toBeLessThanOrEqual(clock.now() + HOUR);
        expect(nextReadAt).toBeLessThanOrEqual(allBackAt);
        expect(nextWriteAt).toBeLessThanOrEqual(nextReadAt);
        expect(returnsAt.length).toBeLessThanOrEqual(LIMIT);
        clock.advance(allBackAt - clock.now());
        expect(await rateBudget.status()).toMatchObject({ used: 0, leftForReads: LIMIT - RESERVE });
      }),
    );
  });
});

describe('a response while no other request is in progress', () => {
  it('after a response without other requests in progress the used count is not lower than the response shows', async () => {
    await fc.assert(
      fc.asyncProperty(withOthers, async (steps) => {
        const { clock, rateLimit, grant, rateBudget, travelling } = await run(steps);
        for (const { attempt } of travelling) await attempt.failed(new Error('It failed.'));
        clock.advance((await rateBudget.status()).nextWriteAt - clock.now() + 1);
        const attempt = await rateBudget.take('write');
        const count = rateLimit.take(grant);
        const headers = count === undefined ? {} : { 'x-rate-limit': `${count}/${LIMIT}` };
        await attempt.answered({ status: count === undefined ? 429 : 200, headers });
        const { used } = await rateBudget.status();
        expect(used).toBeGreaterThanOrEqual(count ?? LIMIT);
      }),
    );
  });

  it('after a response without other requests in progress the used count is what the response shows, if requests take no time', async () => {
    const step = fc.record({ wait: fc.integer({ min: 1, max: HOUR / 3 }), others: fc.nat({ max: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = new ManualClock(0);
        const rateLimit = new RateLimit(LIMIT, clock);
        const grant = { user: new Access(clock).addUser([]) };
        const rateBudget = new RollingRateBudget({ clock, limit: LIMIT, reserve: RESERVE });
        for (const { wait, others } of steps) {
          clock.advance(wait);
          for (let i = 0; i < others; i += 1) rateLimit.take(grant);
          const attempt = await rateBudget.take('write').catch(() => undefined);
          if (!attempt) continue;
          const count = rateLimit.take(grant);
          const headers = count === undefined ? {} : { 'x-rate-limit': `${count}/${LIMIT}` };
          await attempt.answered({ status: count === undefined ? 429 : 200, headers });
          expect(await rateBudget.status()).toMatchObject({ used: count ?? LIMIT });
        }
      }),
    );
  });
});
