/** Listens to what other processes do with the stores of a Redis. It needs a connection of its own. */
import type { Redis } from 'ioredis';

export interface ChannelListener {
  /** `text` was published on the channel. */
  heard(text: string): void;
  /** Something may have been published that was not heard. */
  missed(): void;
}

export class RedisSubscriber {
  readonly #client: Redis;
  readonly #listeners = new Map<string, ChannelListener>();
  /** The channels of which everything is heard. */
  readonly #heard = new Set<string>();

  constructor(client: Redis) {
    this.#client = client;
    client.on('message', (channel: string, text: string) => this.#listeners.get(channel)?.heard(text));
    client.on('ready', () => void this.#subscribe([...this.#listeners.keys()]));
    client.on('close', () => {
      this.#heard.clear();
      for (const listener of this.#listeners.values()) listener.missed();
    });
  }

  hears(channel: string): boolean {
    return this.#heard.has(channel);
  }

  /** Afterwards the channel is heard, or it will be as soon as Redis can be reached. */
  async add(channel: string, listener: ChannelListener): Promise<void> {
    this.#listeners.set(channel, listener);
    await this.#subscribe([channel]);
  }

  remove(channel: string): void {
    this.#listeners.delete(channel);
    this.#heard.delete(channel);
    this.#client.unsubscribe(channel).catch(() => {});
  }

  /** A dead connection shows only when something is sent. `inTime` ends it. */
  async check(inTime: (client: Redis, answer: Promise<unknown>) => Promise<unknown>): Promise<void> {
    await inTime(this.#client, this.#client.ping()).catch(() => {});
  }

  close(): void {
    this.#client.disconnect();
  }

  /** If the connection is lost meanwhile, it is done again when there is another one. */
  async #subscribe(channels: readonly string[]): Promise<void> {
    if (channels.length === 0) return;
    try {
      await this.#client.subscribe(...channels);
    } catch {
      return;
    }
    for (const channel of channels) {
      const listener = this.#listeners.get(channel);
      if (!listener) continue;
      this.#heard.add(channel);
      listener.missed();
    }
  }
}
