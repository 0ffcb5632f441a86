/**
 * Remembers when records end, so that those which are never read again are removed too. A store cannot list its records.
 * There is a log for each hour in which records end.
 */
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { SharedRecord, type SharedStore } from '../store/shared-store.ts';

const HOUR_MS = 3_600_000;
const hourOf = (time: number) => Math.floor(time / HOUR_MS);
const logOf = (hour: number) => `expiring/${hour}`;

const entrySchema = z.object({ name: z.string() });

export class Expiries {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  /** The hour up to which everything was removed. */
  readonly #sweptHour: SharedRecord<z.ZodNumber>;

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#sweptHour = new SharedRecord(store, 'swept-hour', z.number(), -1);
  }

  async add(name: string, expiresAt: number): Promise<void> {
    await this.#store.append(logOf(hourOf(expiresAt)), { name });
  }

  /**
   * Calls `expire` for every record that was to end in an hour that has passed. The record may have got a later end in the
   * meantime. Does nothing while another process does it.
   */
  async sweep(expire: (name: string) => Promise<void>): Promise<void> {
    const release = await this.#store.lock('sweep', { waitMs: 0 });
    if (!release) return;
    try {
      const last = hourOf(this.#clock.now()) - 1;
      const swept = await this.#sweptHour.read();
      const first = swept < 0 ? last : swept + 1;
      for (let hour = first; hour <= last; hour++) {
        for await (const { value } of this.#store.entries(logOf(hour))) {
          const { data } = entrySchema.safeParse(value);
          if (data) await expire(data.name);
        }
        await this.#store.trim(logOf(hour));
      }
      if (last > swept) await this.#sweptHour.update(() => ({ value: last, result: undefined }));
    } finally {
      await release();
    }
  }
}
