/**
 * The budgets that are held: at most so many bytes of them, the one used longest ago given up first. It loads a budget,
 * keeps it by deltas, and lets any number of callers wait for one request. It knows replicas by their size and their
 * knowledge; how old one may be is its callers' business (`freshness`), how it is asked for the source's.
 */
import { LRUCache } from 'lru-cache';
import { BudgetError } from '../errors.ts';
import { withCancellation } from '../platform/abort.ts';
import { type Clock, dateOf, type Moment, momentOf } from '../platform/clock.ts';
import { BudgetReplica } from './budget-replica.ts';
import type { Export } from './entities.ts';
import { currentEntry, type Entry, entryWhileBehind, type Held, heldOf, isOfMonth } from './entry.ts';
import { InconsistentReplicaError } from './inconsistent-replica-error.ts';
import { type OnProgress, SharedRequest } from './shared-request.ts';
import { DELAYS_WHEN_BEHIND_MS, type Mark, type Watermarks } from './watermarks.ts';

/** Asks the service for a budget, whole or what has changed since. */
export type ReplicaSource = (
  budgetId: string,
  since: number | undefined,
  signal: AbortSignal,
  onBytes: OnProgress,
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
  /** Budgets that are asked specifically for good, */
  readonly too_large: readonly string[];
  /** and those whose load has just failed, which is tried again after a while. */
  readonly failing: readonly string[];
}

export interface ReplicaCacheOptions {
  readonly clock: Clock;
  readonly source: ReplicaSource;
  readonly marks: Watermarks;
  readonly maxBytes: number;
  /** Told of every load, and of every sync that brought something. */
  readonly onChange?: (budgetId: string) => void;
}

/** For so long a budget that could not be loaded is asked specifically. */
const RETRY_LOAD_AFTER_MS = 60_000;

export class ReplicaCache {
  readonly #clock: Clock;
  readonly #source: ReplicaSource;
  readonly #marks: Watermarks;
  readonly #maxBytes: number;
  readonly #onChange: (budgetId: string) => void;
  readonly #cache: LRUCache<string, Entry>;
  readonly #flights = new Map<string, SharedRequest<Held>>();
  readonly #tooLarge = new Set<string>();
  readonly #failedAt = new Map<string, Moment>();
  /** Half changed by a delta that could not be applied: not for anybody any more. */
  readonly #distrusted = new WeakSet<BudgetReplica>();
  #syncs = 0;
  #loads = 0;

  constructor({ clock, source, marks, maxBytes, onChange = () => {} }: ReplicaCacheOptions) {
    this.#clock = clock;
    this.#source = source;
    this.#marks = marks;
    this.#maxBytes = maxBytes;
    this.#onChange = onChange;
    // Its own `fetch` would end a load as soon as another budget took its place, and not know of writes.
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ replica }) => cacheSizeOf(replica) });
  }

  /** What is held of a budget, however old, and whether the service was asked since our last write. */
  peek(budgetId: string): (Held & { readonly isAskedSinceWrite: boolean }) | undefined {
    const entry = this.#entry(budgetId);
    if (!entry) return undefined;
    const { writes } = this.#marks.mark(budgetId);
    return { ...heldOf(entry, writes), isAskedSinceWrite: entry.writesWhenAsked === writes };
  }

  /** Whether it makes sense to hold a budget: not when it is too large, or has just failed to load. */
  canCache(budgetId: string): boolean {
    return !this.#tooLarge.has(budgetId) && !this.#rests(budgetId);
  }

  /**
   * The budget as it is now: loaded if it is not held, else by one delta. One request serves all who ask while it is
   * under way; it is cancelled when the last of them is gone. Where a copy of the service answers that lags, it is asked
   * again, and what is held stays as it was if that does not help. Throws what the source throws.
   */
  sync(budgetId: string, signal?: AbortSignal, onBytes?: OnProgress): Promise<Held> {
    return this.#current(budgetId, false, signal, onBytes);
  }

  /** The same, but always loaded as a whole. What is held stays until it has come. */
  reload(budgetId: string, signal?: AbortSignal): Promise<Held> {
    return this.#current(budgetId, true, signal);
  }

  /**
   * Takes in what was read after a write for another reason: what has changed since the knowledge `since`, asked for at
   * `asOf`. Of no use where nothing is held, where that is older than `since` or of another month, while it is being
   * synced, and where a copy of the service answered that lags.
   */
  applyDelta(budgetId: string, delta: Export, since: number, asOf: Moment): void {
    const entry = this.#entry(budgetId);
    const mark = this.#marks.mark(budgetId);
    if (!entry || entry.replica.knowledge < since || this.#flights.has(budgetId)) return;
    if (!isOfMonth(entry, asOf)) return;
    const { replica } = entry;
    if (delta.server_knowledge < Math.max(mark.knowledge, replica.knowledge)) return;
    try {
      replica.apply(delta, dateOf(asOf.wall));
      if (!this.#marks.showsWrites(budgetId, replica, mark, entry.writes)) return;
      const at = asOf.monotonic < entry.asOf.monotonic ? entry.asOf : asOf;
      this.#cache.set(budgetId, currentEntry(replica, { ...mark, at }));
    } catch (error) {
      if (!(error instanceof InconsistentReplicaError)) throw error;
      this.#distrusted.add(replica);
    }
  }

  status(): CacheStatus {
    const entries = [...this.#cache.entries()].filter(([, { replica }]) => !this.#distrusted.has(replica));
    const held = entries.map(([budget_id, { replica, asOf }]) => ({
      budget_id,
      as_of: asOf.wall,
      bytes: replica.bytes,
      server_knowledge: replica.knowledge,
    }));
    return {
      cached: held,
      bytes: this.#cache.calculatedSize,
      syncs: this.#syncs,
      loads: this.#loads,
      too_large: [...this.#tooLarge],
      failing: [...this.#failedAt.keys()].filter((budgetId) => this.#rests(budgetId)),
    };
  }

  #entry(budgetId: string): Entry | undefined {
    const entry = this.#cache.get(budgetId);
    return entry && !this.#distrusted.has(entry.replica) ? entry : undefined;
  }

  #rests(budgetId: string): boolean {
    const failedAt = this.#failedAt.get(budgetId);
    return failedAt !== undefined && this.#clock.monotonic() - failedAt.monotonic < RETRY_LOAD_AFTER_MS;
  }

  async #current(
    budgetId: string,
    isFullLoad: boolean,
    signal?: AbortSignal,
    onBytes?: OnProgress,
  ): Promise<Held> {
    let flight = this.#flights.get(budgetId);
    // What was asked for before a write ended may not show it.
    while (
      flight &&
      (flight.writes !== this.#marks.mark(budgetId).writes || (isFullLoad && !flight.isFullLoad))
    ) {
      await withCancellation(
        flight.result.catch(() => {}),
        signal,
      );
      flight = this.#flights.get(budgetId);
    }
    return (flight ?? this.#depart(budgetId, isFullLoad)).join(signal, onBytes);
  }

  #depart(budgetId: string, isFullLoad: boolean): SharedRequest<Held> {
    const about = {
      writes: this.#marks.mark(budgetId).writes,
      isFullLoad: isFullLoad || !this.#base(budgetId),
    };
    const flight = new SharedRequest(about, (signal, tell) =>
      this.#fetch(budgetId, isFullLoad, signal, tell),
    );
    this.#flights.set(budgetId, flight);
    flight.onSettled(() => {
      if (this.#flights.get(budgetId) === flight) this.#flights.delete(budgetId);
    });
    return flight;
  }

  /** What a delta can be applied to. */
  #base(budgetId: string): BudgetReplica | undefined {
    const entry = this.#entry(budgetId);
    return entry && isOfMonth(entry, momentOf(this.#clock)) ? entry.replica : undefined;
  }

  async #fetch(
    budgetId: string,
    isFullLoad: boolean,
    signal: AbortSignal,
    onBytes: OnProgress,
  ): Promise<Held> {
    const before = this.#entry(budgetId)?.replica;
    const known = before?.knowledge;
    try {
      let held = await this.#ask(budgetId, isFullLoad, signal, onBytes);
      for (const delay of DELAYS_WHEN_BEHIND_MS) {
        if (!held.isBehind) break;
        await this.#clock.sleep(delay, signal);
        held = await this.#ask(budgetId, isFullLoad, signal, onBytes);
      }
      if (held.replica !== before || held.replica.knowledge !== known) this.#onChange(budgetId);
      return held;
    } catch (error) {
      const isGone = error instanceof BudgetError && error.code === 'resource_not_found';
      if (isGone) this.#cache.delete(budgetId);
      else if (!signal.aborted && !this.#entry(budgetId)) this.#failedAt.set(budgetId, momentOf(this.#clock));
      throw error;
    }
  }

  /** One request and, where its answer makes no sense with what is held, another one for the whole budget. */
  async #ask(budgetId: string, isFullLoad: boolean, signal: AbortSignal, onBytes: OnProgress): Promise<Held> {
    const mark = this.#marks.mark(budgetId);
    const base = isFullLoad ? undefined : this.#base(budgetId);
    const data = await this.#source(budgetId, base?.knowledge, signal, onBytes);
    signal.throwIfAborted();
    const isLower = this.#marks.isLower(budgetId, data.server_knowledge, mark);
    this.#marks.seen(budgetId, data.server_knowledge);
    if (!base) {
      this.#loads += 1;
      return this.#keep(budgetId, loaded(data, mark), isLower, mark);
    }
    this.#syncs += 1;
    const isNews = data.server_knowledge >= base.knowledge;
    if (isNews ? this.#apply(data, base, mark) : isLower) return this.#keep(budgetId, base, isLower, mark);
    return this.#ask(budgetId, true, signal, onBytes);
  }

  /** Whether the delta could be applied; otherwise the replica is spoilt. */
  #apply(delta: Export, replica: BudgetReplica, { at }: Mark): boolean {
    try {
      replica.apply(delta, dateOf(at.wall));
      return true;
    } catch (error) {
      if (!(error instanceof InconsistentReplicaError)) throw error;
      this.#distrusted.add(replica);
      return false;
    }
  }

  #keep(budgetId: string, replica: BudgetReplica, isLower: boolean, mark: Mark): Held {
    const before = this.#entry(budgetId);
    const isBehind = isLower || !this.#marks.showsWrites(budgetId, replica, mark, before?.writes);
    const entry = isBehind
      ? entryWhileBehind(replica, mark, before, this.#marks.settledWrites(budgetId, mark))
      : currentEntry(replica, mark);
    this.#failedAt.delete(budgetId);
    // One that is too large is not held, nor is what was held of it before.
    this.#cache.set(budgetId, entry);
    if (cacheSizeOf(entry.replica) > this.#maxBytes) this.#tooLarge.add(budgetId);
    else this.#tooLarge.delete(budgetId);
    return heldOf(entry, mark.writes);
  }
}

function loaded(whole: Export, { at }: Mark): BudgetReplica {
  try {
    return BudgetReplica.load(whole, dateOf(at.wall));
  } catch (error) {
    if (!(error instanceof InconsistentReplicaError)) throw error;
    const message = `The whole budget contradicts itself: ${error.message}`;
    throw new BudgetError('unexpected_response', message, { cause: error });
  }
}

const cacheSizeOf = (replica: BudgetReplica) => Math.max(Math.ceil(replica.bytes), 1);
