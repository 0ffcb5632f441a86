/**
 * The last comparisons of accounts with their bank, so that a model need not copy what was found. Each caller has its own. They
 * are in the store, because the next call may get to another process. The oldest are removed if there are too many.
 */
import { z } from 'zod';
import { ageOf, type Clock, type Moment, momentOf, recordedMoment } from '../base/clock.ts';
import { canonicalJson } from '../base/json.ts';
import { SharedRecord, type SharedStore } from '../store/shared-store.ts';
import { ignoreStoreError } from '../store/store-error.ts';
import { storedMoment } from '../store/stored-moment.ts';
import { newestWithin } from './kept-answers.ts';

/** Long enough to talk about what was found. The account is read again before anything is written. */
export const MAX_COMPARISON_AGE_MS = 60 * 60_000;

/** Of JSON. */
const MAX_LENGTH = 4 * 2 ** 20;

export interface ComparisonKey {
  readonly caller: string;
  readonly budgetId: string;
  readonly accountId: string;
}

/** What a comparison of an account with its bank has found. */
export interface BankComparison {
  /** The date of the bank's balance. */
  readonly date: string;
  /** The ids of the transactions that the bank has and the cleared balance does not contain. */
  readonly transactions: readonly string[];
  /** The bank's list. Empty if a balance was compared. */
  readonly rows: readonly {
    readonly date: string;
    readonly amount: number;
    readonly text?: string | undefined;
  }[];
  /** The indexes of the rows that the account does not have, or has with a likely typing mistake. */
  readonly missing: readonly number[];
}

const bankComparison = z.object({
  date: z.string(),
  transactions: z.array(z.string()),
  rows: z.array(z.object({ date: z.string(), amount: z.int(), text: z.string().optional() })),
  missing: z.array(z.int()),
}) satisfies z.ZodType<BankComparison>;

const remembered = z.object({ key: z.string(), at: storedMoment, comparison: bankComparison });

type Remembered = z.output<typeof remembered>;

/** Those of one caller in one budget, by the id of the account. */
export interface CallComparisons {
  set(accountId: string, comparison: BankComparison): Promise<void>;
  /** Undefined if there is none, or if it is too old. */
  get(accountId: string): Promise<BankComparison | undefined>;
}

export class Comparisons {
  readonly #clock: Clock;
  /** The newest comes last. */
  readonly #record: SharedRecord<z.ZodArray<typeof remembered>>;

  constructor(store: SharedStore, clock: Clock) {
    this.#clock = clock;
    this.#record = new SharedRecord(store, 'comparisons', z.array(remembered), []);
  }

  of(caller: string, budgetId: string): CallComparisons {
    const keyOf = (accountId: string) => ({ caller, budgetId, accountId });
    return {
      set: (accountId, comparison) => this.set(keyOf(accountId), comparison),
      get: (accountId) => this.get(keyOf(accountId)),
    };
  }

  /** Replaces the last comparison of the same account. If the store fails, it is not remembered. */
  async set(key: ComparisonKey, comparison: BankComparison): Promise<void> {
    const text = textOf(key);
    const remembering = this.#record.update((all, now) => {
      const others = all.filter((each) => each.key !== text && isRecent(each, now));
      const added = { key: text, at: now, comparison: bankComparison.parse(comparison) };
      return { value: newestWithin([...others, added], MAX_LENGTH), result: undefined };
    });
    await remembering.catch(ignoreStoreError);
  }

  /** Undefined if there is none, or if it is too old. */
  async get(key: ComparisonKey): Promise<BankComparison | undefined> {
    const text = textOf(key);
    const found = (await this.#record.read()).find((each) => each.key === text);
    const now = momentOf(this.#clock);
    if (!found || ageOf(this.#clock, recordedMoment(found.at, now)) >= MAX_COMPARISON_AGE_MS)
      return undefined;
    return found.comparison;
  }
}

const textOf = ({ caller, budgetId, accountId }: ComparisonKey) =>
  canonicalJson([caller, budgetId, accountId]);

const isRecent = ({ at }: Remembered, now: Moment) => now.wall - at.wall < MAX_COMPARISON_AGE_MS;
