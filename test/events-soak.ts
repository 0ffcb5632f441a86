/**
 * `npm run soak -- events [seconds] [people] [servers] [disturbances]`: people who are away and whose assistants watch, by default
 * 24 for five minutes at three servers with one Redis and all disturbances (see `disturbances.helper.ts`; several are separated
 * by commas; `none` for none). `files` as `servers` is one server with its state in files, which needs a Node.js that has SQLite.
 * Receivers fail in many ways, some addresses change to private ones, and half of the watches end in the middle. The program
 * is built with shorter pauses: it looks at each budget every four seconds.
 *
 * `npm run soak -- events table [people] [minutes]`: what it costs one server to watch, by default for 1,000 people with one
 * budget each for ten minutes. The program is the usual one.
 *
 * Exit code 1 if anything was lost, came under two ids, came after the end or to a private address, or a server had a bug.
 */
import { z } from 'zod';
import { disturbances } from './programs/disturbances.helper.ts';
import { runEventsSoak } from './programs/events-soak.helper.ts';
import { measureWatchers } from './programs/watchers-cost.helper.ts';
import { buildQuickWatches } from './quick-watches.helper.ts';

const write = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n`);

async function soak([
  seconds = '300',
  people = '24',
  servers = '3',
  chosen = disturbances.join(),
]: string[]): Promise<void> {
  const report = await runEventsSoak({
    people: Number(people),
    seconds: Number(seconds),
    ...(servers === 'files' ? { servers: 1, store: 'files' } : { servers: Number(servers), store: 'redis' }),
    disturbances: z.array(z.enum(disturbances)).parse(chosen === 'none' ? [] : chosen.split(',')),
    program: await buildQuickWatches(),
  });
  const { lost, twice, afterTheEnd, toPrivate, delaysMs, failures } = report;
  const delay = (share: number) =>
    ((delaysMs[Math.floor((delaysMs.length - 1) * share)] ?? 0) / 1_000).toFixed(1);
  write([
    `${people} people, ${report.ended} watches ended, ${report.truncated} told that something is missing, ${report.transactions} transactions, ${report.messages} messages`,
    `from a transaction to its message: median ${delay(0.5)} s, p99 ${delay(0.99)} s, longest ${delay(1)} s`,
    `disturbances: ${report.disturbed.join(', ') || 'none'}`,
    `lost ${lost.length}, twice ${twice.length}, after the end ${afterTheEnd.length}, to a private address ${toPrivate}`,
    ...[...lost, ...twice, ...afterTheEnd, ...failures].slice(0, 20),
  ]);
  if (lost.length + twice.length + afterTheEnd.length + toPrivate + failures.length > 0) process.exitCode = 1;
}

const given = process.argv.slice(3);
if (given[0] === 'table') write(await measureWatchers(Number(given[1] ?? 1_000), Number(given[2] ?? 10)));
else await soak(given);
