/**
 * A cache of budgets. It loads budgets, updates them with deltas, and shares one request among concurrent callers. Its
 * callers decide how old a budget may be (`FreshnessPolicy`). The source sends the requests.
 */

import { withCancellation } from '../../base/abort.ts';
import { type Clock, dateOf, type Moment, momentOf } from '../../base/clock.ts';
import { BudgetError } from '../../base/errors.ts';
import { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Export } from '../../model/replica/entities.ts';
import { InconsistentReplicaError } from '../../model/replica/entity-table.ts';
import {
  type CachedBudget,
  CacheEntries,
  cachedBudgetOf,
  entryAfterRead,
  entryFromLaggingCopy,
  isOfMonth,
} from './cache-entries.ts';
import { type OnProgress, SharedRequest, type Waiting } from './shared-request.ts';
import { DELAYS_WHEN_LAGGING_MS, type Mark, type Watermarks } from './watermarks.ts';

/** Requests a budget from the service, the whole of it or the changes since a knowledge. */
export type ReplicaSource = (
  budgetId: string,
  since: number | undefined,
  signal: AbortSignal,
  onProgress: OnProgress,
) => Promise<Export>;

export interface WantedBudget {
  readonly budgetId: string;
  readonly isFullLoad: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: OnProgress;
}

/** A response of the service that was not from a lagging copy. */
export interface BudgetRead {
  readonly budgetId: string;
  /** The budget after the response was applied to it. */
  readonly replica: BudgetReplica;
  readonly asOf: Moment;
  /** What has changed since the knowledge `since`. Undefined if the whole budget was loaded. */
  readonly delta?: { readonly data: Export; readonly since: number };
}

export interface ReplicaCacheOptions {
  readonly clock: Clock;
  readonly source: ReplicaSource;
  readonly marks: Watermarks;
  readonly maxBytes: number;
  /** Runs a request, unless another process does so and its response can be used. By default there are no other processes. */
  readonly alone?: (wanted: WantedBudget, request: () => Promise<CachedBudget>) => Promise<CachedBudget>;
  /** Called with each response that other processes can use. */
  readonly onRead?: (read: BudgetRead) => void;
  /** Called after every load, and after every sync with changes. */
  readonly onChange?: (budgetId: string) => void;
}

export class ReplicaCache {
  readonly #options: ReplicaCacheOptions;
  readonly #marks: Watermarks;
  readonly entries: CacheEntries;
  readonly #requests = new Map<string, SharedRequest<CachedBudget>>();

  constructor(options: ReplicaCacheOptions) {
    this.#options = options;
    this.#marks = options.marks;
    this.entries = new CacheEntries(options.clock, options.marks, options.maxBytes);
  }

  /**
   * The current budget: loaded if it is not cached, or with `isFullLoad`, otherwise updated with one delta. The cached one stays until then. Concurrent callers share
   * one request, which is cancelled when the last of them is cancelled. A response of a lagging copy of the service is requested
   * again. If that does not help, the cached budget stays. Throws the errors of the source.
   */
  async sync(budgetId: string, waiting?: Waiting, isFullLoad = false): Promise<CachedBudget> {
    let request = this.#requests.get(budgetId);
    // A request that started before the end of a write may not contain it.
    const isUsable = ({ writes, isFullLoad: isFull }: SharedRequest<CachedBudget>) =>
      writes === this.#marks.mark(budgetId).writes && (isFull || !isFullLoad);
    while (request && !isUsable(request)) {
      const settled = Promise.allSettled([request.result]);
      await withCancellation(settled, waiting?.signal);
      request = this.#requests.get(budgetId);
    }
    return (request ?? this.#startRequest(budgetId, isFullLoad)).join(waiting);
  }

  /**
   * Applies a delta that was read after a write: the changes since the knowledge `since`, requested at `asOf`. Ignored during a sync,
   * if the budget is not cached, is older than `since` or of another month, or if the delta is of a lagging copy of the service.
   */
  applyDelta(budgetId: string, data: Export, since: number, asOf: Moment): void {
    if (this.#requests.has(budgetId)) return;
    const delta = { data, since };
    if (!this.applyRead(budgetId, asOf, delta)) return;
    const replica = this.entries.get(budgetId)?.replica;
    if (replica) this.#options.onRead?.({ budgetId, replica, asOf, delta });
  }

  /** Applies a delta of `asOf`, or that nothing had changed. Returns whether the cached budget is now as it was then. */
  applyRead(budgetId: string, asOf: Moment, delta?: BudgetRead['delta']): boolean {
    const entry = this.entries.get(budgetId);
    if (!entry || !isOfMonth(entry, asOf)) return false;
    const { replica } = entry;
    const mark = this.#marks.markAt(budgetId, asOf);
    const knowledge = delta?.data.server_knowledge ?? replica.knowledge;
    if (replica.knowledge < (delta?.since ?? 0) || knowledge < Math.max(mark.knowledge, replica.knowledge))
      return false;
    if (delta && !this.#apply(delta.data, replica, mark)) return false;
    if (!this.#marks.showsWrites(budgetId, replica, mark, entry.writes)) return false;
    this.#marks.recordKnowledge(budgetId, knowledge);
    const isOlder = asOf.monotonic < entry.asOf.monotonic;
    const isNews = asOf.monotonic > entry.asOf.monotonic || mark.writes > entry.writes;
    if (delta || (!isOlder && isNews))
      this.entries.set(budgetId, entryAfterRead(replica, isOlder ? { ...mark, at: entry.asOf } : mark));
    return true;
  }

  /** Takes a budget that another process has loaded at `asOf`. */
  restore(budgetId: string, replica: BudgetReplica, asOf: Moment): void {
    const mark = this.#marks.markAt(budgetId, asOf);
    this.#marks.recordKnowledge(budgetId, replica.knowledge);
    this.#store(budgetId, replica, replica.knowledge < mark.knowledge, mark);
  }

  #startRequest(budgetId: string, isFullLoad: boolean): SharedRequest<CachedBudget> {
    const { writes } = this.#marks.mark(budgetId);
    const scope = { writes, isFullLoad: isFullLoad || !this.#base(budgetId) };
    const request = new SharedRequest(scope, (signal, onProgress) =>
      this.#fetch({ budgetId, isFullLoad, signal, onProgress }),
    );
    this.#requests.set(budgetId, request);
    request.onSettled(() => {
      if (this.#requests.get(budgetId) === request) this.#requests.delete(budgetId);
    });
    return request;
  }

  #base(budgetId: string): BudgetReplica | undefined {
    const entry = this.entries.get(budgetId);
    return entry && isOfMonth(entry, momentOf(this.#options.clock)) ? entry.replica : undefined;
  }

  async #fetch(wanted: WantedBudget): Promise<CachedBudget> {
    const { budgetId, signal } = wanted;
    const { alone, clock, onChange } = this.#options;
    const before = this.entries.get(budgetId)?.replica;
    const knowledgeBefore = before?.knowledge;
    const request = () => this.#request(wanted);
    try {
      let cached = await (alone?.(wanted, request) ?? request());
      for (const delay of DELAYS_WHEN_LAGGING_MS) {
        if (!cached.isLagging) break;
        await clock.sleep(delay, signal);
        cached = await request();
      }
      if (cached.replica !== before || cached.replica.knowledge !== knowledgeBefore) onChange?.(budgetId);
      return cached;
    } catch (error) {
      if (error instanceof BudgetError && error.code === 'resource_not_found') this.entries.delete(budgetId);
      if (!signal.aborted && !this.entries.get(budgetId)) this.entries.loadFailed(budgetId, error);
      throw error;
    }
  }

  /** Sends one request. If the response contradicts the cached replica, loads the whole budget. */
  async #request(wanted: WantedBudget): Promise<CachedBudget> {
    const { budgetId, isFullLoad, signal, onProgress } = wanted;
    const mark = this.#marks.mark(budgetId);
    const base = isFullLoad ? undefined : this.#base(budgetId);
    const since = base?.knowledge;
    const data = await this.#options.source(budgetId, since, signal, onProgress);
    const replica = base ?? (await BudgetReplica.loadInTurns(data, dateOf(mark.at.wall), signal));
    signal.throwIfAborted();
    const isLower = this.#marks.isLower(budgetId, data.server_knowledge, mark);
    this.#marks.recordKnowledge(budgetId, data.server_knowledge);
    if (!base || since === undefined) {
      this.entries.loads += 1;
      return this.#storeRead({ budgetId, replica, asOf: mark.at }, isLower, mark);
    }
    this.entries.syncs += 1;
    const read = { budgetId, replica: base, asOf: mark.at, delta: { data, since } };
    const isCurrent = data.server_knowledge >= since;
    // The replica may have changed since the request.
    const isKnown = data.server_knowledge < base.knowledge;
    if (isCurrent ? isKnown || this.#apply(data, base, mark) : isLower)
      return this.#storeRead(read, isLower, mark);
    return this.#request({ ...wanted, isFullLoad: true });
  }

  /** Whether the delta was applied. If not, the replica is unusable. */
  #apply(delta: Export, replica: BudgetReplica, { at }: Mark): boolean {
    try {
      replica.apply(delta, dateOf(at.wall));
      return true;
    } catch (error) {
      if (!(error instanceof InconsistentReplicaError)) throw error;
      this.entries.spoil(replica);
      return false;
    }
  }

  #storeRead(read: BudgetRead, isLower: boolean, mark: Mark): CachedBudget {
    const { budgetId, replica } = read;
    const cached = this.#store(budgetId, replica, isLower, mark);
    if (!cached.isLagging && this.entries.get(budgetId)) this.#options.onRead?.(read);
    return cached;
  }

  #store(budgetId: string, replica: BudgetReplica, isLower: boolean, mark: Mark): CachedBudget {
    const before = this.entries.get(budgetId);
    const isLagging = isLower || !this.#marks.showsWrites(budgetId, replica, mark, before?.writes);
    const entry = isLagging
      ? entryFromLaggingCopy(replica, mark, before, this.#marks.settledWrites(budgetId, mark))
      : entryAfterRead(replica, mark);
    this.entries.set(budgetId, entry);
    return cachedBudgetOf(entry, mark.writes);
  }
}
