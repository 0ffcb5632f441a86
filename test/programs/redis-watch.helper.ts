/** What Redis says about itself while it is used. */
import { Redis } from 'ioredis';

const EVERY_MS = 1_000;
const numberOf = (info: string, name: string) =>
  Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);

export class RedisWatch {
  readonly #client: Redis;
  readonly #timer: NodeJS.Timeout;
  readonly #operations: number[] = [];
  #most = 0;

  constructor(url: string) {
    this.#client = new Redis(url, { commandTimeout: EVERY_MS, maxRetriesPerRequest: 0 });
    // It is disturbed on purpose.
    this.#client.on('error', () => {});
    this.#timer = setInterval(() => void this.#look(), EVERY_MS);
  }

  /** The most memory that was seen, in bytes. */
  get most(): number {
    return this.#most;
  }

  /** Commands in a second, the mean while it answered. Those of scripts count too. */
  get operationsPerSecond(): number {
    return this.#operations.reduce((sum, each) => sum + each, 0) / Math.max(1, this.#operations.length);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#client.quit().catch(() => {});
    this.#client.disconnect();
  }

  async #look(): Promise<void> {
    const info = await this.#client.info().catch(() => undefined);
    if (info === undefined) return;
    this.#most = Math.max(this.#most, numberOf(info, 'used_memory'));
    this.#operations.push(numberOf(info, 'instantaneous_ops_per_sec'));
  }
}
