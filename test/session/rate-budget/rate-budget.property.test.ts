/** The rate budgets of several processes against the service's own window, with requests that overtake each other and get lost. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Access } from '../../../src/service/access.ts';
import { RateLimit } from '../../../src/service/rate-limit.ts';
import { RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { countingService, startMachine, takeIfAllowed } from '../asking-processes.helper.ts';
import {
  alone,
  LIMIT,
  RESERVE,
  run,
  type Step,
  withKills,
  withOthers,
} from '../requests-of-processes.helper.ts';
import { HOUR, mostInAnHour } from '../simulated-day.helper.ts';
import { MINUTE, SECOND } from '../spending.helper.ts';

const honest = <Step extends object>(steps: fc.Arbitrary<Step[]>) =>
  steps.map((each) => each.map((step) => ('lost' in step ? { ...step, lost: false, header: true } : step)));

const write = { what: 'take', who: 0, isRead: false } as const;
const arrive = { what: 'arrive', pick: 0 } as const;
const answer = { what: 'end', pick: 0, lost: false, header: false } as const;
const lose = { ...answer, lost: true };
const wait = { ...lose, what: 'wait', milliseconds: MINUTE + 1 } as const;

/**
 * All places of the reads are used, two of them by lost requests, and then all others.
 */
const lostReads: Step[] = [
  ...[write, arrive, answer, write, arrive, answer, write, arrive, answer],
  ...[write, arrive, lose, write, arrive, lose, wait],
  ...[{ ...write, isRead: true }, arrive, answer, wait],
  ...[write, arrive, answer, write, arrive, answer, write, arrive, answer],
];

describe('in any rolling hour of several processes, with any losses, delays, overtaking and missing counts', () => {
  it('no request exceeds the limit while no other program sends', async () => {
    await fc.assert(
      fc.asyncProperty(alone, async (steps) => {
        const { refused, accepted } = await run(steps);
        expect(refused).toBe(0);
        expect(mostInAnHour(accepted)).toBeLessThanOrEqual(LIMIT);
      }),
      { numRuns: 300, examples: [[lostReads]] },
    );
  });

  it('no request exceeds the limit, also if processes are killed', async () => {
    await fc.assert(
      fc.asyncProperty(withKills, async (steps) => {
        const { refused } = await run(steps);
        expect(refused).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('requests that are tried after a 429 are at least a minute apart, also if others send requests', async () => {
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
    expect(count).toBeGreaterThan(5);
  });

  it('no request exceeds the limit, and none needs to be tried, if every response arrives and has the count', async () => {
    await fc.assert(
      fc.asyncProperty(honest(alone), async (steps) => {
        const { refused, probes } = await run(steps);
        expect({ refused, probes }).toEqual({ refused: 0, probes: [] });
      }),
      { numRuns: 300 },
    );
  });

  it('reads other than those that are tried leave the reserve to writes, also if others send requests and processes are killed', async () => {
    await fc.assert(
      fc.asyncProperty(withOthers, async (steps) => {
        const { reads } = await run(steps);
        expect(mostInAnHour(reads)).toBeLessThanOrEqual(LIMIT - RESERVE);
      }),
      { numRuns: 300 },
    );
  });

  it('all requests always become free within an hour of the last response, or of the end of a killed request', async () => {
    await fc.assert(
      fc.asyncProperty(withOthers, async (steps) => {
        const { clock, rateBudget, endAll } = await run(steps);
        await endAll();
        clock.advance(MINUTE);
        const { allBackAt, nextReadAt, nextWriteAt, returnsAt } = await rateBudget.status();
        expect(allBackAt).toBeLessThanOrEqual(clock.now() + HOUR);
        expect(nextReadAt).toBeLessThanOrEqual(allBackAt);
        expect(nextWriteAt).toBeLessThanOrEqual(nextReadAt);
        expect(returnsAt.length).toBeLessThanOrEqual(LIMIT);
        clock.advance(HOUR);
        expect(await rateBudget.status()).toMatchObject({ used: 0, leftForReads: LIMIT - RESERVE });
      }),
    );
  });
});

interface Sending {
  readonly who: number;
  readonly toService: number;
  readonly back: number;
  readonly header: boolean;
}

/** Each request is sent as soon as the status of its process allows it, and may overtake the ones before. */
async function sendAtOnce(requests: readonly Sending[]) {
  const { clock, startProcess } = startMachine();
  const respond = countingService(clock, LIMIT);
  const start = () => startProcess({ limit: LIMIT, reserve: RESERVE });
  const processes = [start(), start(), start()];
  const statuses: number[] = [];
  let events: { at: number; happen: () => Promise<void> }[] = [];
  const passUntil = async (until: number) => {
    for (;;) {
      const next = events.toSorted((a, b) => a.at - b.at).find(({ at }) => at <= until);
      clock.advance((next?.at ?? until) - clock.now());
      if (!next) return;
      events = events.filter((event) => event !== next);
      await next.happen();
    }
  };
  for (const { who, toService, back, header } of requests) {
    const { rateBudget } = processes[who] ?? start();
    let attempt = await takeIfAllowed(rateBudget, 'write');
    while (!attempt) {
      await passUntil((await rateBudget.status()).nextWriteAt);
      attempt = await takeIfAllowed(rateBudget, 'write');
    }
    const { answered } = attempt;
    const arrive = async () => {
      const { status, headers } = respond();
      statuses.push(status);
      const response = { status, headers: header ? headers : {} };
      events.push({ at: clock.now() + back, happen: () => answered(response) });
    };
    events.push({ at: clock.now() + toService, happen: arrive });
  }
  return statuses;
}

const delay = fc.integer({ min: 0, max: 20 * SECOND });
const sendings = fc.array(
  fc.record({ who: fc.nat(2), toService: delay, back: delay, header: fc.boolean() }),
  { minLength: 20, maxLength: 60, size: 'max' },
);

describe('requests that are sent as soon as the status allows it', () => {
  it('of requests that are sent as soon as the status allows it, none gets a 429, with or without counts', async () => {
    await fc.assert(
      fc.asyncProperty(sendings, async (requests) => {
        expect(await sendAtOnce(requests)).not.toContain(429);
      }),
    );
  });
});

describe('a response while no other request is in progress', () => {
  it('after a response without other requests in progress the used count is not lower than the response shows', async () => {
    await fc.assert(
      fc.asyncProperty(withOthers, async (steps) => {
        const { clock, rateLimit, grant, rateBudget, endAll } = await run(steps);
        await endAll();
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
        const rateBudget = new RateBudget({ clock, limit: LIMIT, reserve: RESERVE });
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
