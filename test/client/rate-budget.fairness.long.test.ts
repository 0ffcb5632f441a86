/** Eight processes with one token, each of which asks once a second or more often for hours. */
import { expect, it } from 'vitest';
import type { RateBudget } from '../../src/client/rate-budget.ts';
import {
  countingService,
  expectFairHours,
  type SentRequest,
  startMachine,
  takeIfAllowed,
} from './asking-processes.helper.ts';
import { HOUR, SECOND } from './spending.helper.ts';

const PROCESSES = 8;

interface Pattern {
  readonly hours: number;
  /** How often the first process asks in each second. The others ask once. */
  readonly times: number;
  /** Before, the first process was alone and used all reads of an hour, evenly. */
  readonly isFirstAlone: boolean;
  /** The time of a request to the service, and that of its response. */
  readonly delayMs: number;
}

/** The order is the worst one: the same process is always first. */
async function askEverySecond({ hours, times, isFirstAlone, delayMs }: Pattern) {
  const { clock, startProcess } = startMachine();
  const respond = countingService(clock);
  const rateBudgets = Array.from({ length: PROCESSES }, () => startProcess().rateBudget);
  const sent: SentRequest[] = [];
  let refusedWrites = 0;

  /** Returns undefined if the request is refused. */
  async function ask(rateBudget: RateBudget, who: number, isRead: boolean) {
    const attempt = await takeIfAllowed(rateBudget, isRead ? 'read' : 'write');
    return attempt && { attempt, who, isRead };
  }

  for (let second = isFirstAlone ? -3600 : 0; second < hours * 3600; second += 1) {
    const asked = [];
    for (const [who, rateBudget] of rateBudgets.entries()) {
      const asks = second < 0 ? Number(who === 0 && second % 20 === 0) : who === 0 ? times : 1;
      for (let n = 0; n < asks; n += 1) asked.push(await ask(rateBudget, who, true));
    }
    const writer = second % PROCESSES;
    const rateBudget = rateBudgets[writer];
    if (second % 199 === 0 && rateBudget) {
      const write = await ask(rateBudget, writer, false);
      if (!write) refusedWrites += 1;
      asked.push(write);
    }
    const allowed = asked.filter((request) => request !== undefined);
    clock.advance(delayMs);
    const responses = allowed.map(respond);
    for (const [i, { who, isRead }] of allowed.entries())
      sent.push({ at: second * SECOND, who, isRead, status: responses[i]?.status ?? 0 });
    clock.advance(delayMs);
    for (const [i, { attempt }] of allowed.entries()) {
      const response = responses[i];
      if (response) await attempt.answered(response);
    }
    clock.advance(SECOND - 2 * delayMs);
  }
  return { sent, refusedWrites };
}

const once = { hours: 2, times: 1, isFirstAlone: false, delayMs: 0 };
const patterns: [what: string, pattern: Pattern][] = [
  ['each asks once a second and is answered at once', once],
  ['each asks once a second and is answered within a second', { ...once, delayMs: 400 }],
  ['the first one asks 30 times a second', { ...once, hours: 1, times: 30, delayMs: 100 }],
  ['the first one has used all reads of the hour before', { ...once, isFirstAlone: true, delayMs: 100 }],
];

it.each(patterns)(
  'eight processes get no 429, leave the reserve to writes, and the least served one gets half of the mean, if %s',
  async (_, pattern) => {
    const { sent, refusedWrites } = await askEverySecond(pattern);
    expect(refusedWrites).toBe(0);
    expectFairHours(sent, { processes: PROCESSES, from: 0, until: pattern.hours * HOUR });
  },
);
