/**
 * Many people at once at several servers behind a proxy, while servers are killed and Redis is disturbed. Every answer is
 * compared with what the budgeting service has of the person, and every write is looked for there at the end.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { unusedUrl } from '../local-server.helper.ts';
import { type Disturbance, disturb } from './disturbances.helper.ts';
import { KeptSignIn } from './kept-sign-in.helper.ts';
import { Machines, type MachinesStore } from './machines.helper.ts';
import { OwnRows } from './own-rows.helper.ts';
import { type PeopleService, startPeopleService, type TokenRequests } from './people-service.helper.ts';
import { UsageWatch } from './process-usage.helper.ts';
import { RedisWatch } from './redis-watch.helper.ts';
import { DistantBrowser, register, signInOnPages } from './sign-in-pages.helper.ts';
import type { ServerEnd } from './supervised-server.helper.ts';
import { Visitor } from './visitor.helper.ts';
import { VisitorReport } from './visitor-report.helper.ts';

/** People of a budgeting service, who can be used for several soaks one after the other. */
export interface SoakPeople {
  readonly service: PeopleService;
  readonly rows: readonly OwnRows[];
  /** The address of the servers. The service redirects to it. */
  readonly publicUrl: string;
}

export interface MachinesSoakOptions {
  readonly people: SoakPeople;
  /** How many of the people take part. Their budgets are as different as those of all. */
  readonly count?: number;
  readonly seconds: number;
  readonly servers: number;
  /** By default Redis. */
  readonly store?: MachinesStore;
  /** Of each server. */
  readonly workers?: number;
  readonly disturbances?: readonly Disturbance[];
  /** How long a person waits from one question to the next one. */
  readonly everyMs?: number;
  readonly writeEveryMs?: number;
  /** Only questions, with one token. */
  readonly isReadOnly?: boolean;
  /** So many of the last people arrive at once, after half of the time. */
  readonly late?: number;
}

export interface MachinesSoakReport {
  readonly visitors: VisitorReport;
  readonly people: number;
  readonly seconds: number;
  /** The time of the processor, in milliseconds, and the most resident memory, in bytes, by the name of the process. */
  readonly cpuMs: Readonly<Record<string, number>>;
  readonly memory: Readonly<Record<string, number>>;
  readonly redis: { readonly memory: number; readonly operationsPerSecond: number } | undefined;
  readonly requests: readonly TokenRequests[];
  readonly disturbed: readonly string[];
  /** The servers that ended before the end of the soak. */
  readonly ends: readonly ServerEnd[];
  readonly exitCodes: readonly (number | null | undefined)[];
  /** What must not happen. */
  readonly failures: readonly string[];
}

/** After the last disturbance every client has an answer to everything within this time. */
const RECOVERY_MS = 60_000;
/** SIGKILL, SIGTERM, and that Redis does not accept the process any more. */
const EXPECTED_ENDS: readonly (number | null)[] = [null, 0, 1];
/** Lines of a log: errors that are bugs, and warnings of Node.js. */
const BUG = /^.*(?:internal error|Warning: ).*$/gm;
/** Sign-ins and first answers at once. */
const AT_ONCE = 4;
/** A provider of assistants registers once for all its users. */
const OF_ONE_CLIENT = 20;

export async function preparePeople(sizes: readonly number[]): Promise<SoakPeople> {
  const publicUrl = await unusedUrl();
  const redirectUris = ['/oauth/callback', '/account/callback'].map((path) => publicUrl + path);
  const service = await startPeopleService({ sizes, redirectUris });
  const rows: OwnRows[] = [];
  for (const person of service.people)
    rows.push(await OwnRows.read((path) => service.get(person, path), person));
  return { service, rows, publicUrl };
}

export async function runMachinesSoak(options: MachinesSoakOptions): Promise<MachinesSoakReport> {
  const { people, seconds, servers, store = 'redis', workers = 1, disturbances = [] } = options;
  const { service, rows, publicUrl } = people;
  const {
    count = rows.length,
    everyMs = 4_000,
    writeEveryMs = 15_000,
    isReadOnly = false,
    late = 0,
  } = options;
  const directory = await mkdtemp(join(tmpdir(), 'machines-soak-'));
  const args = ['--drain-seconds', '3', '--workers', `${workers}`];
  const machines = await Machines.start({ directory, service, publicUrl, servers, store, args });
  const usage = new UsageWatch(() => ({ ...machines.pids, service: [service.pid], clients: [process.pid] }));
  const redisWatch = machines.redis && new RedisWatch(...machines.redisNodes.map(({ url }) => url));
  try {
    const report = new VisitorReport();
    const requestsBefore = (await service.requests()).length;
    const nths = Array.from({ length: count }, (_, nth) => Math.floor(((nth + 0.5) * rows.length) / count));
    const early = nths.slice(0, nths.length - late);
    const clients = await registered(machines.issuer, Math.ceil(count / OF_ONE_CLIENT));
    const arriving = (nth: number, place: number) => {
      const clientId = clients[Math.floor(place / OF_ONE_CLIENT)];
      return arrive({ nth, place, clientId }, people, machines, report);
    };
    const visitors = await severalAtOnce(early, arriving);
    const arriveLate = async () => {
      await setTimeout((seconds * 1_000) / 2);
      report.isSomebodyArriving = late > 0;
      const probing = probeService(service, report);
      visitors.push(...(await Promise.all(nths.slice(early.length).map(arriving))));
      report.isSomebodyArriving = false;
      await probing;
    };

    await usage.look();
    const cpuBefore = cpuOf(usage);
    const begin = performance.now();
    const disturbing = disturb(machines, disturbances, seconds);
    const until = begin + seconds * 1_000;
    await Promise.all([
      ...visitors.map((visitor, place) =>
        converse(visitor, place / count, { until, everyMs, writeEveryMs, isReadOnly }),
      ),
      arriveLate(),
    ]);
    const elapsed = (performance.now() - begin) / 1_000;
    const disturbed = await disturbing;
    await usage.look();
    const cpuMs = cpuOf(usage);
    for (const [name, before] of Object.entries(cpuBefore)) cpuMs[name] = (cpuMs[name] ?? 0) - before;

    await Promise.all(
      visitors.map(async (visitor) => {
        if (!(await visitor.recover(RECOVERY_MS))) report.failed(visitor.nth, 'no right answer in a minute');
        await visitor.close();
      }),
    );
    const exitCodes = await machines.close();
    for (const nth of nths) await checkService(people, nth, report);
    const requests = (await service.requests()).slice(requestsBefore);
    const ends = machines.servers.flatMap((server) => server.ends);
    const failures = [
      ...report.failures,
      ...requests.flatMap(({ refused }) => (refused > 0 ? [`${refused} requests refused with 429`] : [])),
      ...machines.servers.flatMap(({ written }) => written.match(BUG) ?? []),
      ...ends.flatMap(({ exitCode, lastLines }) => (EXPECTED_ENDS.includes(exitCode) ? [] : [lastLines])),
      ...exitCodes.flatMap((code) => (code === 0 ? [] : [`exit code ${code} after SIGTERM`])),
    ];
    return {
      visitors: report,
      people: count,
      seconds: elapsed,
      cpuMs,
      memory: Object.fromEntries(usage.most),
      redis: redisWatch && {
        memory: redisWatch.most,
        operationsPerSecond: redisWatch.operationsPerSecond,
      },
      requests,
      disturbed,
      ends,
      exitCodes,
      failures,
    };
  } finally {
    usage.stop();
    await redisWatch?.stop();
    await machines.close();
    await rm(directory, { recursive: true });
  }
}

const cpuOf = (usage: UsageWatch): Record<string, number> =>
  Object.fromEntries([...usage.most.keys()].map((name) => [name, usage.cpuMs(name)]));

interface Arrival {
  readonly nth: number;
  readonly place: number;
  /** Of the client that the person uses. */
  readonly clientId: string | undefined;
}

/** The ids of clients. */
async function registered(issuer: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { headers } = new DistantBrowser(ids.length, []);
    ids.push(await register(issuer, `Assistants ${ids.length}`, headers));
  }
  return ids;
}

/** A person signs in, and the first question is answered. */
async function arrive(
  { nth, place, clientId }: Arrival,
  { service, rows }: SoakPeople,
  { issuer, url }: Machines,
  report: VisitorReport,
): Promise<Visitor> {
  const [person, ofPerson] = [service.people[nth], rows[nth]];
  if (!person || !ofPerson) throw new Error(`There is no person ${nth}.`);
  const browser = new DistantBrowser(nth, [issuer, service.appUrl]);
  const start = performance.now();
  if (clientId === undefined) throw new Error(`There is no client for person ${nth}.`);
  const { tokens } = await signInOnPages({ issuer, resource: url }, person, {
    browser,
    decision: 'allow',
    clientId,
  });
  report.signInMs.push(performance.now() - start);
  const { headers } = browser;
  const signIn = new KeptSignIn(issuer, clientId, tokens);
  const visitor = new Visitor({ nth, place, url, signIn, rows: ofPerson, report, headers });
  await visitor.ask(0, report.firstMs);
  return visitor;
}

interface Pace {
  /** By the monotonic time of this process. */
  readonly until: number;
  readonly everyMs: number;
  readonly writeEveryMs: number;
  readonly isReadOnly: boolean;
}

/** `share` is from 0 to 1, so that people do not ask at the same moment. */
async function converse(visitor: Visitor, share: number, pace: Pace): Promise<void> {
  const { until, everyMs, writeEveryMs, isReadOnly } = pace;
  const begin = performance.now();
  let writeAt = isReadOnly ? until : begin + share * writeEveryMs;
  const expireAt = begin + share * (until - begin);
  let hasExpired = isReadOnly;
  await setTimeout(everyMs * share);
  for (let turn = visitor.nth; performance.now() < until; turn += 1) {
    const start = performance.now();
    if (!hasExpired && start >= expireAt) {
      hasExpired = true;
      visitor.expire();
    }
    // An assistant repeats at once what was not answered.
    if (visitor.isUncertain) await visitor.write();
    else if (start >= writeAt) {
      writeAt = start + writeEveryMs;
      await visitor.write();
    } else await visitor.ask(turn);
    const pauseMs = visitor.isUncertain ? REPEAT_AFTER_MS : everyMs * (0.8 + 0.4 * Math.random());
    const next = Math.min(start + pauseMs, until);
    await setTimeout(next - performance.now());
  }
}

const REPEAT_AFTER_MS = 1_000;

/** How long the service itself takes while somebody arrives. */
async function probeService(service: PeopleService, report: VisitorReport): Promise<void> {
  const [person] = service.people;
  while (person && report.isSomebodyArriving) {
    const start = performance.now();
    await service.get(person, '/user');
    report.serviceMs.push(performance.now() - start);
    await setTimeout(PROBE_EVERY_MS);
  }
}

/** So the requests that one token has in an hour are enough for ten seconds. */
const PROBE_EVERY_MS = 50;

async function checkService(
  { service, rows }: SoakPeople,
  nth: number,
  report: VisitorReport,
): Promise<void> {
  const person = service.people[nth];
  if (!person) return;
  await rows[nth]
    ?.checkService((path) => service.get(person, path))
    .catch((error) => report.failed(nth, error));
}

async function severalAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item, place: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (const [place, item] of left) results[place] = await work(item, place);
  });
  await Promise.all(workers);
  return results;
}
