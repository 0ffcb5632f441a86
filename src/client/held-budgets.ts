/**
 * Whether a question is answered from what is held, or asked. It knows how old an answer may be and that an old one is
 * better than none; what is held, and how it is synced, is the cache's business.
 */
import { type Clock, dateOf } from '../clock.ts';
import { BudgetError } from '../errors.ts';
import type { BudgetSummary } from '../operations/budgets.ts';
import type { OnBytes } from '../replica/flight.ts';
import { allowedAge } from '../replica/freshness.ts';
import type { Held, ReplicaCache } from '../replica/replica-cache.ts';
import type { RateBudget } from './rate-budget.ts';

export interface HeldBudgetsOptions {
  readonly clock: Clock;
  readonly replicas: ReplicaCache;
  readonly rateBudget: RateBudget;
}

/** A held budget that an answer may be taken from. */
export interface Usable extends Held {
  /** Why it is older than it should be. */
  readonly overdue?: BudgetError;
  /** Whether it cost no request. */
  readonly isHit?: boolean;
}

/** So young an answer is not overdue, whatever is left. */
const RECENT_MS = 5_000;

export class HeldBudgets {
  readonly #clock: Clock;
  readonly #replicas: ReplicaCache;
  readonly #rateBudget: RateBudget;
  /** How much was asked about each budget: with the second question, be it beside the first, one is held. */
  readonly #questions = new Map<string, number>();
  #hits = 0;

  constructor({ clock, replicas, rateBudget }: HeldBudgetsOptions) {
    this.#clock = clock;
    this.#replicas = replicas;
    this.#rateBudget = rateBudget;
  }

  /** Answers that cost no request. */
  get hits(): number {
    return this.#hits;
  }

  countHit(): void {
    this.#hits += 1;
  }

  /** Undefined where the service is to be asked the very question: the first one about a budget, say. */
  async use(budgetId: string, signal?: AbortSignal, onBytes?: OnBytes): Promise<Usable | undefined> {
    this.#questions.set(budgetId, (this.#questions.get(budgetId) ?? 0) + 1);
    const oldest = await this.#oldestAllowed();
    const held = this.#replicas.peek(budgetId);
    if (!held) return this.#load(budgetId, signal, onBytes);
    if (!held.stale && held.asOf >= oldest) return { ...held, isHit: true };
    try {
      return await this.#replicas.sync(budgetId, signal, onBytes);
    } catch (error) {
      // What was refused for the asker's sake would be refused for the answer's as well.
      if (!(error instanceof BudgetError) || !error.isPassing) throw error;
      const late = this.#replicas.peek(budgetId);
      // Nobody is answered from before their own write.
      if (!late || late.stale) throw error;
      return { ...late, overdue: error, isHit: error.code === 'rate_budget_spent' };
    }
  }

  /** A list of budgets as it was at `readAt`, with what is known later of those that are held. */
  async withHeads(
    budgets: readonly BudgetSummary[],
    readAt: number,
    signal?: AbortSignal,
  ): Promise<BudgetSummary[]> {
    return Promise.all(
      budgets.map(async (budget) => {
        if (!this.#replicas.peek(budget.id)) return budget;
        const held = await this.use(budget.id, signal);
        return held && held.asOf >= readAt ? { ...budget, ...held.replica.head } : budget;
      }),
    );
  }

  /** Brings what is held of a budget up to date, as far as that can be done now. */
  async renew(budgetId: string, signal?: AbortSignal): Promise<void> {
    if (!this.#replicas.peek(budgetId)) return;
    await this.#replicas.sync(budgetId, signal).catch((error: unknown) => {
      if (!(error instanceof BudgetError) || error.code === 'cancelled') throw error;
    });
  }

  async #load(budgetId: string, signal?: AbortSignal, onBytes?: OnBytes): Promise<Usable | undefined> {
    const isOnly = this.#questions.get(budgetId) === 1;
    if (isOnly || !this.#replicas.canHold(budgetId)) return undefined;
    try {
      return await this.#replicas.sync(budgetId, signal, onBytes);
    } catch (error) {
      if (error instanceof BudgetError && error.code !== 'cancelled' && error.code !== 'rate_budget_spent')
        return undefined;
      throw error;
    }
  }

  /** The moment from which on an answer needs no sync. */
  async #oldestAllowed(): Promise<number> {
    const { leftForReads, returnsAt } = await this.#rateBudget.status();
    const now = this.#clock.now();
    // With nothing left a sync is tried all the same: its refusal says when the next request is free.
    const age = leftForReads > 0 ? allowedAge({ now, leftForReads, returnsAt }) : RECENT_MS;
    // The amounts of categories are those of a month (UTC): when it ends, so does their freshness.
    return Math.max(now - age, Date.parse(`${dateOf(now).slice(0, 7)}-01`));
  }
}
