/**
 * Answers that are kept for later calls, also of other processes of the sign-in: responses of the service that no replica can
 * give, which are the user, the list of budgets, and what exports lack.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Clock, type Moment, momentOf, recordedMoment } from '../base/clock.ts';
import { newestWithin } from '../base/json.ts';
import { storedMoment } from '../base/schema/stored-moment.ts';
import { SharedRecord, type SharedStore } from '../store/shared-store.ts';
import { ignoreStoreError } from '../store/store-error.ts';
import type { CachedBudget } from './freshness/cache-entries.ts';

const answer = z.object({
  request: z.string(),
  data: z.unknown(),
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

const MAX_ANSWERS_LENGTH = 512 * 1024;

/** Answers in one record of the store. The oldest are removed if there are too many. */
class StoredAnswers {
  readonly #clock: Clock;
  /** The newest comes last. */
  readonly #record: SharedRecord<typeof answers>;
  readonly #maxLength: number;

  /** `maxLength` is in characters of JSON. */
  constructor(record: SharedRecord<typeof answers>, clock: Clock, maxLength: number) {
    this.#clock = clock;
    this.#record = record;
    this.#maxLength = maxLength;
  }

  async find(request: string): Promise<KeptAnswer | undefined> {
    const stored = (await this.#record.read()).find((each) => each.request === request);
    return stored && { ...stored, asOf: recordedMoment(stored.asOf, momentOf(this.#clock)) };
  }

  /** If the store fails, the answer is not kept. */
  async set(request: string, kept: KeptAnswer<object>): Promise<void> {
    const updating = this.#record.update((all) => {
      const others = all.filter((each) => each.request !== request);
      return { value: newestWithin([...others, { request, ...kept }], this.#maxLength), result: undefined };
    });
    await updating.catch(ignoreStoreError);
  }
}

const MAX_BYTES_IN_MEMORY = 8 * 2 ** 20;
/** An object in memory takes about twice the space of its JSON text. */
const BYTES_PER_CHARACTER = 2;

/** Responses of the service, in the store and in memory. Their reader decides whether one is right. */
export class KeptAnswers {
  readonly #clock: Clock;
  readonly #stored: StoredAnswers;
  readonly #memory = new LRUCache<string, KeptAnswer>({
    maxSize: MAX_BYTES_IN_MEMORY,
    sizeCalculation: ({ data }, request) =>
      request.length + BYTES_PER_CHARACTER * JSON.stringify(data).length,
  });

  constructor(store: SharedStore, clock: Clock) {
    this.#clock = clock;
    const record = new SharedRecord(store, 'answers', answers, []);
    this.#stored = new StoredAnswers(record, clock, MAX_ANSWERS_LENGTH);
  }

  /** `request` is any text that is the same in every process. Another version of the program may have kept other data. */
  async find<Data extends object>(
    request: string,
    schema: z.ZodType<Data>,
    isUsable: (answer: KeptAnswer) => boolean,
  ): Promise<KeptAnswer<Data> | undefined> {
    const inMemory = this.#memory.get(request);
    const found = inMemory && isUsable(inMemory) ? inMemory : await this.#stored.find(request);
    if (!found || !isUsable(found)) return undefined;
    const { data } = schema.safeParse(found.data);
    if (!data) return undefined;
    this.#memory.set(request, { ...found, data });
    return { ...found, data };
  }

  async set(request: string, kept: KeptAnswer<object>): Promise<void> {
    this.#memory.set(request, kept);
    await this.#stored.set(request, kept);
  }

  /** The answer that was kept, if it is usable, or that of `read`. */
  async findOrRead<Data extends object>(
    request: string,
    schema: z.ZodType<Data>,
    isUsable: (asOf: Moment) => boolean,
    read: () => Promise<Data>,
  ): Promise<KeptAnswer<Data>> {
    const found = await this.find(request, schema, ({ asOf }) => isUsable(asOf));
    if (found) return found;
    const asOf = momentOf(this.#clock);
    const own = { asOf, data: await read() };
    await this.set(request, own);
    return own;
  }
}

/** Whether an answer is at least as new as the budget, which must be fresh enough for the caller. One above the `highest` knowledge is from before a reset. */
export const isOfBudget = (
  { knowledge }: Pick<KeptAnswer, 'knowledge'>,
  { replica, lacksWrite }: Pick<CachedBudget, 'replica' | 'lacksWrite'>,
  highest: number,
): boolean =>
  knowledge !== undefined && !lacksWrite && knowledge >= replica.knowledge && knowledge <= highest;
