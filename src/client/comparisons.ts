/**
 * The last comparisons of accounts with their bank, so that a model need not copy what was found. Each caller has its
 * own, and each sign-in. In memory only. The limit is in bytes, and the least recently used comparison is evicted.
 */
import { LRUCache } from 'lru-cache';
import { ageOf, type Clock, type Moment, momentOf } from '../platform/clock.ts';
import { canonicalJson } from '../platform/json.ts';
import type { BankComparison } from '../reports/reconciliation.ts';

/** Long enough to talk about what was found. The account is read again before anything is written. */
export const MAX_COMPARISON_AGE_MS = 60 * 60_000;

const MAX_BYTES = 8 * 2 ** 20;
/** An object in memory takes about twice the space of its JSON text. */
const BYTES_PER_CHARACTER = 2;

export interface ComparisonKey {
  readonly caller: string;
  readonly budgetId: string;
  readonly accountId: string;
}

interface Remembered {
  readonly comparison: BankComparison;
  readonly at: Moment;
}

export class Comparisons {
  readonly #clock: Clock;
  readonly #remembered = new LRUCache<string, Remembered>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ comparison }, key) =>
      key.length + BYTES_PER_CHARACTER * JSON.stringify(comparison).length,
  });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces the last comparison of the same account. */
  set(key: ComparisonKey, comparison: BankComparison): void {
    this.#remembered.set(textOf(key), { comparison, at: momentOf(this.#clock) });
  }

  /** Undefined if there is none, or if it is too old. */
  get(key: ComparisonKey): BankComparison | undefined {
    const remembered = this.#remembered.get(textOf(key));
    if (remembered && ageOf(this.#clock, remembered.at) < MAX_COMPARISON_AGE_MS) return remembered.comparison;
    this.#remembered.delete(textOf(key));
    return undefined;
  }
}

const textOf = ({ caller, budgetId, accountId }: ComparisonKey) =>
  canonicalJson([caller, budgetId, accountId]);
