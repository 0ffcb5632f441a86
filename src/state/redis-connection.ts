/**
 * The connection of this process to a Redis that several machines share, for all stores in it. It is made again by itself
 * when it is lost. Each command is sent again for some seconds, and then fails with a `StoreError` that completes
 * "Redis is …".
 *
 * The process has a lease in Redis, which is renewed all the time. If that was not possible for too long, because the
 * process was suspended or Redis was not reachable, others have taken over its locks. Then the process has ended for
 * Redis: all that it writes is refused, and it has to open another connection and other stores. The same happens when
 * Redis was started again without its data.
 */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { RedisClock } from './redis-clock.ts';
import { redisProblemOf } from './redis-problem.ts';
import { beginLease, endLease, leaseKeyOf, renewLease, type Script, timeKey } from './redis-scripts.ts';
import { RedisSubscriber } from './redis-subscriber.ts';
import { redisOptionsOf } from './redis-url.ts';
import { StoreError } from './store-error.ts';

export interface RedisConnectionOptions {
  /** `redis://` or `rediss://`. It may have a user and a password. */
  readonly url: string;
  readonly clock: Clock;
  /** How long the locks of a process stay after it was killed or suspended. */
  readonly leaseMs?: number;
}

export interface RedisAnswer {
  readonly status: string;
  readonly result: unknown;
}

export type RedisArguments = readonly (string | Buffer | number)[];

const LEASE_MS = 10_000;
/** A command is sent again if there is no answer for this long. */
const ATTEMPT_MS = 2_000;
/** A command fails if Redis has not answered anything for this long. */
const MAX_WAIT_MS = 4_500;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 400;
/** How often a lease is renewed while it lasts. */
const RENEWALS = 4;

const answerSchema = z.tuple([z.instanceof(Buffer), z.number(), z.number()], z.unknown());

export class RedisConnection {
  /** The time that all machines have in common. What compares moments of a shared store has to use it. */
  readonly clock: RedisClock;
  readonly subscriber: RedisSubscriber;
  readonly #id = randomUUID();
  readonly #options: RedisConnectionOptions;
  readonly #client: Redis;
  /** What has to be done as soon as Redis can be reached. */
  readonly #postponed = new Set<() => Promise<unknown>>();
  readonly #ended = new AbortController();
  readonly #onEnded = new Set<(error: StoreError) => void>();
  #end: StoreError | undefined;
  #connectionError: Error | undefined;
  /** Why Redis could not be used last. */
  #problem = 'not answering';
  #answeredAt = Number.NEGATIVE_INFINITY;

  private constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.clock = new RedisClock(options.clock);
    this.#client = this.#newClient();
    this.subscriber = new RedisSubscriber(this.#newClient());
  }

  static async open(options: RedisConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options);
    try {
      await connection.#run(beginLease, [], [connection.#leaseMs]);
    } catch (error) {
      connection.#stop(new StoreError('closed'));
      throw error;
    }
    void connection.#keepLease();
    return connection;
  }

  /** Redis knows this process by it. */
  get leaseKey(): string {
    return leaseKeyOf(this.#id);
  }

  /** Called once if Redis does not accept this process any more. Everything that uses the connection has to be opened again. */
  onEnded(listener: (error: StoreError) => void): void {
    this.#onEnded.add(listener);
  }

  /** Throws if this process has ended for Redis. */
  async run(
    script: Script,
    keys: readonly string[],
    args: RedisArguments,
    /** When the caller began to wait, by `localTime`. */
    since?: number,
  ): Promise<RedisAnswer> {
    const answer = await this.#run(script, keys, args, since);
    if (answer.status === 'ended') {
      const error = new StoreError(
        'not accepting this process any more: it was cut off for too long, or Redis has lost its data',
      );
      this.#stop(error);
      for (const listener of this.#onEnded) listener(error);
      throw error;
    }
    return answer;
  }

  /** When a caller begins to wait for an answer, for `run`. */
  localTime(): number {
    return this.#options.clock.monotonic();
  }

  /** Does it now, or as soon as Redis can be reached, unless this process has ended for Redis before. */
  async ensure(work: () => Promise<unknown>): Promise<void> {
    this.#postponed.add(work);
    await this.#try(work);
  }

  /** The locks of this process become free. */
  async close(): Promise<void> {
    if (this.#end) return;
    await this.#run(endLease, [], []).catch(ignoreStoreError);
    this.#stop(new StoreError('closed'));
  }

  get #leaseMs(): number {
    return this.#options.leaseMs ?? LEASE_MS;
  }

  #newClient(): Redis {
    const client = new Redis({
      ...redisOptionsOf(this.#options.url),
      connectTimeout: ATTEMPT_MS,
      disconnectTimeout: 1,
      // Only this file knows what may be sent again.
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      maxRetriesPerRequest: 0,
      enableReadyCheck: false,
      disableClientInfo: true,
      retryStrategy: (times) => Math.min(FIRST_PAUSE_MS * 2 ** times, MAX_PAUSE_MS),
    });
    client.on('error', (error: Error) => {
      this.#connectionError = error;
    });
    client.on('ready', () => {
      this.#connectionError = undefined;
    });
    return client;
  }

  async #run(
    script: Script,
    keys: readonly string[],
    args: RedisArguments,
    since = this.#options.clock.monotonic(),
  ): Promise<RedisAnswer> {
    const allKeys = [this.leaseKey, timeKey, ...keys];
    const answer = await this.#persist(since, async () => {
      const parameters = [allKeys.length, ...allKeys, this.clock.monotonic(), ...args];
      try {
        return await this.#client.callBuffer('EVALSHA', [script.sha, ...parameters]);
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return await this.#client.callBuffer('EVAL', [script.text, ...parameters]);
      }
    });
    const [status, wall, monotonic, result] = answerSchema.parse(answer);
    this.clock.set({ wall, monotonic });
    return { status: status.toString(), result };
  }

  /** Tries again for some seconds, counted from the last answer of Redis. */
  async #persist(since: number, send: () => Promise<unknown>): Promise<unknown> {
    const { clock } = this.#options;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      if (this.#end) throw this.#end;
      const leftMs = Math.max(since, this.#answeredAt) + MAX_WAIT_MS - clock.monotonic();
      if (leftMs <= 0) throw new StoreError(this.#problem);
      try {
        const answer = await this.#inTime(this.#client, send(), Math.min(ATTEMPT_MS, leftMs));
        this.#answeredAt = clock.monotonic();
        return answer;
      } catch (error) {
        if (this.#end) throw this.#end;
        const problem = redisProblemOf(error, this.#connectionError);
        this.#problem = problem.message;
        // Without the error as a cause: it has the arguments of the command.
        if (!problem.passes) throw new StoreError(problem.message);
      }
      await clock.sleep(pause);
    }
  }

  /** A connection without an answer is given up: it may be dead, and another one may work. */
  async #inTime<Answer>(client: Redis, answer: Promise<Answer>, milliseconds = ATTEMPT_MS): Promise<Answer> {
    const settled = new AbortController();
    const limit = this.#options.clock.sleep(milliseconds, settled.signal, true).then(() => {
      if (client.status === 'ready' || client.status === 'connect') client.disconnect(true);
      throw new Error('There is no answer.');
    });
    return Promise.race([answer, limit]).finally(() => settled.abort());
  }

  async #keepLease(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#ended;
    while (!this.#end) {
      await clock.sleep(this.#leaseMs / RENEWALS, signal, true).catch(() => {});
      if (this.#end) return;
      await Promise.all([
        this.run(renewLease, [], [this.#leaseMs]).catch(ignoreStoreError),
        this.subscriber.check((client, answer) => this.#inTime(client, answer)),
        ...[...this.#postponed].map((work) => this.#try(work)),
      ]);
    }
  }

  async #try(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.#postponed.delete(work);
    } catch (error) {
      ignoreStoreError(error);
    }
  }

  #stop(reason: StoreError): void {
    this.#end = reason;
    this.#ended.abort();
    this.#postponed.clear();
    this.#client.disconnect();
    this.subscriber.close();
  }
}

function ignoreStoreError(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
}
