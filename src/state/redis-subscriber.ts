/** Listens to what other processes do with the stores of a Redis. It needs a connection of its own. */
import type { RedisClient } from './redis-client.ts';
import type { StoreError } from './store-error.ts';

export interface ChannelListener {
  /** `text` was published on the channel. */
  heard(text: string): void;
  /** Something may have been published that was not heard. */
  missed(): void;
}

export class RedisSubscriber {
  readonly #client: RedisClient;
  /** A store may be open several times in a process. */
  readonly #listeners = new Map<string, ReadonlySet<ChannelListener>>();
  /** The channels of which everything is heard. */
  readonly #heard = new Set<string>();

  constructor(client: RedisClient) {
    this.#client = client;
    const { redis } = client;
    redis.on('message', (channel: string, text: string) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener.heard(text);
    });
    redis.on('ready', () => void this.#subscribe([...this.#listeners.keys()]));
    redis.on('close', () => {
      this.#heard.clear();
      for (const listeners of this.#listeners.values()) for (const listener of listeners) listener.missed();
    });
  }

  hears(channel: string): boolean {
    return this.#heard.has(channel);
  }

  /** Afterwards the channel is heard, or it will be as soon as Redis can be reached. */
  async add(channel: string, listener: ChannelListener): Promise<void> {
    this.#listeners.set(channel, new Set([...(this.#listeners.get(channel) ?? []), listener]));
    await this.#subscribe([channel]);
  }

  remove(channel: string, listener: ChannelListener): void {
    const others = new Set(this.#listeners.get(channel));
    others.delete(listener);
    if (others.size > 0) {
      this.#listeners.set(channel, others);
      return;
    }
    this.#listeners.delete(channel);
    this.#heard.delete(channel);
    this.#client.redis.unsubscribe(channel).catch(() => {});
  }

  /** A dead connection shows only when something is sent. */
  async check(): Promise<void> {
    await this.#client.inTime(this.#client.redis.ping()).catch(() => {});
  }

  stop(reason: StoreError): void {
    this.#client.stop(reason);
  }

  /** If the connection is lost meanwhile, it is done again when there is another one. */
  async #subscribe(channels: readonly string[]): Promise<void> {
    if (channels.length === 0) return;
    try {
      await this.#client.redis.subscribe(...channels);
    } catch {
      return;
    }
    for (const channel of channels) {
      const listeners = this.#listeners.get(channel);
      if (!listeners) continue;
      this.#heard.add(channel);
      for (const listener of listeners) listener.missed();
    }
  }
}
