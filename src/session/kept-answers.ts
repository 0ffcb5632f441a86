/**
 * Responses of the service that no replica can give: the user, the list of budgets, and what exports lack. They are in memory
 * and, for the other processes of a sign-in, in the store. Both have a limit in bytes. The reader decides whether one is right.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Clock, type Moment, momentOf, recordedMoment } from '../base/clock.ts';
import { SharedRecord, type SharedStore } from '../store/shared-store.ts';
import { ignoreStoreError } from '../store/store-error.ts';
import { storedMoment } from '../store/stored-moment.ts';
import type { CachedBudget } from './freshness/cache-entry.ts';

const answer = z.object({
  request: z.string(),
  data: z.unknown(),
  /** When it was requested. */
  asOf: storedMoment,
  /** The `server_knowledge` of its budget. */
  knowledge: z.number().optional(),
});

const answers = z.array(answer);

export interface KeptAnswer<Data = unknown> {
  readonly data: Data;
  readonly asOf: Moment;
  readonly knowledge?: number | undefined;
}

const MAX_BYTES = { memory: 8 * 2 ** 20, store: 512 * 1024 };
/** An object in memory takes about twice the space of its JSON text. */
const BYTES_PER_CHARACTER = 2;

export class KeptAnswers {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #record: SharedRecord<typeof answers>;
  readonly #memory = new LRUCache<string, KeptAnswer>({
    maxSize: MAX_BYTES.memory,
    sizeCalculation: ({ data }, request) =>
      request.length + BYTES_PER_CHARACTER * JSON.stringify(data).length,
  });

  constructor(store: SharedStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#record = new SharedRecord(store, 'answers', answers, []);
  }

  /** `request` is any text that is the same in every process. Another version of the program may have kept other data. */
  async find<Data extends object>(
    request: string,
    schema: z.ZodType<Data>,
    isUsable: (answer: KeptAnswer) => boolean,
  ): Promise<KeptAnswer<Data> | undefined> {
    const found = this.#inMemory(request, isUsable) ?? (await this.#inStore(request, isUsable));
    const { data } = schema.safeParse(found?.data);
    if (!found || !data) return undefined;
    this.#memory.set(request, { ...found, data });
    return { ...found, data };
  }

  async set(request: string, kept: KeptAnswer<object>): Promise<void> {
    this.#memory.set(request, kept);
    if (!this.#store.isShared) return;
    const updating = this.#record.update((all) => {
      const others = all.filter((each) => each.request !== request);
      return { value: newestWithin([...others, { request, ...kept }], MAX_BYTES.store), result: undefined };
    });
    // What cannot be shared is only missed by others.
    await updating.catch(ignoreStoreError);
  }

  /** The answer that was kept, if it is usable, or that of `read`. */
  async findOrRead<Data extends object>(
    request: string,
    schema: z.ZodType<Data>,
    isUsable: (asOf: Moment) => boolean,
    read: () => Promise<KeptAnswer<Data>>,
  ): Promise<KeptAnswer<Data>> {
    const found = await this.find(request, schema, ({ asOf }) => isUsable(asOf));
    if (found) return found;
    const own = await read();
    await this.set(request, own);
    return own;
  }

  #inMemory(request: string, isUsable: (answer: KeptAnswer) => boolean): KeptAnswer | undefined {
    const found = this.#memory.get(request);
    return found && isUsable(found) ? found : undefined;
  }

  async #inStore(
    request: string,
    isUsable: (answer: KeptAnswer) => boolean,
  ): Promise<KeptAnswer | undefined> {
    if (!this.#store.isShared) return undefined;
    const stored = (await this.#record.read()).find((each) => each.request === request);
    if (!stored) return undefined;
    const found = { ...stored, asOf: recordedMoment(stored.asOf, momentOf(this.#clock)) };
    return isUsable(found) ? found : undefined;
  }
}

/**
 * Whether an answer is at least as new as the budget, which must be fresh enough for the caller. `highest` is the highest
 * knowledge that is known: an answer above it is from before a reset of the service.
 */
export const isOfBudget = (
  { knowledge }: Pick<KeptAnswer, 'knowledge'>,
  { replica, lacksWrite }: Pick<CachedBudget, 'replica' | 'lacksWrite'>,
  highest: number,
): boolean =>
  knowledge !== undefined && !lacksWrite && knowledge >= replica.knowledge && knowledge <= highest;

/** The newest of them that have room in so many characters of JSON. One that is larger must not remove all others. */
export function newestWithin<Each>(all: readonly Each[], limit: number): Each[] {
  let length = 0;
  return all
    .toReversed()
    .filter((each) => {
      const size = JSON.stringify(each).length;
      if (length + size > limit) return false;
      length += size;
      return true;
    })
    .toReversed();
}
