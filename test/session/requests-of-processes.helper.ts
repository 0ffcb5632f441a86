/** Random requests of several processes that share a rate ledger, and the count of the service. */
import fc from 'fast-check';
import { BudgetError } from '../../src/base/errors.ts';
import { Access } from '../../src/service/access.ts';
import { RateLimit } from '../../src/service/rate-limit.ts';
import { REQUEST_TIMEOUT_MS } from '../../src/session/http/http-sender.ts';
import { RateBudget, type RateBudgetAttempt } from '../../src/session/rate-budget/rate-budget.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { MINUTE, SECOND } from './spending.helper.ts';

export const LIMIT = 8;
export const RESERVE = 3;
const PROCESSES = 3;

/** How requests end. */
const ending = { lost: fc.boolean(), header: fc.boolean() };

/** Times in which requests can be in progress, and times whose sums are often nearly an hour. */
const wait = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(0, 10, 20, 40).map((seconds) => seconds * SECOND + 1) },
  { weight: 1, arbitrary: fc.constantFrom(1, 10, 25, 59).map((minutes) => minutes * MINUTE + 1) },
);

/** Each step moves one request on: to the service, into its count, back to the client, or into loss. */
const steps = {
  take: fc.record({ what: fc.constant('take'), who: fc.nat(PROCESSES - 1), isRead: fc.boolean() }),
  arrive: fc.record({ what: fc.constant('arrive'), pick: fc.nat() }),
  end: fc.record({ what: fc.constant('end'), pick: fc.nat(), ...ending }),
  /** Also ends the requests that cannot be in progress any longer. */
  wait: fc.record({ what: fc.constant('wait'), milliseconds: wait, ...ending }),
  /** A process is killed, and another one starts. What it had sent may still arrive at the service. */
  kill: fc.record({ what: fc.constant('kill'), who: fc.nat(PROCESSES - 1) }),
  /** A request of a program that does not share the ledger. */
  other: fc.record({ what: fc.constant('other') }),
} as const;

export type Step = (typeof steps)[keyof typeof steps] extends fc.Arbitrary<infer T> ? T : never;

const several = (...rare: fc.Arbitrary<Step>[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: steps.take },
      { weight: 4, arbitrary: steps.arrive },
      { weight: 4, arbitrary: steps.end },
      { weight: 3, arbitrary: steps.wait },
      ...rare.map((arbitrary) => ({ weight: 2, arbitrary })),
    ),
    { maxLength: 120, minLength: 20, size: 'max' },
  );

export const alone = several();
export const withKills = several(steps.kill);
export const withOthers = several(steps.kill, steps.other);

interface Travelling {
  /** Its position in the order in which the requests were taken. */
  readonly nth: number;
  readonly takenAt: number;
  readonly attempt: RateBudgetAttempt;
  readonly store: MemoryStore;
  readonly isRead: boolean;
  /** It was allowed although no requests seemed to be left. */
  readonly isProbe: boolean;
  /** The response of the service. 0 is a refusal. */
  count?: number;
}

export async function run(all: readonly Step[], processCount = PROCESSES) {
  const clock = new ManualClock(0);
  const memory = new SharedMemory();
  const rateLimit = new RateLimit(LIMIT, clock);
  const grant = { user: new Access(clock).addUser([]) };
  const start = () => {
    const store = new MemoryStore(clock, memory);
    return { store, rateBudget: new RateBudget({ clock, store, limit: LIMIT, reserve: RESERVE }) };
  };
  const first = start();
  const processes = [first, ...Array.from({ length: processCount - 1 }, start)];
  const accepted: number[] = [];
  const reads: number[] = [];
  const probes: number[] = [];
  let taken = 0;
  /** Requests that the service refused, except probes and requests whose place a probe took. */
  let refused = 0;
  /** Accepted probes that may have taken the place of a request that they overtook. Each of them took one place at most. */
  let acceptedProbes: Travelling[] = [];
  let travelling: Travelling[] = [];
  const killed = new Set<MemoryStore>();

  async function end(request: Travelling, { lost, header }: { lost: boolean; header: boolean }) {
    travelling = travelling.filter((each) => each !== request);
    if (killed.has(request.store)) return;
    const headers = header && request.count ? { 'x-rate-limit': `${request.count}/${LIMIT}` } : {};
    if (request.count === undefined)
      await request.attempt.failed(new BudgetError(lost ? 'timed_out' : 'unreachable', 'It failed.'));
    else if (lost) await request.attempt.failed(new BudgetError('connection_lost', 'It failed.'));
    else await request.attempt.answered({ status: request.count === 0 ? 429 : 200, headers });
  }

  async function take(who: number, isRead: boolean) {
    const { store, rateBudget } = processes[who % processes.length] ?? first;
    const { used } = await rateBudget.status();
    const isProbe = used >= (isRead ? LIMIT - RESERVE : LIMIT);
    const attempt = await rateBudget.take(isRead ? 'read' : 'write').catch(() => undefined);
    if (!attempt) return;
    if (isProbe) probes.push(clock.now());
    taken += 1;
    travelling.push({ nth: taken, takenAt: clock.now(), attempt, store, isRead, isProbe });
  }

  function arrive(request: Travelling) {
    request.count = rateLimit.take(grant) ?? 0;
    if (request.count === 0) {
      if (!request.isProbe) refuse(request);
      return;
    }
    accepted.push(clock.now());
    if (request.isProbe) acceptedProbes.push(request);
    else if (request.isRead) reads.push(clock.now());
  }

  /** The first probe that was sent after the request took its place, because the others may have overtaken later ones too. */
  function refuse({ nth }: Travelling) {
    const [probe] = acceptedProbes.filter((each) => each.nth > nth).toSorted((a, b) => a.nth - b.nth);
    acceptedProbes = acceptedProbes.filter((each) => each !== probe);
    if (!probe) refused += 1;
  }

  async function kill(who: number) {
    const index = who % processes.length;
    const { store } = processes[index] ?? first;
    killed.add(store);
    await store.close();
    processes[index] = start();
  }

  for (const step of all) {
    const picked = 'pick' in step ? travelling[step.pick % travelling.length] : undefined;
    if (step.what === 'take') await take(step.who, step.isRead);
    if (step.what === 'arrive' && picked && picked.count === undefined) arrive(picked);
    if (step.what === 'end' && picked && !killed.has(picked.store)) await end(picked, step);
    if (step.what === 'kill') await kill(step.who);
    if (step.what === 'other') rateLimit.take(grant);
    if (step.what !== 'wait') continue;
    const until = clock.now() + step.milliseconds;
    for (const request of travelling)
      if (request.takenAt + REQUEST_TIMEOUT_MS <= until) await end(request, step);
    // Within this time the timers do it.
    if (step.milliseconds >= 15_000) for (const { rateBudget } of processes) await rateBudget.settled();
    clock.advance(step.milliseconds);
  }
  const { rateBudget } = processes[0] ?? first;
  /** Every request that is in progress fails. */
  const endAll = async () => {
    for (const { attempt, store } of travelling)
      if (!killed.has(store)) await attempt.failed(new Error('It failed.'));
  };
  return { clock, rateLimit, grant, rateBudget, refused, reads, accepted, probes, endAll };
}
