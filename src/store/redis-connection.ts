/**
 * The connection of this server to a Redis or a cluster that several machines share, for all stores in it.
 *
 * The server has a lease in Redis, which is renewed all the time. If that was not possible for too long, others may have taken
 * over its locks. Then it has ended for Redis, and has to open another connection and other stores. The same happens when
 * Redis was started again without its data.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { connectToNode, isRefusal, RedisClient, tooFewReplicas } from './redis-client.ts';
import { RedisClock } from './redis-clock.ts';
import { beginLease, endLease, leaseKeyOf, renewLease, type Script, serversKey } from './redis-scripts.ts';
import { RedisSubscriber } from './redis-subscriber.ts';
import { ignoreStoreError, StoreError } from './store-error.ts';

export interface RedisConnectionOptions {
  /** `redis://` or `rediss://`. It may have a user and a password. Several, with commas between them, are a cluster. */
  readonly url: string;
  /** How many replicas must have what a safe `run` has written. */
  readonly replicas?: number;
  readonly clock: Clock;
  /** How long the locks of a process stay after it was killed or suspended. */
  readonly leaseMs?: number;
}

export interface RedisAnswer {
  readonly status: string;
  readonly result: unknown;
  /** The time that Redis had then (`RedisClock.monotonic`). */
  readonly at: number;
  /** True if it was sent more than once, so that an earlier one may have been carried out. */
  readonly isRepeated: boolean;
}

export type RedisArguments = readonly (string | Buffer | number)[];

const LEASE_MS = 10_000;
const RENEWAL = 1 / 4;
/** How long replicas may take to confirm a change. */
const REPLICAS_WAIT_MS = 1_000;

const answerSchema = z.tuple([z.instanceof(Buffer), z.number(), z.number()], z.unknown());
const leasesSchema = z.array(z.string().nullable());
const settingSchema = z.tuple([z.string(), z.string()]);

export class RedisConnection {
  /** The time that all machines have in common. What compares moments of a shared store has to use it. */
  readonly clock: RedisClock;
  readonly subscriber: RedisSubscriber;
  readonly #id = randomUUID();
  #lastProcess = 0;
  readonly #leaseMs: number;
  readonly #localClock: Clock;
  readonly #client: RedisClient;
  /** For what waits for replicas: nothing else on its connection is answered meanwhile. */
  readonly #safeClient: RedisClient;
  readonly #replicas: number;
  /** What has to be done as soon as Redis can be reached. */
  readonly #postponed = new Set<() => Promise<unknown>>();
  readonly #endListeners = new Set<(error: StoreError) => void>();
  readonly #ending = new AbortController();
  /** What a person should change in the settings of Redis, in sentences. */
  warnings: readonly string[] = [];

  private constructor({ url, clock, replicas = 0, leaseMs = LEASE_MS }: RedisConnectionOptions) {
    this.#leaseMs = leaseMs;
    this.#localClock = clock;
    this.clock = new RedisClock(clock);
    this.#client = new RedisClient(url, clock);
    this.#replicas = replicas;
    this.#safeClient = replicas > 0 ? new RedisClient(url, clock) : this.#client;
    this.subscriber = new RedisSubscriber(new RedisClient(url, clock, connectToNode));
  }

  static async open(options: RedisConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options);
    try {
      await connection.#lookAtServer();
      await connection.#runOnLease(beginLease);
      await connection.subscriber.begin();
    } catch (error) {
      connection.#stop(new StoreError('closed', { isEnd: true }));
      throw error;
    }
    void connection.#keepLease();
    return connection;
  }

  /** The id of another process, which is this server for one store. */
  nextProcessId(): string {
    this.#lastProcess += 1;
    return `${this.#id}.${this.#lastProcess}`;
  }

  /** Throws if Redis does not accept this server any more. */
  async renew(): Promise<void> {
    await this.#runOnLease(renewLease);
  }

  /** Those of the processes whose server has ended, for ever. */
  async ended(processIds: readonly string[]): Promise<readonly string[]> {
    if (processIds.length === 0) return [];
    const keys = processIds.map(leaseKeyOf);
    const leases = leasesSchema.parse(await this.#client.send(this.localTime(), (redis) => redis.mget(keys)));
    return processIds.filter((_, i) => leases[i] === null);
  }

  /** Calls `listener` once if Redis does not accept this process any more. All stores have to be closed and opened again on another connection. */
  onEnded(listener: (error: StoreError) => void): void {
    this.#endListeners.add(listener);
  }

  localTime(): number {
    return this.#localClock.monotonic();
  }

  /** With `isSafe`, throws if too few replicas have got within a second what the script and all before it have written. */
  async run(
    script: Script,
    keys: readonly string[],
    args: RedisArguments,
    since = this.localTime(),
    isSafe = false,
  ): Promise<RedisAnswer> {
    const replicas = isSafe ? this.#replicas : 0;
    const client = replicas > 0 ? this.#safeClient : this.#client;
    let attempts = 0;
    const answer = await client.send(since, async (redis) => {
      attempts += 1;
      // A pipeline does not follow a slot to another node, but this does, and the next pipeline as well.
      if (replicas > 0) await redis.exists(...keys);
      const parameters = [keys.length, ...keys, this.clock.monotonic(), ...args];
      try {
        return await call(redis, 'EVALSHA', [script.sha, ...parameters], replicas);
      } catch (error) {
        if (!isRefusal(error, 'NOSCRIPT')) throw error;
        return await call(redis, 'EVAL', [script.text, ...parameters], replicas);
      }
    });
    const [status, wall, monotonic, result] = answerSchema.parse(answer);
    this.clock.set({ wall, monotonic });
    if (status.toString() === 'ended') throw this.#ended();
    return { status: status.toString(), result, at: monotonic, isRepeated: attempts > 1 };
  }

  /** Does it now, or as soon as Redis can be reached, unless this process has ended for Redis before. */
  async ensure(work: () => Promise<unknown>): Promise<void> {
    this.#postponed.add(work);
    await this.#try(work);
  }

  /** The locks of this process become free. */
  async close(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    await this.#runOnLease(endLease).catch(ignoreStoreError);
    this.#stop(new StoreError('closed', { isEnd: true }));
  }

  async #lookAtServer(): Promise<void> {
    const ask = (question: () => Promise<unknown>) =>
      question().catch((error: unknown) => {
        if (!isRefusal(error, 'NOPERM')) throw error;
        return undefined;
      });
    const since = this.localTime();
    const info = await this.#client.send(since, (redis) => ask(() => redis.info()));
    const setting = await this.#client.send(since, (redis) => ask(() => redis.config('GET', 'appendfsync')));
    const [, fsync = ''] = settingSchema.safeParse(setting).data ?? [];
    const { isTooOld, warnings } = redisServerOf(String(info ?? ''), fsync, this.#replicas);
    if (isTooOld) throw new StoreError('older than version 7');
    this.warnings = warnings;
  }

  async #keepLease(): Promise<void> {
    const { signal } = this.#ending;
    for (;;) {
      await this.#localClock.sleep(this.#leaseMs * RENEWAL, signal, true).catch(() => {});
      if (signal.aborted) return;
      await Promise.all([
        this.renew().catch(ignoreStoreError),
        this.subscriber.check(),
        ...[...this.#postponed].map((work) => this.#try(work)),
      ]);
    }
  }

  async #runOnLease(script: Script): Promise<void> {
    await this.run(script, [serversKey, leaseKeyOf(this.#id)], [this.#leaseMs]);
  }

  async #try(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.#postponed.delete(work);
    } catch (error) {
      ignoreStoreError(error);
    }
  }

  #ended(): StoreError {
    const error = new StoreError(
      'not accepting this process any more: it was cut off for too long, or Redis has lost its data',
      { isEnd: true },
    );
    if (this.#ending.signal.aborted) return error;
    this.#stop(error);
    for (const listener of this.#endListeners) listener(error);
    return error;
  }

  #stop(reason: StoreError): void {
    this.#ending.abort();
    this.#postponed.clear();
    this.#client.stop(reason);
    this.#safeClient.stop(reason);
    this.subscriber.stop(reason);
  }
}

/** Throws if not so many replicas have confirmed it in time. */
async function call(
  redis: RedisClient['redis'],
  command: string,
  parameters: (string | Buffer | number)[],
  replicas: number,
): Promise<unknown> {
  if (replicas === 0) return redis.callBuffer(command, parameters);
  const pipeline = redis.pipeline().callBuffer(command, parameters).wait(replicas, REPLICAS_WAIT_MS);
  const [[error, written] = [], [failure, confirmed] = []] = (await pipeline.exec()) ?? [];
  if (error ?? failure) throw error ?? failure;
  if (!(Number(confirmed) >= replicas)) throw tooFewReplicas();
  return written;
}

/** The first version with scripts that have flags. */
const OLDEST = 7;

/** `info` is the answer to INFO, `fsync` the setting `appendfsync`. Both are empty if this user may not ask for them. */
export function redisServerOf(info: string, fsync: string, replicas = 0) {
  const settingOf = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  const version = settingOf('redis_version');
  const policy = settingOf('maxmemory_policy') ?? 'noeviction';
  const hasReplicas = Number(settingOf('connected_slaves') ?? 0) > 0;
  const isWritten = settingOf('aof_enabled') !== '0';
  const warnings = [
    policy !== 'noeviction' &&
      `Redis removes data when its memory is full. Sign-ins and counts of requests would be lost: set maxmemory-policy to noeviction instead of ${policy}.`,
    !isWritten &&
      'Redis does not write each change to a disk. Sign-ins would be lost with a restart: set appendonly to yes and appendfsync to always.',
    isWritten &&
      !['', 'always'].includes(fsync) &&
      'Redis may lose the changes of the last second when its machine fails: set appendfsync to always.',
    hasReplicas &&
      replicas === 0 &&
      'Redis has replicas. A write could be made twice after one of them has taken over: set --redis-replicas to 1.',
  ];
  return {
    isTooOld: version !== undefined && Number.parseInt(version, 10) < OLDEST,
    warnings: warnings.filter((each) => each !== false),
  };
}
