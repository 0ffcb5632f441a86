/**
 * Whether a question is answered from what is held, or asked. It knows how old an answer may be and that an old one is
 * better than none, as long as it says so; what is held, and how it is synced, is the cache's business.
 */

import { BudgetError } from '../errors.ts';
import { ageOf, type Clock, type Moment, momentOf } from '../platform/clock.ts';
import { type CachedBudget, isOfMonth } from '../replica/cache-entry.ts';
import { allowedAge } from '../replica/freshness.ts';
import type { ReplicaCache } from '../replica/replica-cache.ts';
import type { OnProgress } from '../replica/shared-request.ts';
import type { Watermarks } from '../replica/watermarks.ts';
import type { BudgetSummary } from '../schema/budget.ts';
import type { RateBudget } from './rate-budget.ts';
import { formatStaleReason } from './stale-reason.ts';

export interface FreshnessPolicyOptions {
  readonly clock: Clock;
  readonly replicas: ReplicaCache;
  readonly rateBudget: RateBudget;
  readonly marks: Watermarks;
}

/** A held budget that an answer may be taken from. */
export interface FreshBudget extends CachedBudget {
  /** Why it is older than it should be. */
  readonly staleReason?: string;
  /** Whether it cost no request. */
  readonly isHit?: boolean;
}

/** So young an answer is not overdue, whatever is left; and a service that was behind is not asked again before. */
const RECENT_MS = 5_000;

export class FreshnessPolicy {
  readonly #clock: Clock;
  readonly #replicas: ReplicaCache;
  readonly #rateBudget: RateBudget;
  readonly #marks: Watermarks;
  /** How much was asked about each budget: with the second question, be it beside the first, one is held. */
  readonly #questions = new Map<string, number>();
  #hits = 0;

  constructor({ clock, replicas, rateBudget, marks }: FreshnessPolicyOptions) {
    this.#clock = clock;
    this.#replicas = replicas;
    this.#rateBudget = rateBudget;
    this.#marks = marks;
  }

  /** Answers that cost no request. */
  get hits(): number {
    return this.#hits;
  }

  countHit(): void {
    this.#hits += 1;
  }

  has(budgetId: string): boolean {
    return this.#replicas.peek(budgetId) !== undefined;
  }

  /** Undefined where the service is to be asked the very question: the first one about a budget, say. */
  async getFresh(
    budgetId: string,
    signal?: AbortSignal,
    onBytes?: OnProgress,
  ): Promise<FreshBudget | undefined> {
    this.#questions.set(budgetId, (this.#questions.get(budgetId) ?? 0) + 1);
    const isYoung = await this.#judgeOfAge();
    const held = this.#replicas.peek(budgetId);
    if (!held) return this.#load(budgetId, signal, onBytes);
    if (!held.lacksWrite && isYoung(held)) return { ...held, isHit: true };
    const wasJustBehind = held.isLagging && held.isReadSinceWrite;
    if (wasJustBehind && ageOf(this.#clock, held.checkedAt) <= RECENT_MS)
      return { ...this.#explained(budgetId, held), isHit: true };
    try {
      return this.#explained(budgetId, await this.#replicas.sync(budgetId, signal, onBytes));
    } catch (error) {
      // What was refused for the asker's sake would be refused for the answer's as well.
      if (!(error instanceof BudgetError) || !error.isTransient) throw error;
      const late = this.#replicas.peek(budgetId);
      if (!late) throw error;
      return { ...this.#explained(budgetId, late, error), isHit: error.code === 'rate_budget_spent' };
    }
  }

  /**
   * A list of budgets as it was at `readAt`, with what is known later of those that are held. Undefined where one that
   * is held turns out to be gone.
   */
  async withCachedHeads(
    budgets: readonly BudgetSummary[],
    readAt: Moment,
    signal?: AbortSignal,
  ): Promise<readonly BudgetSummary[] | undefined> {
    const heads = await Promise.all(
      budgets.map((budget) => (this.has(budget.id) ? this.#withHead(budget, readAt, signal) : budget)),
    );
    return heads.includes(undefined) ? undefined : heads.flatMap((head) => head ?? []);
  }

  async #withHead(
    budget: BudgetSummary,
    readAt: Moment,
    signal?: AbortSignal,
  ): Promise<BudgetSummary | undefined> {
    try {
      const held = await this.getFresh(budget.id, signal);
      const isLater = held && held.asOf.monotonic >= readAt.monotonic;
      return isLater ? { ...budget, ...held.replica.head } : budget;
    } catch (error) {
      if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
      throw error;
    }
  }

  /** Brings what is held of a budget up to date now; with `full`, loads it anew. */
  async refresh(budgetId: string, full: boolean, signal?: AbortSignal): Promise<FreshBudget> {
    const synced = full ? this.#replicas.reload(budgetId, signal) : this.#replicas.sync(budgetId, signal);
    return this.#explained(budgetId, await synced);
  }

  /** Brings what is held of a budget up to date, as far as that can be done now. */
  async revalidate(budgetId: string, signal?: AbortSignal): Promise<void> {
    if (!this.has(budgetId)) return;
    await this.#replicas.sync(budgetId, signal).catch((error: unknown) => {
      if (!(error instanceof BudgetError) || error.code === 'cancelled') throw error;
    });
  }

  async #load(
    budgetId: string,
    signal?: AbortSignal,
    onBytes?: OnProgress,
  ): Promise<FreshBudget | undefined> {
    // After a write only an answer that tells its knowledge can be trusted to show it.
    const isOnly =
      this.#questions.get(budgetId) === 1 && !this.#marks.mayLackWrite(budgetId, this.#marks.mark(budgetId));
    if (isOnly || !this.#replicas.canCache(budgetId)) return undefined;
    try {
      return this.#explained(budgetId, await this.#replicas.sync(budgetId, signal, onBytes));
    } catch (error) {
      if (error instanceof BudgetError && error.code !== 'cancelled' && error.code !== 'rate_budget_spent')
        return undefined;
      throw error;
    }
  }

  /** With the reason for its age, where there is one. */
  #explained(budgetId: string, held: CachedBudget, error?: BudgetError): FreshBudget {
    const writeAt = held.lacksWrite ? this.#marks.lastWriteAt(budgetId) : undefined;
    const overdue = formatStaleReason({ error, isLagging: held.isLagging, writeAt });
    return overdue === undefined ? held : { ...held, staleReason: overdue };
  }

  /** What tells whether an answer needs no sync. */
  async #judgeOfAge(): Promise<(held: CachedBudget) => boolean> {
    const { leftForReads, returnsAt } = await this.#rateBudget.status();
    const now = momentOf(this.#clock);
    // With nothing left a sync is tried all the same: it may be let through, and its refusal says when the next will be.
    const age = leftForReads > 0 ? allowedAge({ now: now.wall, leftForReads, returnsAt }) : RECENT_MS;
    // The amounts of categories are those of a month (UTC): when it ends, so does their freshness.
    return (held) => ageOf(this.#clock, held.asOf) <= age && isOfMonth(held, now);
  }
}
