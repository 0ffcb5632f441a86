/** A real Redis for tests, if it is installed. Otherwise they are skipped with a message, or fail with REQUIRE_ALL=1. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { RedisConnection } from '../../src/state/redis-connection.ts';
import { RedisStore } from '../../src/state/redis-store.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { unusedUrl } from '../local-server.helper.ts';

const isInstalled = spawnSync('redis-server', ['--version']).status === 0;
const isRequired = process.env['REQUIRE_ALL'] === '1';

/** For `describe.skipIf` and `test.skipIf`. */
export const noRedis = !isInstalled && !isRequired;

if (noRedis) process.stderr.write('SKIPPED: tests with Redis, because redis-server is not installed.\n');

export const key = new Uint8Array(32).fill(7);

export interface TestRedis {
  readonly port: number;
  readonly url: string;
  readonly directory: string;
  /** Ends it like a power failure, and waits for that. */
  kill(): Promise<void>;
  /** On the same port, with the data that it has saved. */
  start(): Promise<void>;
  /** `SIGSTOP` and `SIGCONT` suspend and resume it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/** Runs Redis on a port of 127.0.0.1 until the test has finished. By default it saves nothing. */
export async function startRedis(...settings: readonly string[]): Promise<TestRedis> {
  const directory = await temporaryDirectory();
  let port = 0;
  let server: ChildProcess | undefined;
  const kill = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  const start = async () => {
    const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory, '--save', '', ...settings];
    const started = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    server = started;
    const ended = once(started, 'exit').then(() => {
      throw new Error('Redis has ended.');
    });
    const ready = (async () => {
      for await (const line of createInterface(started.stdout))
        if (line.includes('Ready to accept connections')) return;
    })();
    await Promise.race([ready, ended]);
    ended.catch(() => {});
    // Otherwise it would wait once the pipe is full.
    started.stdout.resume();
  };
  /** Another program may take the port in between. */
  const startAnywhere = async (tries = 3): Promise<void> => {
    port = Number(new URL(await unusedUrl()).port);
    await start().catch((error: unknown) => {
      if (tries === 1) throw error;
      return startAnywhere(tries - 1);
    });
  };
  await startAnywhere();
  onTestFinished(kill);
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    directory,
    kill,
    start,
    signal: (signal) => server?.kill(signal),
  };
}

/** A clock on which everything takes a tenth of the time, for waits that end without success. */
export const tenfoldClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * 10,
  sleep: (milliseconds, signal, isBackground) => systemClock.sleep(milliseconds / 10, signal, isBackground),
};

interface Opening {
  readonly url: string;
  readonly clock?: Clock;
  readonly leaseMs?: number;
  readonly key?: Uint8Array;
  readonly name?: string;
}

/** Closed when the test has finished. Each connection is another process for Redis. */
export async function connectRedis({ url, clock = systemClock, leaseMs = 60_000 }: Opening) {
  const redis = await RedisConnection.open({ url, clock, leaseMs });
  onTestFinished(() => redis.close());
  return redis;
}

/** A store of a process of its own. */
export async function openRedisStore(
  opening: Opening,
): Promise<{ redis: RedisConnection; store: RedisStore }> {
  const redis = await connectRedis(opening);
  const { clock = systemClock, key: ownKey = key, name = 'test' } = opening;
  return { redis, store: await RedisStore.open({ redis, clock, key: ownKey, name }) };
}

/** A client of another program. */
export function connectTo(url: string): Redis {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  return client;
}
