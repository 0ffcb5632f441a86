/** Cached reads about the user: the user's id, which never changes, and the list of budgets, which rarely changes. */

import { type Clock, type Moment, momentOf } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import type { BudgetSummary } from '../base/schema/budget.ts';
import type { SessionReads } from '../operations/operation.ts';
import { getUser } from '../operations/user.ts';
import type { BudgetDirectory } from './budget-directory.ts';
import type { FreshnessPolicy } from './freshness/freshness-policy.ts';
import type { Requests } from './http/requests.ts';
import type { KeptAnswers } from './kept-answers.ts';
import type { RateStatus } from './rate-budget/rate-usage.ts';

/** The parts of a `UserSession`. */
export interface ReadingSession {
  readonly clock: Clock;
  readonly requests: Requests;
  readonly directory: BudgetDirectory;
  readonly answers: KeptAnswers;
  look(budgetIds: readonly string[]): Promise<{ readonly left: RateStatus }>;
}

export class CachedSessionReads implements SessionReads {
  readonly #session: ReadingSession;
  readonly #freshness: FreshnessPolicy;

  constructor(session: ReadingSession, freshness: FreshnessPolicy) {
    this.#session = session;
    this.#freshness = freshness;
  }

  /** Read once, because it never changes. */
  async user(): ReturnType<SessionReads['user']> {
    const { clock, requests, answers } = this.#session;
    await this.#session.look([]);
    return answers.findOrRead(
      'user',
      getUser.output,
      () => true,
      async () => ({ asOf: momentOf(clock), data: await requests.read(getUser, {}) }),
    );
  }

  /** The list of budgets, with newer values from the replicas. */
  async budgets(signal?: AbortSignal): ReturnType<SessionReads['budgets']> {
    const { directory } = this.#session;
    let { list, readAt } = await directory.current(signal);
    const { left } = await this.#session.look(list.budgets.map(({ id }) => id));
    let budgets = await this.#withCachedHeads(list.budgets, readAt, left, signal);
    if (!budgets) {
      // A sync showed that one of the budgets was deleted.
      ({ list, readAt } = await directory.reload(signal));
      budgets = (await this.#withCachedHeads(list.budgets, readAt, left, signal)) ?? list.budgets;
    }
    const default_budget = budgets.find(({ id }) => id === list.default_budget?.id) ?? list.default_budget;
    return { asOf: readAt, data: { budgets, default_budget } };
  }

  /**
   * Replaces values in a list of budgets, read at `readAt`, by newer values of the budgets that are cached. Undefined if a
   * sync shows that a cached budget was deleted.
   */
  async #withCachedHeads(
    budgets: readonly BudgetSummary[],
    readAt: Moment,
    left: RateStatus,
    signal?: AbortSignal,
  ): Promise<readonly BudgetSummary[] | undefined> {
    const withHead = async (budget: BudgetSummary) => {
      if (!this.#freshness.has(budget.id)) return budget;
      try {
        const cached = await this.#freshness.getFresh(budget.id, left, signal);
        const isNewer = cached && cached.asOf.monotonic >= readAt.monotonic;
        return isNewer ? { ...budget, ...cached.replica.head } : budget;
      } catch (error) {
        if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
        throw error;
      }
    };
    const heads = await Promise.all(budgets.map(withHead));
    return heads.includes(undefined) ? undefined : heads.flatMap((head) => head ?? []);
  }
}
