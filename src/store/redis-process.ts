/**
 * This server as a process of one store: whether it and the others run, its locks, and its writes, one after the other and each with
 * the next number. So Redis recognises a write that is sent again, because its answer was lost, and one that arrives after the
 * next one.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { cancelledError } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { RedisAnswer, RedisArguments, RedisConnection } from './redis-connection.ts';
import {
  findProcess,
  joinAgain,
  openStore,
  releaseLock,
  removeProcesses,
  type Script,
  type StoreKeys,
  takeLock,
} from './redis-scripts.ts';
import type { LockOptions, Release } from './shared-store.ts';
import { ignoreStoreError, StoreError } from './store-error.ts';

/** Sends a script that writes. `keys` and `args` are those of this script only. */
export type Write = (
  script: Script,
  keys: readonly string[],
  args: RedisArguments,
  waitsForReplicas?: boolean,
) => Promise<RedisAnswer>;

/** How often a call that waits for a lock tries again, if it does not hear that one was released. */
const RETRY_MS = 250;

const processIds = z.array(z.instanceof(Buffer));

export class RedisProcess {
  readonly id: string;
  readonly #redis: RedisConnection;
  readonly #keys: StoreKeys;
  readonly #clock: Clock;
  #last = 0;
  /** The last write that Redis has answered as done. */
  #lastDone = 0;
  /** The time of that write. */
  #lastTime = 0;
  /** The locks of this process: the place of each by its possession. */
  readonly #locks = new Map<string, Buffer>();
  /** The store was closed or removed, so that it has no locks of this process any more. */
  #isOver = false;
  #turn: Promise<unknown> = Promise.resolve();
  /** The calls that wait for a lock. */
  readonly #waiting = new Set<AbortController>();

  /** `clock` is for waiting. */
  constructor(redis: RedisConnection, keys: StoreKeys, clock: Clock) {
    this.#redis = redis;
    this.#clock = clock;
    this.id = redis.nextProcessId();
    this.#keys = keys;
  }

  async begin(): Promise<void> {
    await this.#redis.renew();
    const { result, at } = await this.run(openStore, [], [this.id]);
    this.#lastTime = at;
    await this.removeEnded(processIds.parse(result).map(String));
  }

  async isRunning(id: string): Promise<boolean> {
    const [{ result }, hasEnded] = await Promise.all([
      this.run(findProcess, [], [id]),
      this.removeEnded([id]),
    ]);
    return result === 1 && !hasEnded;
  }

  /** Returns whether any of these processes has ended. Then they cannot write any more. */
  async removeEnded(ids: readonly string[]): Promise<boolean> {
    const ended = await this.#redis.ended(ids);
    if (ended.length > 0) await this.#remove(ended);
    return ended.length > 0;
  }

  /** The locks of this process become free. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#turn;
    await this.#redis.ensure(() => this.#remove([this.id]));
  }

  /** `since` is when the caller began to wait. */
  async run(script: Script, keys: readonly string[], args: RedisArguments, since?: number) {
    if (this.#isOver) throw new StoreError('closed', { isEnd: true });
    return this.#redis.run(script, this.#allKeys(keys), args, since);
  }

  /** `work` may write several times. No other write of this process to the store comes in between. */
  async inTurn<Result>(work: (write: Write, since: number) => Promise<Result>): Promise<Result> {
    if (this.#isOver) throw new StoreError('closed', { isEnd: true });
    const since = this.#redis.localTime();
    const turn = this.#turn.then(() => work(this.#writer(since), since));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Some lock was released. */
  released(): void {
    for (const waiting of this.#waiting) waiting.abort();
  }

  /** Undefined if the lock cannot be taken in time. A lock is free when it was released, or when its process has ended for Redis. */
  async lock(place: Buffer, { waitMs, signal }: LockOptions): Promise<Release | undefined> {
    const deadline = this.#clock.monotonic() + waitMs;
    for (;;) {
      if (signal?.aborted) throw cancelledError();
      // Before the attempt, so that a release just after it is heard.
      const woken = new AbortController();
      this.#waiting.add(woken);
      try {
        const release = await this.#tryLock(place).catch((error) => {
          throw signal?.aborted ? cancelledError() : error;
        });
        if (signal?.aborted) {
          await release?.();
          throw cancelledError();
        }
        if (release) return release;
        const remainingMs = deadline - this.#clock.monotonic();
        if (remainingMs <= 0) return undefined;
        const until = signal ? AbortSignal.any([signal, woken.signal]) : woken.signal;
        await this.#clock.sleep(Math.min(RETRY_MS, remainingMs), until).catch(() => {});
      } finally {
        this.#waiting.delete(woken);
      }
    }
  }

  async #tryLock(place: Buffer): Promise<Release | undefined> {
    const possession = randomUUID();
    const release = () =>
      this.#redis.ensure(async () => {
        if (this.#isOver) return;
        await this.inTurn((write) => write(releaseLock, [this.#keys.locks], [place, possession]));
        this.#locks.delete(possession);
        this.released();
      });
    try {
      const { status, result } = await this.inTurn((write) =>
        write(takeLock, [this.#keys.locks], [place, possession]),
      );
      if (status === 'done') {
        this.#locks.set(possession, place);
        return release;
      }
      return (await this.removeEnded([String(result)])) ? this.#tryLock(place) : undefined;
    } catch (error) {
      // Redis may have given the lock, and only its answer was lost.
      void release();
      throw error;
    }
  }

  /** Sends each write with the next number. `since` is when the caller began to wait. */
  #writer(since: number): Write {
    return async (script, keys, args, waitsForReplicas) => {
      this.#last += 1;
      const number = this.#last;
      const numbered = [this.id, number, this.#lastDone, ...args];
      const send = () => this.#redis.run(script, this.#allKeys(keys), numbered, since, waitsForReplicas);
      let answer = await send();
      if (answer.status === 'removed' && (await this.#joinAgain())) {
        // It may have been carried out before the list of processes was lost.
        if (answer.isRepeated) throw new StoreError('without its list of processes');
        answer = await send();
      }
      if (answer.status === 'removed') {
        this.#isOver = true;
        throw new StoreError('without this store: it was closed or removed', { isEnd: true });
      }
      if (answer.status === 'done') {
        this.#lastDone = number;
        this.#lastTime = answer.at;
      }
      if (answer.status === 'late') throw new Error('Two writes were sent at once.');
      return answer;
    };
  }

  /** After a look that has not found this process in the list. Not before its writes in progress are answered. */
  wasMissing(): void {
    this.inTurn(() => this.#joinAgain()).catch(ignoreStoreError);
  }

  /** True if the store is still there. Throws if this process has ended for Redis. */
  async #joinAgain(): Promise<boolean> {
    const locks = [...this.#locks].flatMap(([possession, place]) => [place, possession]);
    const args = [this.id, this.#lastDone, this.#lastTime, ...locks];
    const { status } = await this.#redis.run(joinAgain, this.#allKeys([this.#keys.locks]), args);
    // After it has joined, so that it writes nothing if its lease was over before.
    await this.#redis.renew();
    return status === 'done';
  }

  async #remove(ids: readonly string[]): Promise<void> {
    await this.#redis.run(removeProcesses, this.#allKeys([]), ids);
  }

  /** All scripts of a store have these keys first. */
  #allKeys(keys: readonly string[]): readonly string[] {
    return [this.#keys.records, this.#keys.processes, ...keys];
  }
}
