/**
 * Prints, as JSON, what calls of each kind cost where the state is shared, each asked of a server on standard input and output.
 * The argument is where: in a file, in Redis if it is an address, or by default in memory.
 */
import { Session } from 'node:inspector/promises';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import { z } from 'zod';
import { fixedTokenProvider } from '../src/auth/token-provider.ts';
import { type Clock, systemClock } from '../src/base/clock.ts';
import { createServer, createSharedState } from '../src/mcp/server.ts';
import { startService } from '../src/service/server.ts';
import { BudgetClient } from '../src/session/budget-client.ts';
import { HttpSender } from '../src/session/http/http-sender.ts';
import { RateBudget } from '../src/session/rate-budget/rate-budget.ts';
import { MemoryStore, SharedMemory } from '../src/store/memory-store.ts';
import { RedisConnection } from '../src/store/redis-connection.ts';
import { RedisStore } from '../src/store/redis-store.ts';
import type { SharedStore } from '../src/store/shared-store.ts';
import { findSqlite } from '../src/store/sqlite.ts';
import { SqliteStore } from '../src/store/sqlite-store.ts';
import { serveStdio } from '../src/transports/stdio.ts';
import type { CallCost, CallCosts } from './call-costs.helper.ts';
import { counted } from './counting-store.helper.ts';
import { distant } from './distant-store.helper.ts';

const root = new URL('../src/', import.meta.url).href;

/** What happens after an answer happens while the host has it already. */
const DISTANCE_MS = 25;

const printError = (error: unknown) => void process.stderr.write(`${inspect(error)}\n`);

/** It stands still, and what is done from time to time is not done, so that a call costs the same on a slow machine. */
const start = { now: systemClock.now(), monotonic: systemClock.monotonic() };
const clock: Clock = {
  now: () => start.now,
  monotonic: () => start.monotonic,
  sleep: (milliseconds, signal, isBackground = false) =>
    isBackground ? new Promise(() => {}) : systemClock.sleep(milliseconds, signal),
};

const service = await startService({ clock: systemClock });
const tokens = fixedTokenProvider({ baseUrl: service.baseUrl, token: service.accessToken });
const memory = new SharedMemory();

const frame = z.object({
  id: z.number().optional(),
  result: z.looseObject({ isError: z.boolean().optional() }).optional(),
});

async function openStore(): Promise<SharedStore> {
  const [, , place] = process.argv;
  if (place === undefined) return new MemoryStore(clock, memory);
  const key = new Uint8Array(32).fill(7);
  if (place.startsWith('redis:'))
    return RedisStore.open({
      redis: await RedisConnection.open({ url: place, clock: systemClock }),
      clock,
      key,
      name: 'test',
    });
  const sqlite = findSqlite();
  if (!sqlite) throw new Error('This Node.js has no SQLite.');
  return SqliteStore.open({ sqlite, clock, path: place, key });
}

/** Another process of the same user. */
async function startServer() {
  const { store, accesses } = counted(distant(await openStore(), DISTANCE_MS));
  const requests: string[] = [];
  const deps = {
    client: new BudgetClient({
      tokens,
      sender: new HttpSender({ clock }),
      clock,
      cacheBytes: 2 ** 26,
      store: async () => store,
      rateBudget: (shared) => new RateBudget({ clock, store: shared }),
      onRequest: ({ route }) => requests.push(route),
    }),
    clock,
    log: { error: ({ err }: { err: unknown }) => printError(err) },
    version: '0.0.0',
    confirm: 'deletes',
  } as const;
  const shared = createSharedState(deps);
  const input = new PassThrough();
  const output = new PassThrough();
  const { signal } = new AbortController();
  const load = async () => shared;
  void serveStdio(() => createServer(deps, shared), {
    clock,
    signal,
    onError: printError,
    load,
    input,
    output,
  });
  let waiting: (answer: z.output<typeof frame>) => void = () => {};
  output.setEncoding('utf8');
  output.on('data', (line: string) => {
    const answer = frame.parse(JSON.parse(line));
    if (answer.id !== undefined) waiting(answer);
  });
  let id = 0;
  const ask = (method: string, params: object) => {
    id += 1;
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise<z.output<typeof frame>>((resolve) => {
      waiting = resolve;
    });
  };
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'trace', version: '0.0.0' },
  });
  input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const call = async (name: string, args: object) => {
    const { result } = await ask('tools/call', { name, arguments: args });
    if (!result || result.isError) throw new Error(JSON.stringify(result));
    const before = [...accesses];
    await isQuiet(accesses);
    return before;
  };
  const costOf = async (name: string, args: object): Promise<CallCost> => {
    accesses.length = 0;
    requests.length = 0;
    let before: readonly string[] = [];
    const files = await filesOf(async () => {
      before = await call(name, args);
    });
    return { files, before: [...before], after: accesses.slice(before.length), requests: [...requests] };
  };
  return { call, costOf };
}

/** What goes on after an answer uses the store again within this time. */
const QUIET_MS = 150;

async function isQuiet(accesses: readonly string[]): Promise<void> {
  for (let known = -1; known !== accesses.length; ) {
    known = accesses.length;
    await setTimeout(QUIET_MS);
  }
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith(root))
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => url.slice(root.length))
    .filter((file) => !/^(service|base)\//.test(file))
    .toSorted();
}

const groceries = { category_id: 'Groceries' };
const transactions = [{ account_id: 'checking', date: '2026-11-20', amount: -1 }];

const first = await startServer();
await first.call('list_budgets', {});
const cold = await first.costOf('list_transactions', { limit: 10 });
const second = await startServer();
await second.call('get_category', groceries);
const warm = await second.costOf('get_category', groceries);
const write = await second.costOf('create_transactions', { transactions });
const costs: CallCosts = { warm, cold, write };
process.stdout.write(JSON.stringify(costs), () => process.exit());
