/**
 * A cache of budgets with a limit in bytes that evicts the least recently used one. It loads budgets, updates them
 * with deltas, and shares one request among concurrent callers. Its callers decide how old a budget may be
 * (`freshness`). The source sends the requests.
 */
import { LRUCache } from 'lru-cache';
import { BudgetError } from '../errors.ts';
import { withCancellation } from '../platform/abort.ts';
import { type Clock, dateOf, type Moment, momentOf } from '../platform/clock.ts';
import { BudgetReplica } from './budget-replica.ts';
import {
  type CachedBudget,
  type CacheEntry,
  cachedBudgetOf,
  entryAfterRead,
  entryFromLaggingCopy,
  isOfMonth,
} from './cache-entry.ts';
import type { Export } from './entities.ts';
import { InconsistentReplicaError } from './inconsistent-replica-error.ts';
import type { ReplicaSharing, SharedRead, SharingCache } from './replica-sharing.ts';
import { type OnProgress, SharedRequest } from './shared-request.ts';
import { DELAYS_WHEN_LAGGING_MS, type Mark, type Watermarks } from './watermarks.ts';

/** Requests a budget from the service, the whole of it or the changes since a knowledge. */
export type ReplicaSource = (
  budgetId: string,
  since: number | undefined,
  signal: AbortSignal,
  onProgress: OnProgress,
) => Promise<Export>;

export interface ReplicaStatus {
  readonly budget_id: string;
  readonly as_of: number;
  readonly bytes: number;
  readonly server_knowledge: number;
}

export interface CacheStatus {
  readonly cached: readonly ReplicaStatus[];
  readonly bytes: number;
  readonly syncs: number;
  readonly loads: number;
  /** Budgets that are too large for the cache. Reads of them are sent to the service. */
  readonly too_large: readonly string[];
  /** Budgets whose load failed recently. It is tried again after `RETRY_LOAD_AFTER_MS`. */
  readonly failing: readonly string[];
}

export interface ReplicaCacheOptions {
  readonly clock: Clock;
  readonly source: ReplicaSource;
  readonly marks: Watermarks;
  readonly maxBytes: number;
  /** Undefined if no other process caches these budgets. */
  readonly sharing?: ReplicaSharing | undefined;
  /** Called after every load, and after every sync with changes. */
  readonly onChange?: (budgetId: string) => void;
}

/** After a failed load, reads of the budget are sent to the service for this time. */
const RETRY_LOAD_AFTER_MS = 60_000;
/** How often other processes are followed. */
const FOLLOW_MS = 1_000;

export class ReplicaCache implements SharingCache {
  readonly #clock: Clock;
  readonly #source: ReplicaSource;
  readonly #marks: Watermarks;
  readonly #maxBytes: number;
  readonly #sharing: ReplicaSharing | undefined;
  readonly #onChange: (budgetId: string) => void;
  readonly #cache: LRUCache<string, CacheEntry>;
  readonly #requests = new Map<string, SharedRequest<CachedBudget>>();
  readonly #tooLarge = new Set<string>();
  /** The last load of each budget, if it failed. `at` is by the monotonic clock. */
  readonly #failures = new Map<string, { readonly at: number; readonly error: unknown }>();
  /** Replicas that a failed delta left half updated. They must not be used again. */
  readonly #unusable = new WeakSet<BudgetReplica>();
  #syncs = 0;
  #loads = 0;

  constructor({ clock, source, marks, maxBytes, sharing, onChange = () => {} }: ReplicaCacheOptions) {
    this.#clock = clock;
    this.#source = source;
    this.#marks = marks;
    this.#maxBytes = maxBytes;
    this.#sharing = sharing;
    this.#onChange = onChange;
    // `fetch` of LRUCache is not used: it would abort a load when its budget is evicted, and it does not consider
    // writes.
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ replica }) => cacheSizeOf(replica) });
  }

  /** The cached budget at any age, and whether the service was read since the last write of this process. */
  peek(budgetId: string): (CachedBudget & { readonly isReadSinceWrite: boolean }) | undefined {
    const entry = this.#entry(budgetId);
    if (!entry) return undefined;
    const { writes } = this.#marks.mark(budgetId);
    return { ...cachedBudgetOf(entry, writes), isReadSinceWrite: entry.writesAtCheck === writes };
  }

  /** Whether the budget can be cached: false if it is too large or has just failed to load. */
  canCache(budgetId: string): boolean {
    return this.whyNotCached(budgetId) === undefined;
  }

  /** Undefined if the budget can be cached. */
  whyNotCached(budgetId: string): BudgetError | undefined {
    if (this.#tooLarge.has(budgetId))
      return new BudgetError(
        'budget_not_cached',
        'The whole budget is needed, and is too large for the cache.',
      );
    const error = this.#recentFailure(budgetId)?.error;
    if (error === undefined || error instanceof BudgetError) return error;
    return new BudgetError('budget_not_cached', 'The whole budget is needed, and could not be loaded.');
  }

  /**
   * The current budget: loaded if it is not cached, otherwise updated with one delta. Concurrent callers share one
   * request, which is cancelled when the last of them is cancelled. A response of a lagging copy of the service is
   * requested again. If that does not help, the cached budget stays. Throws the errors of the source.
   */
  sync(budgetId: string, signal?: AbortSignal, onProgress?: OnProgress): Promise<CachedBudget> {
    return this.#current(budgetId, false, signal, onProgress);
  }

  /** Like `sync`, but always loads the whole budget. The cached one stays until the load is complete. */
  reload(budgetId: string, signal?: AbortSignal, onProgress?: OnProgress): Promise<CachedBudget> {
    return this.#current(budgetId, true, signal, onProgress);
  }

  /** Learns what other processes have written, and takes over what they have read. */
  async catchUp(budgetId: string): Promise<void> {
    await this.#sharing?.learn(budgetId);
    await this.#takeOver(budgetId);
  }

  /** A request in progress takes over what others have read by itself. */
  async #takeOver(budgetId: string): Promise<void> {
    if (!this.#sharing || this.#requests.has(budgetId)) return;
    const before = this.#entry(budgetId)?.replica.knowledge;
    await this.#sharing.catchUp(this, budgetId);
    const after = this.#entry(budgetId)?.replica.knowledge;
    if (after !== before && !this.#requests.has(budgetId)) this.#onChange(budgetId);
  }

  /** Notices what other processes have changed since the last time, also if the budget is not cached here. */
  async look(budgetId: string): Promise<void> {
    if (this.#entry(budgetId)) await this.#takeOver(budgetId);
    else if (await this.#sharing?.hasChanged(budgetId)) this.#onChange(budgetId);
  }

  /**
   * Takes over what other processes read, about once a second, until `signal` is aborted. Of the budgets `watched`, changes
   * are noticed without loading them. Sends no request. Without other processes it ends at once.
   */
  async follow(signal: AbortSignal, watched: () => Iterable<string>): Promise<void> {
    const sharing = this.#sharing;
    if (!sharing) return;
    /** For each budget, the version when it was looked at last. */
    const looks = new Map<string, number>();
    const nextLook = () =>
      this.#clock.sleep(FOLLOW_MS, signal, true).then(
        () => true,
        () => false,
      );
    while (await nextLook())
      for (const budgetId of new Set([...this.#cache.keys(), ...watched()])) {
        const look = async () => {
          const { version } = sharing;
          if (looks.get(budgetId) === version) return;
          await this.look(budgetId);
          looks.set(budgetId, version);
        };
        // If the error stays, the next call reports it.
        await look().catch(() => {});
      }
  }

  /**
   * Applies a delta that was read after a write: the changes since the knowledge `since`, requested at `asOf`.
   * Ignored if no process has cached the budget, if it is older than `since` or of another month, during a sync, or if the delta
   * is of a lagging copy of the service.
   */
  applyDelta(budgetId: string, data: Export, since: number, asOf: Moment): void {
    if (this.#entry(budgetId) || !this.#sharing) {
      this.#applyDelta(budgetId, data, since, asOf);
      return;
    }
    // Other processes may have the budget, and learn of the change by the delta.
    this.#takeOver(budgetId)
      .then(() => {
        this.#applyDelta(budgetId, data, since, asOf);
        if (this.#entry(budgetId)) this.#onChange(budgetId);
      })
      .catch(() => {});
  }

  #applyDelta(budgetId: string, data: Export, since: number, asOf: Moment): void {
    if (this.#requests.has(budgetId)) return;
    const delta = { data, since };
    if (!this.applyRead(budgetId, asOf, delta)) return;
    const replica = this.#entry(budgetId)?.replica;
    if (replica) this.#sharing?.share({ budgetId, replica, asOf, delta });
  }

  applyRead(budgetId: string, asOf: Moment, delta?: SharedRead['delta']): boolean {
    const entry = this.#entry(budgetId);
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
    if (!isOlder || delta)
      this.#cache.set(budgetId, entryAfterRead(replica, isOlder ? { ...mark, at: entry.asOf } : mark));
    return true;
  }

  adopt(budgetId: string, replica: BudgetReplica, asOf: Moment): void {
    const mark = this.#marks.markAt(budgetId, asOf);
    this.#marks.recordKnowledge(budgetId, replica.knowledge);
    this.#store(budgetId, replica, replica.knowledge < mark.knowledge, mark);
  }

  /** The memory that the budgets take, as estimated. */
  get bytes(): number {
    return this.#cache.calculatedSize;
  }

  /** Requests in progress store their budgets afterwards. */
  clear(): void {
    this.#cache.clear();
  }

  status(): CacheStatus {
    const entries = [...this.#cache.entries()].filter(([, { replica }]) => !this.#unusable.has(replica));
    const cached = entries.map(([budget_id, { replica, asOf }]) => ({
      budget_id,
      as_of: asOf.wall,
      bytes: replica.bytes,
      server_knowledge: replica.knowledge,
    }));
    return {
      cached,
      bytes: this.bytes,
      syncs: this.#syncs,
      loads: this.#loads,
      too_large: [...this.#tooLarge],
      failing: [...this.#failures.keys()].filter((budgetId) => this.#recentFailure(budgetId)),
    };
  }

  #entry(budgetId: string): CacheEntry | undefined {
    const entry = this.#cache.get(budgetId);
    return entry && !this.#unusable.has(entry.replica) ? entry : undefined;
  }

  #recentFailure(budgetId: string) {
    const failure = this.#failures.get(budgetId);
    return failure && this.#clock.monotonic() - failure.at < RETRY_LOAD_AFTER_MS ? failure : undefined;
  }

  async #current(
    budgetId: string,
    isFullLoad: boolean,
    signal?: AbortSignal,
    onProgress?: OnProgress,
  ): Promise<CachedBudget> {
    let request = this.#requests.get(budgetId);
    // A request that started before the end of a write may not contain it.
    const isUsable = ({ writes, isFullLoad: isFull }: SharedRequest<CachedBudget>) =>
      writes === this.#marks.mark(budgetId).writes && (isFull || !isFullLoad);
    if (request && this.#sharing) {
      // Joined first, because it may end before it is known whether another process has written since it was sent.
      const leaving = new AbortController();
      const signals = signal ? [signal, leaving.signal] : [leaving.signal];
      const joined = request.join(AbortSignal.any(signals), onProgress);
      joined.catch(() => {});
      try {
        await this.#sharing.learn(budgetId);
        if (isUsable(request)) return await joined;
      } finally {
        leaving.abort();
      }
      request = this.#requests.get(budgetId);
    }
    while (request && !isUsable(request)) {
      await withCancellation(
        request.result.catch(() => {}),
        signal,
      );
      request = this.#requests.get(budgetId);
    }
    return (request ?? this.#startRequest(budgetId, isFullLoad)).join(signal, onProgress);
  }

  #startRequest(budgetId: string, isFullLoad: boolean): SharedRequest<CachedBudget> {
    const scope = {
      writes: this.#marks.mark(budgetId).writes,
      isFullLoad: isFullLoad || !this.#base(budgetId),
    };
    const request = new SharedRequest(scope, (signal, onProgress) =>
      this.#fetch(budgetId, isFullLoad, signal, onProgress),
    );
    this.#requests.set(budgetId, request);
    request.onSettled(() => {
      if (this.#requests.get(budgetId) === request) this.#requests.delete(budgetId);
    });
    return request;
  }

  /** The replica that a delta can be applied to. */
  #base(budgetId: string): BudgetReplica | undefined {
    const entry = this.#entry(budgetId);
    return entry && isOfMonth(entry, momentOf(this.#clock)) ? entry.replica : undefined;
  }

  async #fetch(
    budgetId: string,
    isFullLoad: boolean,
    signal: AbortSignal,
    onProgress: OnProgress,
  ): Promise<CachedBudget> {
    const before = this.#entry(budgetId)?.replica;
    const knowledgeBefore = before?.knowledge;
    const request = () => this.#request(budgetId, isFullLoad, signal, onProgress);
    try {
      let cached = this.#sharing
        ? await this.#sharing.alone(this, budgetId, request, { isFullLoad, signal })
        : await request();
      for (const delay of DELAYS_WHEN_LAGGING_MS) {
        if (!cached.isLagging) break;
        await this.#clock.sleep(delay, signal);
        cached = await request();
      }
      if (cached.replica !== before || cached.replica.knowledge !== knowledgeBefore) this.#onChange(budgetId);
      return cached;
    } catch (error) {
      const isDeleted = error instanceof BudgetError && error.code === 'resource_not_found';
      if (isDeleted) this.#cache.delete(budgetId);
      else if (!signal.aborted && !this.#entry(budgetId))
        this.#failures.set(budgetId, { at: this.#clock.monotonic(), error });
      throw error;
    }
  }

  /** Sends one request. If the response contradicts the cached replica, loads the whole budget. */
  async #request(
    budgetId: string,
    isFullLoad: boolean,
    signal: AbortSignal,
    onProgress: OnProgress,
  ): Promise<CachedBudget> {
    const mark = this.#marks.mark(budgetId);
    const base = isFullLoad ? undefined : this.#base(budgetId);
    const data = await this.#source(budgetId, base?.knowledge, signal, onProgress);
    const replica = base ?? (await load(data, mark, signal));
    signal.throwIfAborted();
    const isLower = this.#marks.isLower(budgetId, data.server_knowledge, mark);
    this.#marks.recordKnowledge(budgetId, data.server_knowledge);
    if (!base) {
      this.#loads += 1;
      return this.#storeRead({ budgetId, replica, asOf: mark.at }, isLower, mark);
    }
    this.#syncs += 1;
    const since = base.knowledge;
    const isNewer = data.server_knowledge >= since;
    const read = { budgetId, replica: base, asOf: mark.at, delta: { data, since } };
    if (isNewer ? this.#apply(data, base, mark) : isLower) return this.#storeRead(read, isLower, mark);
    return this.#request(budgetId, true, signal, onProgress);
  }

  /** Whether the delta was applied. If not, the replica is unusable. */
  #apply(delta: Export, replica: BudgetReplica, { at }: Mark): boolean {
    try {
      replica.apply(delta, dateOf(at.wall));
      return true;
    } catch (error) {
      if (!(error instanceof InconsistentReplicaError)) throw error;
      this.#unusable.add(replica);
      return false;
    }
  }

  #storeRead(read: SharedRead, isLower: boolean, mark: Mark): CachedBudget {
    const { budgetId, replica } = read;
    const cached = this.#store(budgetId, replica, isLower, mark);
    if (!cached.isLagging && this.#entry(budgetId)) this.#sharing?.share(read);
    return cached;
  }

  #store(budgetId: string, replica: BudgetReplica, isLower: boolean, mark: Mark): CachedBudget {
    const before = this.#entry(budgetId);
    const isLagging = isLower || !this.#marks.showsWrites(budgetId, replica, mark, before?.writes);
    const entry = isLagging
      ? entryFromLaggingCopy(replica, mark, before, this.#marks.settledWrites(budgetId, mark))
      : entryAfterRead(replica, mark);
    this.#failures.delete(budgetId);
    // If the entry is too large, the cache drops it together with the earlier one.
    this.#cache.set(budgetId, entry);
    if (cacheSizeOf(entry.replica) > this.#maxBytes) this.#tooLarge.add(budgetId);
    else this.#tooLarge.delete(budgetId);
    return cachedBudgetOf(entry, mark.writes);
  }
}

async function load(data: Export, { at }: Mark, signal: AbortSignal): Promise<BudgetReplica> {
  try {
    return await BudgetReplica.loadInTurns(data, dateOf(at.wall), signal);
  } catch (error) {
    if (!(error instanceof InconsistentReplicaError)) throw error;
    const message = `The whole budget contradicts itself: ${error.message}`;
    throw new BudgetError('unexpected_response', message, { cause: error });
  }
}

const cacheSizeOf = (replica: BudgetReplica) => Math.max(Math.ceil(replica.bytes), 1);
