/**
 * A store in Redis, for the processes of several machines. Values are sealed and names are keyed hashes, so that Redis and
 * its files say nothing without the key. Every method throws `StoreError` if Redis cannot be used. A write that failed
 * because Redis did not answer may have been done. No write is done twice.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Clock, momentOf } from '../base/clock.ts';
import type { RedisConnection } from './redis-connection.ts';
import { RedisProcess } from './redis-process.ts';
import {
  appendEntry,
  keysOfStore,
  lookAt,
  MAX_TIME_ERROR_MS,
  RELEASED,
  readEntries,
  removeRecord,
  removeStore,
  replaceRecord,
  type StoreKeys,
  trimLog,
} from './redis-scripts.ts';
import type { StoreListener } from './redis-subscriber.ts';
import { nonceOf, Seal } from './seal.ts';
import {
  type Change,
  ENTRIES_OF_LOOK,
  type LockOptions,
  type LogEntry,
  type Look,
  type NewEntry,
  type Release,
  type Seen,
  type SharedStore,
  type StoredValue,
} from './shared-store.ts';

export interface RedisStoreOptions {
  readonly redis: RedisConnection;
  /** The clock of this machine, for waiting. */
  readonly clock: Clock;
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** Tells the stores of a Redis apart. Redis gets only its hash. */
  readonly name: string;
}

/** What a record was when it was read last. */
interface Known {
  readonly value: unknown;
  /** Of the sealed value. Empty if there is no record. */
  readonly nonce: Uint8Array;
}

/** The values of so many records are remembered, so that they need not be sent and opened again. */
const MAX_KNOWN = 200;
const NOTHING = Buffer.alloc(0);
const missing: Known = { value: undefined, nonce: NOTHING };

/** The nonce alone would keep all bytes that came from Redis together with it. */
const copyOf = (bytes: Uint8Array) => new Uint8Array(bytes);

const keysOf = (name: string) => keysOfStore(createHash('sha256').update(name).digest('hex'));

const sealedValue = z.instanceof(Buffer);
const sealedEntries = z.array(z.tuple([z.number(), sealedValue]));
/** For each record its value, nothing if it is missing, or 1 if it is the one that this process knows. */
const sealedValues = z.array(sealedValue.or(z.literal(1)).nullable());
/** With the number of processes, and whether this one is among them. */
const lookResult = z.tuple([sealedValues, z.array(sealedEntries), z.number(), z.number()]);

export class RedisStore implements SharedStore {
  readonly processId: string;
  readonly #redis: RedisConnection;
  readonly #name: string;
  readonly #seal: Seal;
  readonly #keys: StoreKeys;
  readonly #process: RedisProcess;
  readonly #known = new LRUCache<string, Known>({ max: MAX_KNOWN });
  readonly #listener: StoreListener = {
    heard: (processId, text) => {
      if (processId === this.processId) return;
      if (text === RELEASED) this.#process.released();
      else this.#version += 1;
    },
    missed: () => {
      this.#version += 1;
    },
  };
  #version = 0;

  private constructor({ redis, clock, key, name }: RedisStoreOptions) {
    this.#redis = redis;
    this.#name = name;
    this.#seal = new Seal(key);
    this.#keys = keysOf(name);
    this.#process = new RedisProcess(redis, this.#keys, clock);
    this.processId = this.#process.id;
  }

  static async open(options: RedisStoreOptions): Promise<RedisStore> {
    const store = new RedisStore(options);
    await store.#process.begin();
    options.redis.subscriber.add(store.#keys.records, store.#listener);
    return store;
  }

  /** Removes a store. The processes that have it open cannot write to it any more. */
  static async remove({ redis, name }: Pick<RedisStoreOptions, 'redis' | 'name'>): Promise<void> {
    const { about, records, locks, processes, logs } = keysOf(name);
    await redis.run(removeStore, [records, processes, logs, about, locks], []);
  }

  /** While the other processes are not heard, they may have changed anything. */
  get version(): number {
    if (!this.#redis.subscriber.isHearing) this.#version += 1;
    return this.#version;
  }

  async read(name: string): Promise<unknown> {
    return (await this.look({ records: [name] })).records.get(name);
  }

  /** `since` is when the caller began to wait. */
  async look({ records, logs = [] }: Look, since?: number): Promise<Seen> {
    const known = records.map((name) => this.#known.get(name) ?? missing);
    const logKeys = logs.map(({ log }) => this.#keyOfLog(this.#placeOf('log', log)));
    const { result } = await this.#process.run(
      lookAt,
      logKeys,
      [
        records.length,
        ...records.map((name) => this.#placeOf('record', name)),
        ...known.map(({ nonce }) => Buffer.from(nonce)),
        ENTRIES_OF_LOOK,
        ...logs.map(({ after }) => after),
        this.processId,
      ],
      since,
    );
    const [values, entries, processes, isListed] = lookResult.parse(result);
    if (isListed === 0) this.#process.wasMissing();
    return {
      records: new Map(
        records.map((name, i) => {
          const sealed = values[i] ?? undefined;
          return [name, (sealed === 1 ? known[i] : this.#learn(name, sealed))?.value];
        }),
      ),
      logs: new Map(logs.map(({ log }, i) => [log, this.#openEntries(log, entries[i] ?? [])])),
      now: momentOf(this.#redis.clock),
      isAlone: processes === 1,
    };
  }

  update<Result>(name: string, change: Change<unknown, Result>): Promise<Result> {
    const { about, logs } = this.#keys;
    const place = this.#placeOf('record', name);
    return this.#process.inTurn(async (write, since) => {
      // The clock of this machine may run ahead, and the last time from Redis is old.
      if (this.#redis.clock.age > MAX_TIME_ERROR_MS) await this.look({ records: [name] }, since);
      // Usually no other process has changed it since. Otherwise Redis changes nothing and answers with the current value.
      for (let known = this.#known.get(name) ?? missing; ; ) {
        // Taken after the value was read: this change must not be earlier than the one before it.
        const changed = change(known.value, momentOf(this.#redis.clock));
        const { value, result, entries = [] } = changed;
        const sealed = value === undefined ? NOTHING : this.#seal.closeValue(value, place);
        const script = value === undefined && entries.length === 0 ? removeRecord : replaceRecord;
        const added = entries.map((entry) => this.#sealedEntry(entry));
        const answer = await write(
          script,
          [about, logs, ...added.map(({ key }) => key)],
          [
            place,
            Buffer.from(known.nonce),
            sealed,
            ...added.flatMap(({ value, keptMs = '' }) => [value, keptMs]),
          ],
          changed.waitsForReplicas,
        );
        if (answer.status === 'done') {
          this.#remember(name, value === undefined ? missing : { value, nonce: copyOf(nonceOf(sealed)) });
          return result;
        }
        known = this.#learn(name, sealedValue.optional().parse(answer.result ?? undefined));
      }
    });
  }

  append(log: string, value: StoredValue): Promise<number> {
    const { about, logs } = this.#keys;
    const sealed = this.#sealedEntry({ log, value });
    return this.#process.inTurn(async (write) => {
      const { result } = await write(appendEntry, [about, logs, sealed.key], [sealed.value]);
      return Number(result);
    });
  }

  async *entries(log: string, after = 0): AsyncIterable<LogEntry> {
    const logKey = this.#keyOfLog(this.#placeOf('log', log));
    for (let last = after; ; ) {
      const { result } = await this.#process.run(readEntries, [logKey], [last]);
      const entries = this.#openEntries(log, sealedEntries.parse(result));
      yield* entries;
      if (entries.length === 0) return;
      last = entries.at(-1)?.number ?? last;
    }
  }

  async trim(log: string, upTo?: number): Promise<void> {
    const keys = [this.#keys.logs, this.#keyOfLog(this.#placeOf('log', log))];
    // Redis has no negative numbers of entries.
    const first = upTo === undefined ? '' : Math.max(upTo, 0) + 1;
    await this.#process.inTurn((write) => write(trimLog, keys, [first]));
  }

  lock(name: string, options: LockOptions): Promise<Release | undefined> {
    return this.#process.lock(this.#placeOf('lock', name), options);
  }

  isRunning(processId: string): Promise<boolean> {
    return this.#process.isRunning(processId);
  }

  close(): Promise<void> {
    this.#redis.subscriber.remove(this.#keys.records, this.#listener);
    return this.#process.close();
  }

  /** `sealed` is missing if there is no record. */
  #learn(name: string, sealed: Buffer | undefined): Known {
    if (!sealed) return this.#remember(name, missing);
    const value = this.#seal.openValue(sealed, this.#placeOf('record', name));
    return this.#remember(name, { value, nonce: copyOf(nonceOf(sealed)) });
  }

  #remember(name: string, known: Known): Known {
    this.#known.set(name, known === missing ? undefined : known);
    return known;
  }

  /** What is sealed for one place cannot be opened in another one, nor in another store with the same key. */
  #placeOf(kind: 'record' | 'log' | 'lock', name: string): Buffer {
    return this.#seal.nameOf(`${kind} ${JSON.stringify([this.#name, name])}`);
  }

  #sealedEntry({ log, value, keptMs }: NewEntry) {
    const place = this.#placeOf('log', log);
    return { key: this.#keyOfLog(place), value: this.#seal.closeValue(value, place), keptMs };
  }

  #keyOfLog(place: Buffer): string {
    return this.#keys.logOf(place.toString('hex'));
  }

  #openEntries(log: string, entries: z.output<typeof sealedEntries>): readonly LogEntry[] {
    const place = this.#placeOf('log', log);
    return entries.map(([number, sealed]) => ({ number, value: this.#seal.openValue(sealed, place) }));
  }
}
