/**
 * `npm run soak -- hosted [seconds] [people] [transactions of one more]`: people at once on one hosted server, by default 50 for
 * two minutes, whose budgets have 1,000 to 20,000 transactions. Each one asks every four seconds. The state is in files if this Node.js has SQLite. Exit code 1 if
 * an answer was not that of the person.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSqlite } from '../src/store/sqlite.ts';
import { type Memory, runHostedSoak } from './programs/hosted-soak.helper.ts';

const [seconds = 120, people = 50, late] = process.argv.slice(3).map(Number);
const [FEWEST, MOST] = [1_000, 20_000];

/** Each one has some per cent more than the one before. */
const sizes = Array.from({ length: people }, (_, nth) =>
  Math.round(FEWEST * (MOST / FEWEST) ** (nth / Math.max(1, people - 1))),
);

const directory = await mkdtemp(join(tmpdir(), 'hosted-soak-'));
const keyFile = join(directory, 'server.key');
await writeFile(keyFile, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 });
const inFiles = findSqlite() !== undefined;
const env = { BUDGET_MCP_NO_STATE: 'false', BUDGET_MCP_STATE_DIR: join(directory, 'state') };
const report = await runHostedSoak({
  sizes,
  seconds,
  writes: 3,
  everyMs: 4_000,
  ...(inFiles && { args: ['--server-key-file', keyFile], env }),
  ...(late !== undefined && { late }),
});
await rm(directory, { recursive: true });

const { calls, writes, failures, elapsedMs, cpuMs, memory, exitCode } = report;
const at = (times: readonly number[], share: number) =>
  `${(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0)} ms`;
const spread = (times: readonly number[]) =>
  `median ${at(times, 0.5)}, p99 ${at(times, 0.99)}, longest ${at(times, 1)}`;
const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
const each = (from: Memory, to: Memory) =>
  `${mebibytes((to.used - from.used) / people)} MiB in use, ${mebibytes((to.rss - from.rss) / people)} MiB resident`;
const { empty, signedIn, asked, end } = memory;
process.stdout.write(
  [
    `${people} people, ${Math.round(elapsedMs / 1_000)} s, state in ${inFiles ? 'files' : 'memory'}: ${calls} calls, ${(calls / (elapsedMs / 1_000)).toFixed(1)} a second, ${writes} writes`,
    `processor: ${(cpuMs / calls).toFixed(1)} ms for each call`,
    `answers: ${spread(report.answerMs)}`,
    `first answers: ${spread(report.firstMs)}`,
    `sign-ins: ${spread(report.signInMs)}`,
    ...(report.late
      ? [
          `a person with ${late} transactions: first answer after ${report.late.ownMs.toFixed(0)} ms; meanwhile the longest answer of another one took ${report.late.othersMs.toFixed(0)} ms`,
        ]
      : []),
    `memory without people: ${mebibytes(empty.used)} MiB in use, ${mebibytes(empty.rss)} MiB resident`,
    `memory for each person who has signed in: ${each(empty, signedIn)}`,
    `memory for each person who is active: ${each(signedIn, asked)}`,
    `memory at the end: ${mebibytes(end.used)} MiB in use, ${mebibytes(end.rss)} MiB resident`,
    `${failures.length} wrong or failed answers${failures.length > 0 ? `, the first: ${failures[0]}` : ''}; exit code ${exitCode}`,
    '',
  ].join('\n'),
);
if (failures.length > 0) process.exitCode = 1;
