/** The locks of a store in Redis. A lock is free when it was released, or when its process has ended for Redis. */
import { randomUUID } from 'node:crypto';
import { cancelledError, withCancellation } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { RedisProcess } from './redis-process.ts';
import { releaseLock, type StoreKeys, takeLock } from './redis-scripts.ts';
import type { LockOptions, Release } from './shared-store.ts';

/** How often a call that waits tries again, if it does not hear that a lock was released. */
const RETRY_MS = 250;

export interface RedisLocksOptions {
  readonly redis: RedisConnection;
  readonly process: RedisProcess;
  readonly keys: StoreKeys;
  /** For waiting. */
  readonly clock: Clock;
}

export class RedisLocks {
  readonly #options: RedisLocksOptions;
  readonly #waiting = new Set<AbortController>();

  constructor(options: RedisLocksOptions) {
    this.#options = options;
  }

  /** Some lock was released. */
  released(): void {
    for (const waiting of this.#waiting) waiting.abort();
  }

  async take(place: Buffer, { waitMs, signal }: LockOptions): Promise<Release | undefined> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + waitMs;
    for (;;) {
      if (signal?.aborted) throw cancelledError();
      // Before the attempt, so that a release just after it is heard.
      const woken = new AbortController();
      this.#waiting.add(woken);
      try {
        const release = await this.#tryUnlessCancelled(place, signal);
        if (release) return release;
        const remainingMs = deadline - clock.monotonic();
        if (remainingMs <= 0) return undefined;
        const until = signal ? AbortSignal.any([signal, woken.signal]) : woken.signal;
        await clock.sleep(Math.min(RETRY_MS, remainingMs), until).catch(() => {});
      } finally {
        this.#waiting.delete(woken);
      }
    }
  }

  async #tryUnlessCancelled(place: Buffer, signal: AbortSignal | undefined): Promise<Release | undefined> {
    const attempt = this.#try(place);
    try {
      return await withCancellation(attempt, signal);
    } catch (error) {
      const releaseLate = (release: Release | undefined) => release?.();
      if (signal?.aborted) attempt.then(releaseLate).catch(() => {});
      throw error;
    }
  }

  async #try(place: Buffer): Promise<Release | undefined> {
    const { process, keys } = this.#options;
    const possession = randomUUID();
    const release = this.#releaseOf(place, possession);
    try {
      const { status, result } = await process.inTurn((write) =>
        write(takeLock, [keys.locks], [place, possession]),
      );
      if (status === 'done') return release;
      return (await process.removeEnded([String(result)])) ? this.#try(place) : undefined;
    } catch (error) {
      // Redis may have given the lock, and only its answer was lost.
      void release();
      throw error;
    }
  }

  #releaseOf(place: Buffer, possession: string): Release {
    const { redis, process, keys } = this.#options;
    return () =>
      redis.ensure(async () => {
        if (process.isOver) return;
        await process.inTurn((write) => write(releaseLock, [keys.locks], [place, possession]));
      });
  }
}
