/**
 * Measures the first answer of a program that finds the budget in the state of an earlier one, compared with a program that
 * loads it from the service, and what it costs the earlier program to keep the budget for others. Needs SQLite.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { dateOf, systemClock } from '../../src/base/clock.ts';
import { BudgetReplica } from '../../src/model/replica/budget-replica.ts';
import { BudgetSnapshots } from '../../src/session/sync/budget-snapshots.ts';
import { findSqlite, type OpenDatabase } from '../../src/store/sqlite.ts';
import { SqliteStore } from '../../src/store/sqlite-store.ts';
import { heapInUse } from './loading.ts';
import { longestPause } from './pauses.ts';
import { timesOf } from './rounds.ts';
import type { ServiceProcess } from './service-process.ts';
import { count, ms, type Row } from './table.ts';

const ROUNDS = 5;
/** A budget that was read less long ago needs no request. */
const FRESH_MS = 5_000;

export async function secondStart(service: ServiceProcess): Promise<Row[]> {
  const sqlite = findSqlite();
  if (!sqlite) {
    process.stderr.write('A second start needs Node.js 22.13 or newer and is not measured.\n');
    return [];
  }
  return [await firstAnswers(service), ...(await keepingBudgets(service, sqlite))];
}

async function firstAnswers(service: ServiceProcess): Promise<Row> {
  const rounds: (readonly [second: Start, first: Start])[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push(
      await inDirectory(async (directory) => {
        const first = await start(service, directory);
        await setTimeout(FRESH_MS + 1_000);
        return [await start(service, directory), first] as const;
      }),
    );
  const median = (quantity: (second: Start, first: Start) => number) =>
    timesOf(rounds.map(([second, first]) => quantity(second, first))).median;
  const ratio = median((second, first) => second.time / first.time);
  const deltas = rounds.map(([{ syncs }]) => syncs);
  const isOneDelta = rounds.every(([{ syncs, loads, requests }, first]) => {
    const sent = requests - first.requests;
    return syncs === 1 && loads === 0 && sent === 1;
  });
  return {
    what: `from start to the first answer, with ${count(service.transactions)} transactions in the state of an earlier program`,
    measured: `${ratio.toFixed(2)} times as long: ${ms(median(({ time }) => time))}, with ${isOneDelta ? 'one delta request' : `${deltas} deltas`}`,
    beside: `loading them from the service: ${ms(median((_, { time }) => time))}`,
    target: 'at most 0.6 times, with one delta request',
    met: ratio <= 0.6 && isOneDelta,
  };
}

interface Start {
  /** In milliseconds, from the start of the program to its first answer. */
  readonly time: number;
  readonly syncs: number;
  readonly loads: number;
  /** Those that all programs have used in this hour. */
  readonly requests: number;
}

const greeting = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } },
];
const askStatus = { id: 3, method: 'tools/call', params: { name: 'get_status', arguments: {} } };

const answer = z.object({ id: z.number(), result: z.object({ isError: z.literal(false).optional() }) });
const statusAnswer = z.object({
  result: z.object({
    structuredContent: z.object({
      cache: z.object({ syncs: z.number(), loads: z.number() }),
      requests: z.object({ used: z.number() }),
      state: z.object({ shared: z.literal(true) }),
    }),
  }),
});

/** Ends the program when what it has read is written. */
async function start({ baseUrl, token, budgetId }: ServiceProcess, directory: string): Promise<Start> {
  const from = performance.now();
  const child = spawn(
    process.execPath,
    ['test/.built/main.js', 'serve', '--structured', '--state-dir', directory],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { BUDGET_MCP_TOKEN: token, BUDGET_MCP_BASE_URL: baseUrl, BUDGET_MCP_BUDGET: budgetId },
    },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  for (const message of greeting) send(message);
  let time = 0;
  for await (const line of createInterface(child.stdout)) {
    const { success, data } = answer.safeParse(JSON.parse(line));
    if (!success) throw new Error(`Unexpected answer: ${line.slice(0, 500)}`);
    if (data.id === 2) {
      time = performance.now() - from;
      send(askStatus);
    }
    if (data.id !== 3) continue;
    const { cache, requests } = statusAnswer.parse(JSON.parse(line)).result.structuredContent;
    // The parts of a snapshot are written after the answer.
    await setTimeout(FRESH_MS);
    child.stdin.end();
    await ended;
    return { time, ...cache, requests: requests.used };
  }
  throw new Error('The program ended without an answer.');
}

/** How long a program is blocked that keeps a budget for others, and the memory of a budget that was kept. */
async function keepingBudgets(service: ServiceProcess, sqlite: OpenDatabase): Promise<Row[]> {
  const today = dateOf(systemClock.now());
  const blocks: number[] = [];
  const restoreBlocks: number[] = [];
  let perRow = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { block, restoreBlock, bytes } = await inDirectory(async (directory) => {
      const options = {
        sqlite,
        clock: systemClock,
        path: join(directory, 'bench.db'),
        key: new Uint8Array(32),
      };
      const store = await SqliteStore.open(options);
      const snapshots = new BudgetSnapshots(store);
      const { id, block } = await write(snapshots, BudgetReplica.load(await service.export(), today));
      const before = heapInUse();
      const { replica, block: restoreBlock } = await restore(snapshots, id, today);
      const rows = replica.transactions.list({}).length;
      const bytes = (heapInUse() - before) / rows;
      // The replica must stay in memory until here.
      if (replica.knowledge === 0) throw new Error('The budget is empty.');
      await store.close();
      return { block, restoreBlock, bytes };
    });
    blocks.push(block);
    restoreBlocks.push(restoreBlock);
    perRow = bytes;
  }
  const longest = timesOf(blocks).median;
  const longestRestore = timesOf(restoreBlocks).median;
  return [
    {
      what: `the longest pause of a program while it writes ${count(service.transactions)} transactions into the state`,
      measured: ms(longest),
      beside: '',
      target: 'under 100 ms',
      met: longest < 100,
    },
    {
      what: `the longest pause of a program while it reads ${count(service.transactions)} transactions from the state`,
      measured: ms(longestRestore),
      beside: '',
      target: 'at most 50 ms',
      met: longestRestore <= 50,
    },
    {
      what: 'memory per transaction of a budget from the state, including names and lists',
      measured: `${Math.round(perRow)} bytes`,
      beside: '',
      target: 'at most 1,024 bytes',
      met: perRow <= 1024,
    },
  ];
}

async function write(snapshots: BudgetSnapshots, replica: BudgetReplica) {
  let id = '';
  const block = await longestPause(async () => {
    ({ id } = await snapshots.write(replica.head.id, replica.inParts()));
  });
  return { id, block };
}

async function restore(snapshots: BudgetSnapshots, id: string, today: string) {
  let replica: BudgetReplica | undefined;
  const block = await longestPause(async () => {
    const kept = await snapshots.read(id);
    replica = kept && (await BudgetReplica.loadInTurns(kept, today));
  });
  if (!replica) throw new Error('The snapshot cannot be read.');
  return { replica, block };
}

async function inDirectory<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'budget-mcp-bench-'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
