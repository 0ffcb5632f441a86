/**
 * What each budget is known to know (`server_knowledge`): how new an answer has to be to count, and the ground from
 * which a lost write is looked for. It reads along what the service answers, and must not ask anything itself.
 */
import { ageOf, type Clock, type Moment, momentOf } from '../platform/clock.ts';
import { LAG_MS } from '../replica/watermarks.ts';

/** How old the knowledge may be that a lost write is looked for from: a like entry of somebody else is unlikely. */
const MAX_BASELINE_AGE_MS = 1_000;

/** While it lasts, no answer says for certain whether it is from before the write or after it. */
const WRITE_IN_PROGRESS = Symbol('writing');

export class KnowledgeWatermarks {
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly knowledge: number; readonly at: Moment }>();
  /** The highest of all answers, and when it was last asked for, by the monotonic clock. */
  readonly #newest = new Map<string, { readonly knowledge: number; readonly seenAt: number }>();
  /** By budget: `WRITING`, or another one after each write. */
  readonly #epochs = new Map<string, symbol>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * To be called before a request is sent; what it gives takes the `server_knowledge` of the answer, and says whether
   * none of the answers so far was newer. An answer that may be older than a write is no ground to look for the next
   * one from.
   */
  recordKnowledge(budgetId: string): (knowledge: number) => boolean {
    const at = momentOf(this.#clock);
    const epoch = this.#epochs.get(budgetId);
    return (knowledge) => {
      const isNewest = this.#see(budgetId, knowledge, at);
      if (isNewest && epoch !== WRITE_IN_PROGRESS && epoch === this.#epochs.get(budgetId))
        this.#known.set(budgetId, { knowledge, at });
      return isNewest;
    };
  }

  /** The knowledge that a write can be looked for from; undefined where what is known is too old. */
  recent(budgetId: string): number | undefined {
    const known = this.#known.get(budgetId);
    if (!known || known.knowledge < (this.newest(budgetId) ?? 0)) return undefined;
    return ageOf(this.#clock, known.at) <= MAX_BASELINE_AGE_MS ? known.knowledge : undefined;
  }

  /** The highest knowledge that any answer had. */
  newest(budgetId: string): number | undefined {
    return this.#newest.get(budgetId)?.knowledge;
  }

  /** Of what is answered while `write` lasts, only its own knowledge counts, which it gives to `learn`. */
  async runWrite<T>(budgetId: string, write: (learn: (knowledge: number) => void) => Promise<T>): Promise<T> {
    const at = momentOf(this.#clock);
    this.#known.delete(budgetId);
    this.#epochs.set(budgetId, WRITE_IN_PROGRESS);
    try {
      return await write((knowledge) => {
        // What a write tells is never behind: lower knowledge than before means that the service was set back.
        this.#newest.set(budgetId, { knowledge, seenAt: at.monotonic });
        this.#known.set(budgetId, { knowledge, at });
      });
    } finally {
      this.#epochs.set(budgetId, Symbol('after a write'));
    }
  }

  /**
   * Whether no newer knowledge is known. Every copy of the service shows within `LAG_MS` what one of them has shown: lower
   * knowledge after that means that the service was set back, by a restored backup say.
   */
  #see(budgetId: string, knowledge: number, at: Moment): boolean {
    const newest = this.#newest.get(budgetId);
    if (newest && knowledge < newest.knowledge && at.monotonic - newest.seenAt <= LAG_MS) return false;
    this.#newest.set(budgetId, { knowledge, seenAt: Math.max(at.monotonic, newest?.seenAt ?? 0) });
    return true;
  }
}
