/**
 * People who are away, and whose assistants watch: their transactions come in at the budgeting service, while receivers fail,
 * servers are killed and Redis is disturbed. Some end their watch in the middle. Every message is compared with what happened.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { unusedUrl } from '../local-server.helper.ts';
import { type Disturbance, disturb } from './disturbances.helper.ts';
import { EventReceiver } from './event-receiver.helper.ts';
import { Machines } from './machines.helper.ts';
import { startPeopleService } from './people-service.helper.ts';
import { WatchingPerson } from './watching-person.helper.ts';

export interface EventsSoakOptions {
  readonly people: number;
  readonly seconds: number;
  readonly servers: number;
  readonly store: 'redis' | 'files';
  readonly disturbances: readonly Disturbance[];
  /** The program, with short pauses. */
  readonly program: string;
}

export interface EventsSoakReport {
  readonly transactions: number;
  readonly messages: number;
  /** What was never accepted by its receiver, though the watch went on and its client was not told that something is missing. */
  readonly lost: readonly string[];
  /** What came under more than one id. */
  readonly twice: readonly string[];
  /** What came more than a second after the watch had ended. */
  readonly afterTheEnd: readonly string[];
  /** Connections to addresses that are not public. */
  readonly toPrivate: number;
  /** From the transaction to its message, in milliseconds, ascending. */
  readonly delaysMs: readonly number[];
  readonly ended: number;
  /** How many clients were told that something is missing. */
  readonly truncated: number;
  readonly disturbed: readonly string[];
  readonly failures: readonly string[];
}

const LAST_MS = 180_000;
const RENEW_EVERY_MS = 10_000;
const GRACE_MS = 1_000;
/** Lines of a log: errors that are bugs, and warnings of Node.js. */
const BUG = /^.*(?:internal error|Warning: ).*$/gm;

export async function runEventsSoak(options: EventsSoakOptions): Promise<EventsSoakReport> {
  const { people: count, seconds, servers, store, disturbances, program } = options;
  const publicUrl = await unusedUrl();
  const redirectUris = ['/oauth/callback', '/account/callback'].map((path) => publicUrl + path);
  const sizes = Array.from({ length: count }, () => 200);
  const service = await startPeopleService({ sizes, redirectUris, rateLimit: 100_000 });
  const directory = await mkdtemp(join(tmpdir(), 'events-soak-'));
  const receiver = await EventReceiver.start();
  const args = ['--drain-seconds', '3'];
  const env = () => receiver.env;
  const machines = await Machines.start({
    directory,
    service,
    publicUrl,
    servers,
    store,
    args,
    program,
    env,
  });
  try {
    const watching = sizes.map((_, nth) => new WatchingPerson(nth, machines, service));
    for (const each of watching) await each.begin(receiver);
    const until = performance.now() + seconds * 1_000;
    const endSome = async () => {
      await setTimeout((seconds * 1_000) / 2);
      for (const each of watching) if (each.nth % 4 < 2) await each.end();
    };
    const [disturbed] = await Promise.all([
      disturb(machines, disturbances, seconds),
      endSome(),
      ...watching.map((each) => each.live(until)),
    ]);
    receiver.isFailing = false;
    const rest = () => watching.flatMap((each) => lostOf(each, receiver));
    for (const last = performance.now() + LAST_MS; rest().length > 0 && performance.now() < last; ) {
      await setTimeout(RENEW_EVERY_MS);
      // The pauses of a receiver that has failed are long. A client that renews ends them.
      for (const each of watching) if (!each.hasEnded) await each.ask('events/subscribe').catch(() => {});
    }
    const exitCodes = await machines.close();
    return {
      ...judge(watching, receiver),
      disturbed,
      failures: [
        ...receiver.failures,
        ...machines.servers.flatMap(({ written }) => written.match(BUG) ?? []),
        ...exitCodes.flatMap((code) => (code === 0 ? [] : [`exit code ${code} after SIGTERM`])),
      ],
    };
  } finally {
    await machines.close();
    await receiver.close();
    await service.close();
    await rm(directory, { recursive: true });
  }
}

const arrivalsOf = ({ address }: WatchingPerson, { arrivals }: EventReceiver) =>
  arrivals.filter((each) => each.address === address);

function lostOf(each: WatchingPerson, receiver: EventReceiver): string[] {
  if (each.hasEnded) return [];
  const accepted = arrivalsOf(each, receiver).filter(({ isAccepted }) => isAccepted);
  const ids = new Set(accepted.map(({ transactionId }) => transactionId));
  return [...each.created]
    .filter(([id, at]) => !ids.has(id) && at > each.truncatedAt)
    .map(([id]) => `${each.address} ${id}`);
}

function judge(watching: readonly WatchingPerson[], receiver: EventReceiver) {
  const delaysMs: number[] = [];
  const twice: string[] = [];
  const afterTheEnd: string[] = [];
  for (const each of watching) {
    const arrivals = arrivalsOf(each, receiver);
    for (const [id, at] of each.created) {
      const own = arrivals.filter(({ transactionId }) => transactionId === id);
      const [first] = own;
      if (first) delaysMs.push(first.at - at);
      if (new Set(own.map(({ eventId }) => eventId)).size > 1) twice.push(`${each.address} ${id}`);
    }
    for (const { at, transactionId } of arrivals)
      if (at > each.endedAt + GRACE_MS)
        afterTheEnd.push(`${each.address} ${transactionId} after ${(at - each.endedAt).toFixed(0)} ms`);
  }
  return {
    transactions: watching.reduce((sum, each) => sum + each.created.size, 0),
    messages: receiver.arrivals.length,
    lost: watching.flatMap((each) => lostOf(each, receiver)),
    twice,
    afterTheEnd,
    toPrivate: receiver.trapped,
    delaysMs: delaysMs.toSorted((a, b) => a - b),
    truncated: watching.filter(({ truncatedAt }) => truncatedAt > 0).length,
    ended: watching.filter(({ hasEnded }) => hasEnded).length,
  };
}
