/**
 * Random writes of a client over a connection on which everything fails. After each write, the results are compared with
 * the ledger.
 */
import { expect, onTestFinished } from 'vitest';
import { fixedTokenProvider } from '../../src/auth/token-provider.ts';
import { BudgetError } from '../../src/base/errors.ts';
import { Random } from '../../src/service/demo-data/random.ts';
import { BudgetClient } from '../../src/session/budget-client.ts';
import type { CallResult } from '../../src/session/call-result.ts';
import { RateBudget } from '../../src/session/rate-budget/rate-budget.ts';
import type { WriteStatus } from '../../src/session/writes/pending-write.ts';
import { anyFault, NO_FAULT, type ProxiedExchange, startFaultyProxy } from '../faulty-proxy.helper.ts';
import { LaggingCopy } from '../lagging-copy.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import { startTestService } from '../service/running-service.helper.ts';
import { changedIn, isUntouched, newIn } from './expected-changes.helper.ts';
import { inPassingTime, WatchedSender } from './passing-time.helper.ts';
import { RandomWrites, type Write } from './random-writes.helper.ts';
import { type Books, Witness } from './service-observer.helper.ts';

const TIMEOUT_MS = 40_000;

const TRANSACTIONS = 60;

async function start(random: Random) {
  const service = await startTestService({ transactions: TRANSACTIONS });
  onTestFinished(() => service.close());
  // The sender's time passes only where the proxy advances it. The service's time does not pass, so it is always today.
  const [wire, clock] = [new ManualClock(service.clock.now()), new ManualClock(service.clock.now())];
  const proxy = await startFaultyProxy({
    origin: service.appUrl,
    // The list of budgets is read before any write.
    plan: ({ method, path }) => {
      if (path === '/v1/budgets') return NO_FAULT;
      const fault = random.chance(0.6) ? NO_FAULT : anyFault(() => random.next());
      return method === 'GET' && random.chance(0.15) ? { ...fault, isLagging: true } : fault;
    },
    clock: wire,
    timeoutMs: TIMEOUT_MS,
    copy: await LaggingCopy.start(clock, TRANSACTIONS, service.clock),
  });
  const sender = new WatchedSender({ clock: wire, timeoutMs: TIMEOUT_MS });
  onTestFinished(() => sender.close());
  const budget = service.user.ledgers[0]?.id ?? '';
  const tokens = fixedTokenProvider({ baseUrl: `${proxy.url}/v1`, token: service.accessToken });
  const rateBudget = () => new RateBudget({ clock, limit: 1_000_000 });
  const client = new BudgetClient({ tokens, sender, clock: evenly(clock), budget, rateBudget });
  const witness = new Witness(`${service.baseUrl}/budgets/${budget}`, service.accessToken);
  const passing = <T>(work: Promise<T>) => inPassingTime(work, { clock, sender });
  return { client, witness, clock, proxy, passing };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Delays before a retry are random. Rounded to even seconds they are the same in each run of a seed. */
const evenly = (clock: ManualClock) => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  sleep: (milliseconds: number, signal?: AbortSignal) =>
    clock.sleep(Math.ceil(milliseconds / 1_000) * 1_000, signal),
});

interface Claims {
  readonly succeeded: readonly CallResult<Readonly<Record<string, unknown>>>[];
  readonly failed: readonly BudgetError[];
  /** The outcomes of writes that no host got. */
  readonly undelivered: readonly WriteStatus['state'][];
  readonly calls: number;
}

/** A host that waits, cancels after a while, or calls again until it gets the outcome of its write. */
interface Host {
  readonly atOnce: number;
  readonly cancelsAfterMs: number | undefined;
  readonly callsAgain: boolean;
}

function anyHost(write: Write, random: Random): Host {
  return {
    // Two or three equal writes at once, on purpose.
    atOnce: write.name.startsWith('create') && random.chance(0.15) ? random.integer(2, 3) : 1,
    cancelsAfterMs: random.chance(0.2) ? random.pick([0, 500, 3_000, 7_000]) : undefined,
    callsAgain: random.chance(0.5),
  };
}

async function claimsOf(write: Write, host: Host, { client, clock, passing }: Started): Promise<Claims> {
  const cancelling = new AbortController();
  const run = (signal?: AbortSignal) => write.run(client, signal);
  const calls = Array.from({ length: host.atOnce }, () => run(cancelling.signal));
  const answered = Promise.allSettled(calls);
  if (host.cancelsAfterMs !== undefined) void clock.sleep(host.cancelsAfterMs).then(() => cancelling.abort());
  const settled = await passing(answered);
  const isOpen = (code: string) => code === 'outcome_unknown' || code === 'cancelled';
  const outcomes = settled.map((each) => (each.status === 'fulfilled' ? each.value : errorOf(each.reason)));
  let count = calls.length;
  for (const [at, outcome] of outcomes.entries()) {
    let last = outcome;
    for (let again = 0; host.callsAgain && again < 9; again += 1) {
      if (!(last instanceof BudgetError) || !isOpen(last.code)) break;
      last = await passing(run().catch(errorOf));
      count += 1;
    }
    outcomes[at] = last;
  }
  const isUnderWay = ({ state }: WriteStatus) => state === 'sent' || state === 'being_looked_for';
  while ((await client.status()).writes.some(isUnderWay)) await passing(clock.sleep(10_000));
  const { writes } = await client.status();
  return {
    succeeded: outcomes.flatMap((each) => (each instanceof BudgetError ? [] : [each])),
    failed: outcomes.flatMap((each) => (each instanceof BudgetError ? [each] : [])),
    undelivered: writes.map(({ state }) => state),
    calls: count,
  };
}

function errorOf(error: unknown): BudgetError {
  if (error instanceof BudgetError) return error;
  throw error;
}

const isWrite = ({ method }: ProxiedExchange) => method !== 'GET';

/** The ids that a result reports as created. Without imports, but with entries that an import was matched to at once. */
function claimedIds({ data }: Claims['succeeded'][number], made: readonly string[]): string[] {
  const rows = Object.values(data)
    .flat()
    .filter((row) => typeof row === 'object' && row !== null && 'id' in row);
  const isImport = (row: object) => 'import_id' in row && row.import_id !== null;
  const [imports, entered] = [true, false].map((is) =>
    rows.filter((row) => isImport(row) === is).map(({ id }) => String(id)),
  );
  const matched = new Set(imports?.filter((id) => made.includes(id)));
  return [...(entered ?? []), ...matched];
}

/** The differences between the claims and the ledger. */
function contradictions(
  write: Write,
  { succeeded, undelivered, calls }: Claims,
  exchanges: readonly ProxiedExchange[],
  [before, after]: readonly [Books, Books],
): string[] {
  const { made, size, isDone, touched } = write.seen(before, after);
  const writes = exchanges.filter(isWrite);
  const unknown = undelivered.filter((state) => state === 'unknown').length;
  const untoldWritten = undelivered.filter((state) => state === 'written').length;
  const deliveredTwice = writes.some(({ deliveries }) => deliveries === 2);
  const claimed = size > 0 ? succeeded.flatMap((each) => claimedIds(each, made)) : [];
  const reported = succeeded.flatMap(({ possibleDuplicates }) => possibleDuplicates ?? []);
  const surplus = made.filter((id) => !claimed.includes(id));
  const unreportedDuplicates = surplus.filter((id) => !reported.includes(id));
  const untouched = isUntouched(before, after);
  const isSightless = succeeded.some(({ changed }) => changed === undefined);
  const strange = changedIn(before, after).filter((id) => !touched.includes(id));
  const says: readonly (readonly [boolean, string])[] = [
    [succeeded.length + untoldWritten > 0 && !isDone, 'reported written, and is not there as it should be'],
    [!isDone && !untouched, 'half done'],
    [new Set(claimed).size < claimed.length, 'one entry stands for two'],
    [claimed.some((id) => !made.includes(id)), 'reported written what is not new'],
    [succeeded.length + untoldWritten + unknown === 0 && !untouched, 'reported not written, and is there'],
    [
      unknown + untoldWritten === 0 && !isSightless && unreportedDuplicates.length > 0,
      'is there again and was not reported',
    ],
    [surplus.length > (unknown + untoldWritten) * size && !deliveredTwice, 'sent twice'],
    [reported.some((id) => !surplus.includes(id)), 'reported as a duplicate although it is none'],
    [strange.length > 0, `changed something else: ${strange}`],
    [
      size === 0 && newIn(before.transactions, after.transactions).length > made.length && !touched.length,
      'made',
    ],
    [writes.length > calls, 'sent more often than it was called'],
    [
      unknown > 0 &&
        !writes.some(({ answer }) => answer === 'never') &&
        exchanges
          .filter((each) => !isWrite(each))
          .every(({ isAnswered, isLagging }) => isAnswered && !isLagging),
      'unknown, though it could have been looked up',
    ],
    [
      // The delta after a write has a short time limit, so a late or old response counts as none.
      isSightless &&
        succeeded.every(({ earlier_call }) => earlier_call === undefined) &&
        !exchanges.some(
          (each) => !isWrite(each) && (!each.isAnswered || each.isLagging || each.answer === 'late'),
        ),
      'nothing reported of what it changed, although it could have been read',
    ],
  ];
  return says.flatMap(([holds, message]) => (holds ? [message] : []));
}

/** Fails if the ledger contradicts the results, or if an expected outcome never occurred. */
export async function runWriteFaults(options: { readonly seed: number; readonly steps: number }) {
  const { seed, steps } = options;
  const random = new Random(seed);
  const writes = new RandomWrites(random);
  const started = await start(new Random(seed + 1));
  const { witness, clock, proxy, passing } = started;
  const outcomes = new Map<string, number>();
  let before = await witness.lookAnew();
  for (let step = 1; step <= steps; step += 1) {
    await passing(clock.sleep(random.pick([1_000, 2_000, 9_000, 60_000])));
    // The wall clock may also be set during a write.
    if (random.chance(0.1)) void clock.sleep(random.pick([500, 6_000])).then(() => shift(clock, random));
    const write = writes.next(before);
    const host = anyHost(write, random);
    const first = proxy.exchanges.length;
    const claims = await claimsOf(write, host, started);
    const exchanges = proxy.exchanges.slice(first);
    const after = await witness.look();
    const found = contradictions(write, claims, exchanges, [before, after]);
    if (found.length > 0) {
      const outcomes = [
        ...claims.succeeded.map(({ outcome }) => outcome),
        ...claims.failed.map((e) => e.code),
      ];
      const line = exchanges.map(
        ({ method, path, ...fault }) => `${method} ${path} ${JSON.stringify(fault)}`,
      );
      throw new Error(
        [
          `seed ${seed}, step ${step}: ${found.join('; ')}`,
          `${JSON.stringify(host)} × ${write.name}`,
          `${outcomes.join()}; undelivered: ${claims.undelivered.join()}`,
          ...line,
        ].join('\n'),
      );
    }
    for (const { outcome, earlier_call } of claims.succeeded)
      count(outcomes, earlier_call === undefined ? (outcome ?? 'none') : 'earlier');
    for (const { code } of claims.failed) count(outcomes, code);
    for (const state of claims.undelivered) count(outcomes, `undelivered ${state}`);
    // Undelivered outcomes expire, so that the next equal write is separate.
    if (claims.undelivered.length > 0) await passing(clock.sleep(601_000));
    before = after;
  }
  expect(await witness.lookAnew()).toEqual(before);
  expect([...outcomes.keys()]).toEqual(
    expect.arrayContaining([
      'written',
      'confirmed_afterwards',
      'earlier',
      'not_written',
      'outcome_unknown',
      'cancelled',
      'undelivered written',
      'undelivered not_written',
      'undelivered unknown',
    ]),
  );
}

/** Sets the wall clock. */
const shift = (clock: ManualClock, random: Random) =>
  clock.setWallClock(clock.now() + random.pick([-3_600_000, -60_000, 60_000, 3_600_000]));

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
