/** What Redis, or all nodes of a cluster together, say about themselves while they are used. */
import { Redis } from 'ioredis';

const EVERY_MS = 1_000;
const numberOf = (info: string, name: string) =>
  Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);

export class RedisWatch {
  readonly #clients: readonly Redis[];
  readonly #timer: NodeJS.Timeout;
  readonly #operations: number[] = [];
  #most = 0;

  constructor(...urls: readonly string[]) {
    this.#clients = urls.map((url) => new Redis(url, { commandTimeout: EVERY_MS, maxRetriesPerRequest: 0 }));
    // It is disturbed on purpose.
    for (const client of this.#clients) client.on('error', () => {});
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
    for (const client of this.#clients) {
      await client.quit().catch(() => {});
      client.disconnect();
    }
  }

  async #look(): Promise<void> {
    const asked = await Promise.all(this.#clients.map((client) => client.info().catch(() => '')));
    const infos = asked.filter((info) => info !== '');
    if (infos.length === 0) return;
    const sum = (name: string) => infos.reduce((total, info) => total + numberOf(info, name), 0);
    this.#most = Math.max(this.#most, sum('used_memory'));
    this.#operations.push(sum('instantaneous_ops_per_sec'));
  }
}
