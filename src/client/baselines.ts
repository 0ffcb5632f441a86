/**
 * What each budget is known to know just now: the ground from which a lost write is looked for. It reads along what the
 * service tells, and must not ask anything itself.
 */
import type { Clock } from '../clock.ts';

/** How old the knowledge may be that a lost write is looked for from: a like entry of somebody else is unlikely. */
const BASELINE_MS = 1_000;

/** While it lasts, no answer says for certain whether it is from before the write or after it. */
const WRITING = Symbol('writing');

export class Baselines {
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly knowledge: number; readonly at: number }>();
  /** By budget: `WRITING`, or another one after each write. */
  readonly #epochs = new Map<string, symbol>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * To be called before a request is sent; what it gives takes the `server_knowledge` of the answer. An answer that may
   * be older than a write is no ground to look for the next one from.
   */
  learner(budgetId: string): (knowledge: number) => void {
    const at = this.#clock.now();
    const epoch = this.#epochs.get(budgetId);
    return (knowledge) => {
      if (epoch === WRITING || epoch !== this.#epochs.get(budgetId)) return;
      const known = this.#known.get(budgetId);
      if (!known || knowledge >= known.knowledge) this.#known.set(budgetId, { knowledge, at });
    };
  }

  /** The knowledge that was told last, and whether that is recent enough. */
  of(budgetId: string): { readonly knowledge: number; readonly isRecent: boolean } | undefined {
    const known = this.#known.get(budgetId);
    if (!known) return undefined;
    return { knowledge: known.knowledge, isRecent: this.#clock.now() - known.at <= BASELINE_MS };
  }

  /** Of what is told while `write` lasts, only its own knowledge counts, which it gives to `learn`. */
  async during<T>(budgetId: string, write: (learn: (knowledge: number) => void) => Promise<T>): Promise<T> {
    const at = this.#clock.now();
    this.#known.delete(budgetId);
    this.#epochs.set(budgetId, WRITING);
    try {
      return await write((knowledge) => this.#known.set(budgetId, { knowledge, at }));
    } finally {
      this.#epochs.set(budgetId, Symbol('after a write'));
    }
  }
}
