/**
 * The budget of one call. A call looks once at the shared state, by one request to the store, and uses what it has seen for
 * the names in its arguments and for its reads, until it has waited for something else: a person, a lock, a write.
 */

import type { Moment } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import type { BudgetSummary } from '../base/schema/budget.ts';
import type { FreshBudget } from './freshness/freshness-policy.ts';
import type { OnProgress } from './freshness/shared-request.ts';
import type { CallSnapshot, UserSession } from './session.ts';

export interface CallBudgetOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes received while a large budget is loaded. */
  readonly onProgress?: OnProgress | undefined;
}

export class CallBudget {
  readonly summary: BudgetSummary;
  readonly #session: UserSession;
  readonly #options: CallBudgetOptions;
  #snapshot: Promise<CallSnapshot> | undefined;
  #fresh: Promise<FreshBudget | undefined> | undefined;

  constructor(session: UserSession, summary: BudgetSummary, options: CallBudgetOptions) {
    this.#session = session;
    this.summary = summary;
    this.#options = options;
  }

  /** What was seen since the call has waited last. What other processes did until then is taken over. */
  look(): Promise<CallSnapshot> {
    const looking = this.#snapshot ?? this.#session.look([this.summary.id]);
    this.#snapshot = looking;
    looking.catch(() => this.waited());
    return looking;
  }

  /** The call has waited: what it has seen may be old. */
  waited(): void {
    this.#snapshot = undefined;
    this.#fresh = undefined;
  }

  /** The cached budget, updated if the freshness policy requires it. Undefined if it is not cached. */
  fresh(): Promise<FreshBudget | undefined> {
    const reading = this.#fresh ?? this.#readFresh();
    this.#fresh = reading;
    reading.catch(() => this.waited());
    return reading;
  }

  /** `FreshnessPolicy.searchAgain`. */
  async searchAgain(since: Moment): Promise<FreshBudget | undefined> {
    const { freshnessPolicy } = this.#session;
    const found = await freshnessPolicy?.searchAgain(this.summary.id, since, this.#options.signal);
    if (found) this.#fresh = Promise.resolve(found);
    return found;
  }

  /** Updates the cached budget now. With `full`, loads all of it. Undefined if the cache is disabled. */
  async refresh(full: boolean): Promise<FreshBudget | undefined> {
    this.waited();
    await this.look();
    const { signal, onProgress } = this.#options;
    return this.#session.freshnessPolicy?.refresh(this.summary.id, full, signal, onProgress);
  }

  /** Updates a cached budget, and keeps it as it is if the service cannot be read. */
  async revalidate(): Promise<void> {
    await this.look();
    await this.#session.freshnessPolicy?.revalidate(this.summary.id, this.#options.signal);
    this.waited();
  }

  /** Why `fresh` has found none. */
  get whyNotCached(): BudgetError {
    const { replicas } = this.#session;
    const message = `This needs the whole budget in the cache, ${replicas ? 'which does not have it' : 'and the cache is off'}.`;
    return replicas?.whyNotCached(this.summary.id) ?? new BudgetError('budget_not_cached', message);
  }

  /** After `resource_not_found`: an `unknown_budget` error if the budget itself was deleted, else the same error. */
  async explained(error: unknown): Promise<unknown> {
    if (!(error instanceof BudgetError) || error.code !== 'resource_not_found') return error;
    return this.#session.directory.recheck(this.summary, this.#options.signal).then(
      () => error,
      (unknownBudget: unknown) => unknownBudget,
    );
  }

  async #readFresh(): Promise<FreshBudget | undefined> {
    const { left } = await this.look();
    const { signal, onProgress } = this.#options;
    return this.#session.freshnessPolicy?.getFresh(this.summary.id, left, signal, onProgress);
  }
}
