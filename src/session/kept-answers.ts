/**
 * Answers that are kept for later calls, also of other processes of the sign-in: responses of the service that no replica can
 * give, which are the user, the list of budgets, and what exports lack, and the last comparisons of accounts with their bank.
 */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { ageOf, type Clock, type Moment, momentOf, recordedMoment } from '../base/clock.ts';
import { canonicalJson } from '../base/json.ts';
import { integer, text } from '../base/schema/fields.ts';
import { SharedRecord, type SharedStore, storedMoment } from '../store/shared-store.ts';
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
const MAX_COMPARISONS_LENGTH = 6 * 2 ** 20;

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

/** Long enough to talk about what was found. The account is read again before anything is written. */
export const MAX_COMPARISON_AGE_MS = 60 * 60_000;

const bankRow = z.object({
  date: z.string(),
  amount: z.int(),
  text: z.string().optional(),
  memo: z.string().optional(),
  payee_id: z.string().optional(),
  payee_name: z.string().optional(),
  category_id: z.string().optional(),
});

const statementReading = z.object({ kind: z.string(), ways: z.record(z.string(), z.string()) });

/** How files of a kind are read (`StatementReadings`). */
export type StatementReading = Readonly<z.output<typeof statementReading>>;

/** How a list is read, and what it or its file has that was not compared. */
const listFacts = z.object({
  /** The number of rows after the date, and of lines that are no rows. */
  later_rows: integer.optional(),
  left_out: integer.optional(),
  /** The name of the reading, if only what is remembered decides it. */
  read_as: text.optional(),
});

const bankComparison = z.object({
  /** The date of the bank's balance. */
  date: z.string(),
  /** The ids of the transactions that the bank has and the cleared balance does not contain. */
  transactions: z.array(z.string()).readonly(),
  /** The bank's list. Empty if a balance was compared. */
  rows: z.array(bankRow).readonly(),
  /** The indexes of the rows that the account does not have, or has with a likely typing mistake. */
  missing: z.array(z.int()).readonly(),
  /** The name of the bank's file that has the rows, which no model reads. */
  statement: z.string().optional(),
  facts: listFacts.optional(),
  /** To be remembered once rows are entered. */
  reading: statementReading.optional(),
});

export type BankComparison = z.output<typeof bankComparison>;

/**
 * The last comparisons of accounts with their bank, read in the store: another process may have compared since. Returns a function
 * for those of one caller in one budget, by the id of the account.
 */
export function comparisonsIn(store: SharedStore, clock: Clock) {
  const record = new SharedRecord(store, 'comparisons', answers, []);
  const stored = new StoredAnswers(record, clock, MAX_COMPARISONS_LENGTH);
  return (caller: string, budgetId: string) => {
    const keyOf = (accountId: string) => canonicalJson([caller, budgetId, accountId]);
    return {
      set: (accountId: string, comparison: BankComparison): Promise<void> =>
        stored.set(keyOf(accountId), { data: comparison, asOf: momentOf(clock) }),
      /** Undefined if there is none, or if it is older than an hour. */
      get: async (accountId: string): Promise<BankComparison | undefined> => {
        const found = await stored.find(keyOf(accountId));
        if (!found || ageOf(clock, found.asOf) >= MAX_COMPARISON_AGE_MS) return undefined;
        return bankComparison.safeParse(found.data).data;
      },
    };
  };
}

/** The newest of them that have room in so many characters of JSON. One that is larger must not remove all others. */
function newestWithin<Each>(all: readonly Each[], limit: number): Each[] {
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
