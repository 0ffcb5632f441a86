/**
 * Processes that share a rate ledger and ask for requests, and a service that counts the requests of the last hour. What is
 * expected of the requests holds also for processes of the operating system.
 */
import { expect } from 'vitest';
import { BudgetError } from '../../src/base/errors.ts';
import { Access } from '../../src/service/access.ts';
import { RateLimit } from '../../src/service/rate-limit.ts';
import { RateBudget, type RateBudgetAttempt } from '../../src/session/rate-budget/rate-budget.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { mostInAnHour } from './simulated-day.helper.ts';
import { HOUR, MINUTE, SECOND, start } from './spending.helper.ts';

export interface RateLimits {
  readonly limit?: number;
  readonly reserve?: number;
}

/** Starts processes on the same machine. Later ones can be started on the same memory, also after a restart of the machine. */
export function startMachine(memory = new SharedMemory(), wall = start) {
  const clock = new ManualClock(wall);
  const startProcess = (limits: RateLimits = {}) => {
    const store = new MemoryStore(clock, memory);
    return { store, rateBudget: new RateBudget({ clock, store, ...limits }) };
  };
  return { clock, memory, startProcess };
}

/** Undefined if the request is refused. */
export const takeIfAllowed = (
  rateBudget: RateBudget,
  kind: 'read' | 'write',
): Promise<RateBudgetAttempt | undefined> =>
  rateBudget.take(kind).catch((error: unknown) => {
    if (!(error instanceof BudgetError) || error.code !== 'rate_budget_spent') throw error;
    return undefined;
  });

/** The responses of a service that sends `X-Rate-Limit`. */
export function countingService(clock: ManualClock, limit = 200) {
  const rateLimit = new RateLimit(limit, clock);
  const grant = { user: new Access(clock).addUser([]) };
  return () => {
    const count = rateLimit.take(grant);
    return count === undefined
      ? { status: 429, headers: {} }
      : { status: 200, headers: { 'x-rate-limit': `${count}/${limit}` } };
  };
}

/** A request that was allowed. */
export interface SentRequest {
  /** In milliseconds, ascending. */
  readonly at: number;
  /** The number of the process, from 0. */
  readonly who: number;
  readonly isRead: boolean;
  /** Of the response. */
  readonly status: number;
}

/**
 * Of 200 requests an hour with a reserve of 20, for processes that ask all the time: no 429, at most 180 reads in any hour,
 * nearly all requests are used, and the least served process gets at least half of the mean.
 */
export function expectFairHours(
  sent: readonly SentRequest[],
  { processes, from, until }: { processes: number; from: number; until: number },
): void {
  expect(sent.filter(({ status }) => status === 429)).toEqual([]);
  expect(mostInAnHour(sent.flatMap(({ isRead, at }) => (isRead ? [at] : [])))).toBeLessThanOrEqual(180);
  for (let start = from; start + HOUR <= until; start += 10 * MINUTE) {
    const inHour = sent.filter(({ at }) => at >= start && at < start + HOUR);
    expect(inHour.length).toBeGreaterThanOrEqual(175);
    const served = Array.from(
      { length: processes },
      (_, process) => inHour.filter(({ who }) => who === process).length,
    );
    expect(Math.min(...served), `${served} from ${start / MINUTE} min`).toBeGreaterThanOrEqual(
      inHour.length / processes / 2,
    );
  }
}

export const PROCESSES = 8;

export interface Pattern {
  readonly hours: number;
  /** How often the first process asks in each second. The others ask once. */
  readonly times: number;
  /** Before, the first process was alone and used all reads of an hour, evenly. */
  readonly isFirstAlone: boolean;
  /** The time of a request to the service, and that of its response. */
  readonly delayMs: number;
}

/** The order is the worst one: the same process is always first. `rateBudgets` has one for each process. */
export async function askEverySecond(
  { hours, times, isFirstAlone, delayMs }: Pattern,
  { clock, rateBudgets }: { readonly clock: ManualClock; readonly rateBudgets: readonly RateBudget[] },
) {
  const respond = countingService(clock);
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
