/**
 * `npm run soak -- machines [seconds] [people] [servers] [disturbances] [every] [reads]`: people at several servers with one Redis,
 * behind a proxy, by default 200 for five minutes at three servers with all disturbances (see `disturbances.helper.ts`; several
 * are separated by commas; `none` for none). Their budgets have 1,000 to 20,000 transactions, those of more than 200 people 1,000
 * each. Each one asks something every 12 seconds, or as `every` says, and writes instead about every third time. As `servers`, `files` is one server with its state in
 * files, which needs a Node.js that has SQLite, `workers` is one server with two workers, and `cluster` are three servers with a
 * Redis Cluster of six nodes, each server with two workers. With `reads` all only ask, and no token ends: so it measures
 * answers from the cache.
 *
 * `npm run soak -- machines table [seconds] [every] [people]`: how the cost grows, by default for 10,50,200,1000 people, at one
 * server with one and two workers, with its state in files and in Redis.
 *
 * `npm run soak -- machines arrivals [servers]`: 40 people with 1,000 transactions ask one server every second for 30 seconds, and
 * ten with 20,000 transactions arrive at once.
 *
 * Exit code 1 if an answer was not that of the person, a write was lost or made twice, a client did not recover, the service
 * refused a request with 429, a server ended with an unexpected exit code, or its log has a bug or a warning of Node.js.
 */
import { z } from 'zod';
import { findSqlite } from '../src/store/sqlite.ts';
import { disturbances } from './programs/disturbances.helper.ts';
import {
  type MachinesSoakReport,
  preparePeople,
  runMachinesSoak,
  type SoakPeople,
} from './programs/machines-soak.helper.ts';
import { linesOf, rowOf, tableHead } from './programs/machines-soak-text.helper.ts';

const [FEWEST, MOST] = [1_000, 20_000];
const PEOPLE = [10, 50, 200, 1_000];
const EVERY_SECONDS = 12;

const paceOf = (seconds: number) => ({ everyMs: seconds * 1_000, writeEveryMs: 3 * seconds * 1_000 });

const kinds = new Map<string, { servers: number; store?: 'files' | 'cluster'; workers?: number }>([
  ['files', { servers: 1, store: 'files' }],
  ['workers', { servers: 1, workers: 2 }],
  ['cluster', { servers: 3, store: 'cluster', workers: 2 }],
]);

/** The servers of the table. */
const rowsOfTable = [
  { servers: 1, store: 'files', workers: 1 },
  { servers: 1, store: 'files', workers: 2 },
  { servers: 1, store: 'redis', workers: 1 },
  { servers: 1, store: 'redis', workers: 2 },
] as const;

/** The memory of one machine does not hold large budgets of more people, since the service and the clients have them too. */
const MOST_WITH_LARGE = 200;

/** Each one has some per cent more than the one before. */
const sizesOf = (people: number) =>
  Array.from({ length: people }, (_, nth) =>
    people > MOST_WITH_LARGE
      ? FEWEST
      : Math.round(FEWEST * (MOST / FEWEST) ** (nth / Math.max(1, people - 1))),
  );

const write = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n`);

function finish({ failures }: MachinesSoakReport): void {
  if (failures.length > 0) process.exitCode = 1;
}

async function prepared(people: number): Promise<SoakPeople> {
  const start = performance.now();
  const ready = await preparePeople(sizesOf(people));
  write([
    `The budgets of ${people} people took ${Math.round((performance.now() - start) / 1_000)} s to make.`,
  ]);
  return ready;
}

async function table([
  seconds = '60',
  every = `${EVERY_SECONDS}`,
  people = PEOPLE.join(),
]: string[]): Promise<void> {
  const counts = people.split(',').map(Number);
  const rows: string[] = [];
  const add = async (ready: SoakPeople, count: number) => {
    for (const each of rowsOfTable) {
      if (each.store === 'files' && !findSqlite()) continue;
      const pace = paceOf(Number(every));
      const report = await runMachinesSoak({
        people: ready,
        count,
        seconds: Number(seconds),
        ...each,
        ...pace,
      });
      const row = rowOf(report, each);
      rows.push(row);
      write([row, ...report.failures.slice(0, 3)]);
      finish(report);
    }
  };
  const isFew = (count: number) => count <= MOST_WITH_LARGE;
  for (const some of [counts.filter(isFew), counts.filter((count) => !isFew(count))]) {
    if (some.length === 0) continue;
    const ready = await prepared(Math.max(...some));
    for (const count of some) await add(ready, count);
    await ready.service.close();
  }
  const note = findSqlite() ? [] : ['', 'State in files was not measured: this Node.js has no SQLite.'];
  write(['', ...tableHead, ...rows, ...note]);
}

async function soak([
  seconds = '300',
  count = '200',
  servers = '3',
  chosen = disturbances.filter((each) => each !== 'failover' || servers === 'cluster').join(),
  every = `${EVERY_SECONDS}`,
  kind = '',
]: string[]): Promise<void> {
  const names = z.array(z.enum(disturbances)).parse(chosen === 'none' ? [] : chosen.split(','));
  const people = await prepared(Number(count));
  const report = await runMachinesSoak({
    people,
    seconds: Number(seconds),
    ...(kinds.get(servers) ?? { servers: Number(servers) }),
    disturbances: names,
    isReadOnly: kind === 'reads',
    ...paceOf(Number(every)),
  });
  await people.service.close();
  write(linesOf(report, servers));
  finish(report);
}

async function arrivals([servers = '1']: string[]): Promise<void> {
  const [others, late] = [40, 10];
  const sizes = Array.from({ length: others + late }, (_, nth) => (nth < others ? FEWEST : MOST));
  const people = await preparePeople(sizes);
  const report = await runMachinesSoak({
    people,
    seconds: 30,
    ...(kinds.get(servers) ?? { servers: Number(servers) }),
    ...paceOf(1),
    isReadOnly: true,
    late,
  });
  await people.service.close();
  write(linesOf(report, servers));
  finish(report);
}

const given = process.argv.slice(3);
if (given[0] === 'table') await table(given.slice(1));
else if (given[0] === 'arrivals') await arrivals(given.slice(1));
else await soak(given);
