/** Hears what other processes do with the stores of a Redis, on one channel. It needs a connection of its own. */
import type { RedisClient } from './redis-client.ts';
import { CHANNEL } from './redis-scripts.ts';
import type { StoreError } from './store-error.ts';

export interface StoreListener {
  heard(processId: string, text: string): void;
  /** Something may have been done that was not heard. */
  missed(): void;
}

export class RedisSubscriber {
  readonly #client: RedisClient;
  /** By the key of the records. A store may be open several times in a process. */
  readonly #listeners = new Map<string, ReadonlySet<StoreListener>>();
  /** Whether it hears everything that is done. */
  isHearing = false;

  constructor(client: RedisClient) {
    this.#client = client;
    const { redis } = client;
    redis.on('message', (_, message: string) => {
      const [store = '', processId = '', text = ''] = message.split(' ');
      for (const listener of this.#listeners.get(store) ?? []) listener.heard(processId, text);
    });
    redis.on('ready', () => void this.begin());
    redis.on('close', () => {
      this.isHearing = false;
      this.#missed();
    });
  }

  /** Afterwards it hears, or it will as soon as Redis can be reached. */
  async begin(): Promise<void> {
    try {
      await this.#client.inTime(this.#client.redis.subscribe(CHANNEL));
    } catch {
      // It is done again with the next connection.
      return;
    }
    this.isHearing = true;
    this.#missed();
  }

  add(store: string, listener: StoreListener): void {
    this.#listeners.set(store, new Set([...(this.#listeners.get(store) ?? []), listener]));
  }

  remove(store: string, listener: StoreListener): void {
    const others = new Set(this.#listeners.get(store));
    others.delete(listener);
    if (others.size > 0) this.#listeners.set(store, others);
    else this.#listeners.delete(store);
  }

  /** A dead connection shows only when something is sent. */
  async check(): Promise<void> {
    await this.#client.inTime(this.#client.redis.ping()).catch(() => {});
  }

  stop(reason: StoreError): void {
    this.#client.stop(reason);
  }

  #missed(): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener.missed();
  }
}
