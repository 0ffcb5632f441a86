/**
 * Stores which previews were shown to which caller and are not confirmed yet. An entry counts once and for ten minutes.
 * The store may be shared, so that the reply of the user may reach another machine than the one that has asked. The number
 * of entries is bounded. A preview that was dropped must be shown again before it can be confirmed.
 */
import { z } from 'zod';
import { type Moment, recordedMoment } from '../base/clock.ts';
import { storedMoment } from '../base/schema/stored-moment.ts';
import { SharedRecord, type SharedStore } from '../store/shared-store.ts';

export const CONFIRMATION_MS = 10 * 60_000;
const MAX_PER_CALLER = 100;
const MAX_ENTRIES = 1_000;

const entrySchema = z.object({
  caller: z.string(),
  key: z.string(),
  /** A digest of the preview that was shown. */
  preview: z.string(),
  at: storedMoment,
  /** Of a question to a host: a digest of the call, and how many questions about it there were, including this one. */
  call: z.string().optional(),
  count: z.int().optional(),
});

type Entry = z.output<typeof entrySchema>;

export type PendingConfirmation = Omit<Entry, 'caller' | 'key'>;

const entriesSchema = z.array(entrySchema);

export class PendingConfirmations {
  readonly #openStore: () => Promise<SharedStore>;
  /** Ordered by the time of issue. */
  #entries: SharedRecord<typeof entriesSchema> | undefined;

  constructor(openStore: () => Promise<SharedStore>) {
    this.#openStore = openStore;
  }

  /** An entry replaces an older one with the same key, so that both together count once. */
  async issue(
    caller: string,
    key: string,
    preview: string,
    question?: Required<Pick<Entry, 'call' | 'count'>>,
  ): Promise<void> {
    const record = await this.#open();
    await record.update((entries, now) => {
      const others = entries.filter((each) => isCurrent(each, now) && !isFor(each, caller, key));
      const own = others.filter((each) => each.caller === caller);
      const dropped = own.length < MAX_PER_CALLER ? undefined : own[0];
      const kept = [
        ...others.filter((each) => each !== dropped),
        { caller, key, preview, at: now, ...question },
      ];
      return { value: kept.slice(-MAX_ENTRIES), result: undefined };
    });
  }

  /** True if there is an entry, also if it is too old to count. */
  async has(caller: string, key: string): Promise<boolean> {
    const record = await this.#open();
    return (await record.read()).some((each) => isFor(each, caller, key));
  }

  /** Removes and returns the entry. Undefined if there is none, or if it is too old. */
  async consume(caller: string, key: string): Promise<PendingConfirmation | undefined> {
    const record = await this.#open();
    // Most calls have nothing to remove, and a change costs more than a read.
    if (!(await this.has(caller, key))) return undefined;
    return record.update((entries, now) => {
      const found = entries.find((each) => isFor(each, caller, key));
      const value = entries.filter((each) => each !== found);
      return { value, result: found && isCurrent(found, now) ? found : undefined };
    });
  }

  async #open() {
    this.#entries ??= new SharedRecord(await this.#openStore(), 'confirmations', entriesSchema, []);
    return this.#entries;
  }
}

const isFor = (entry: Entry, caller: string, key: string) => entry.caller === caller && entry.key === key;

function isCurrent({ at }: Entry, now: Moment): boolean {
  const { wall, monotonic } = recordedMoment(at, now);
  return Math.max(now.wall - wall, now.monotonic - monotonic) < CONFIRMATION_MS;
}
