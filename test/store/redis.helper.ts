/** A real Redis for tests, if it is installed. Otherwise they are skipped with a message, or fail with REQUIRE_ALL=1. */
import { spawnSync } from 'node:child_process';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { RedisConnection } from '../../src/store/redis-connection.ts';
import { RedisStore } from '../../src/store/redis-store.ts';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { RedisProgram } from '../redis-program.helper.ts';

const isInstalled = spawnSync('redis-server', ['--version']).status === 0;
const isRequired = process.env['REQUIRE_ALL'] === '1';

/** For `describe.skipIf` and `test.skipIf`. */
export const noRedis = !isInstalled && !isRequired;

if (noRedis) process.stderr.write('SKIPPED: tests with Redis, because redis-server is not installed.\n');

export const key = new Uint8Array(32).fill(7);

/** Runs Redis on a port of 127.0.0.1 until the test has finished. By default it saves nothing. */
export async function startRedis(...settings: readonly string[]): Promise<RedisProgram> {
  const redis = await RedisProgram.start({ directory: await temporaryDirectory(), settings });
  onTestFinished(() => redis.kill());
  return redis;
}

/** A clock that runs `speed` times as fast: for waits that end without success. What succeeds needs the time of a slow machine. */
export class FastClock implements Clock {
  #speed = 1;
  #at = systemClock.monotonic();
  #since = this.#at;

  set speed(speed: number) {
    this.#at = this.monotonic();
    this.#since = systemClock.monotonic();
    this.#speed = speed;
  }

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return this.#at + (systemClock.monotonic() - this.#since) * this.#speed;
  }

  sleep(milliseconds: number, signal?: AbortSignal, isBackground?: boolean): Promise<void> {
    return systemClock.sleep(milliseconds / this.#speed, signal, isBackground);
  }
}

interface Opening {
  readonly url: string;
  readonly clock?: Clock;
  readonly leaseMs?: number;
  readonly replicas?: number;
  readonly key?: Uint8Array;
  readonly name?: string;
}

/** With a clock that stands still, what could not be sent would never be sent again. */
export const withRealPauses = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  sleep: (milliseconds, signal, isBackground) =>
    (isBackground ? clock : systemClock).sleep(milliseconds, signal, isBackground),
});

/** Closed when the test has finished. Each connection is another process for Redis. */
export async function connectRedis({ url, clock = systemClock, leaseMs = 60_000, replicas = 0 }: Opening) {
  const redis = await RedisConnection.open({ url, clock: withRealPauses(clock), leaseMs, replicas });
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
