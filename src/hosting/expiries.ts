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

export async function noteExpiry(store: SharedStore, name: string, expiresAt: number): Promise<void> {
  await store.append(logOf(hourOf(expiresAt)), { name });
}

/**
 * Calls `expire` for every record that was to end in an hour that has passed. The record may have got a later end in the
 * meantime. Does nothing while another process does it.
 */
export async function sweepExpired(
  store: SharedStore,
  clock: Clock,
  expire: (name: string) => Promise<void>,
): Promise<void> {
  const release = await store.lock('sweep', { waitMs: 0 });
  if (!release) return;
  try {
    // The hour up to which everything was removed.
    const sweptHour = new SharedRecord(store, 'swept-hour', z.number(), -1);
    const last = hourOf(clock.now()) - 1;
    const swept = await sweptHour.read();
    const first = swept < 0 ? last : swept + 1;
    for (let hour = first; hour <= last; hour++) {
      for await (const { value } of store.entries(logOf(hour))) {
        const { data } = entrySchema.safeParse(value);
        if (data) await expire(data.name);
      }
      await store.trim(logOf(hour));
    }
    if (last > swept) await sweptHour.update(() => ({ value: last, result: undefined }));
  } finally {
    await release();
  }
}
