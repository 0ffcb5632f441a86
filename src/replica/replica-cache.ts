/**
 * The budgets that are held: at most so many bytes of them, the one used longest ago given up first. It loads a budget,
 * keeps it by deltas, and lets any number of callers wait for one request. It knows replicas by their size and their
 * knowledge; how old one may be is its callers' business (`freshness`), how it is asked for the source's.
 */
import { LRUCache } from 'lru-cache';
import { unlessCancelled } from '../cancellation.ts';
import { type Clock, dateOf } from '../clock.ts';
import { BudgetError } from '../errors.ts';
import { BudgetReplica } from './budget-replica.ts';
import { DistrustError } from './distrust.ts';
import type { Export } from './entities.ts';
import { Flight, type OnBytes } from './flight.ts';

/** Asks the service for a budget, whole or what has changed since. */
export type ReplicaSource = (
  budgetId: string,
  since: number | undefined,
  signal: AbortSignal,
  onBytes: OnBytes,
) => Promise<Export>;

/** A budget as it was at `asOf` (milliseconds since the epoch), or later. */
export interface Held {
  readonly replica: BudgetReplica;
  readonly asOf: number;
}

export interface ReplicaStatus {
  readonly budget_id: string;
  readonly as_of: number;
  readonly bytes: number;
  readonly server_knowledge: number;
}

export interface CacheStatus {
  readonly held: readonly ReplicaStatus[];
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
  readonly maxBytes: number;
  /** Told of every load, and of every sync that brought something. */
  readonly onChange?: (budgetId: string) => void;
}

interface Entry extends Held {
  /** The count of writes when its sync was asked for. */
  readonly writes: number;
}

/** For so long a budget that could not be loaded is asked specifically. */
const REST_AFTER_FAILURE_MS = 60_000;

export class ReplicaCache {
  readonly #clock: Clock;
  readonly #source: ReplicaSource;
  readonly #maxBytes: number;
  readonly #onChange: (budgetId: string) => void;
  readonly #cache: LRUCache<string, Entry>;
  readonly #flights = new Map<string, Flight<Held>>();
  readonly #writes = new Map<string, number>();
  readonly #tooLarge = new Set<string>();
  readonly #restsUntil = new Map<string, number>();
  /** Half changed by a delta that could not be applied: not for anybody any more. */
  readonly #distrusted = new WeakSet<BudgetReplica>();
  #syncs = 0;
  #loads = 0;

  constructor({ clock, source, maxBytes, onChange = () => {} }: ReplicaCacheOptions) {
    this.#clock = clock;
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#onChange = onChange;
    // Its own `fetch` would end a load as soon as another budget took its place, and not know of writes.
    this.#cache = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ replica }) => sizeOf(replica) });
  }

  /** What is held of a budget, however old, with whether a write has made it stale. */
  peek(budgetId: string): (Held & { readonly stale: boolean }) | undefined {
    const entry = this.#cache.get(budgetId);
    if (!entry || this.#distrusted.has(entry.replica)) return undefined;
    const { replica, asOf, writes } = entry;
    return { replica, asOf, stale: writes !== this.#writesOf(budgetId) };
  }

  /** Whether it makes sense to hold a budget: not when it is too large, or has just failed to load. */
  canHold(budgetId: string): boolean {
    return !this.#tooLarge.has(budgetId) && this.#clock.now() >= (this.#restsUntil.get(budgetId) ?? 0);
  }

  /**
   * The budget as it is now: loaded if it is not held, else by one delta. One request serves all who ask while it is
   * under way; it is cancelled when the last of them is gone. Throws what the source throws.
   */
  sync(budgetId: string, signal?: AbortSignal, onBytes?: OnBytes): Promise<Held> {
    return this.#current(budgetId, false, signal, onBytes);
  }

  /** The same, but always loaded as a whole. What is held stays until it has come. */
  reload(budgetId: string, signal?: AbortSignal): Promise<Held> {
    return this.#current(budgetId, true, signal);
  }

  /** What is held may lack a write from now on. */
  written(budgetId: string): void {
    this.#writes.set(budgetId, this.#writesOf(budgetId) + 1);
  }

  /**
   * Takes in what was read after a write for another reason: what has changed since the knowledge `since`, asked for at
   * `asOf`. Of no use where nothing is held, where that is older than `since` or of another month, or while it is being
   * synced.
   */
  learn(budgetId: string, delta: Export, since: number, asOf: number): void {
    const held = this.peek(budgetId);
    if (!held || held.replica.knowledge < since || this.#flights.has(budgetId)) return;
    if (!isOfMonth(held, asOf)) return;
    const { replica } = held;
    const writes = this.#writesOf(budgetId);
    try {
      // A sync that was asked for later may have come earlier: then there is nothing new in the delta.
      if (delta.server_knowledge >= replica.knowledge)
        replica.apply(delta, dateOf(Math.max(asOf, held.asOf)));
      this.#cache.set(budgetId, { replica, asOf: Math.max(asOf, held.asOf), writes });
    } catch (error) {
      if (!(error instanceof DistrustError)) throw error;
      this.#distrusted.add(replica);
    }
  }

  status(): CacheStatus {
    const entries = [...this.#cache.entries()].filter(([, { replica }]) => !this.#distrusted.has(replica));
    const held = entries.map(([budget_id, { replica, asOf }]) => ({
      budget_id,
      as_of: asOf,
      bytes: replica.bytes,
      server_knowledge: replica.knowledge,
    }));
    const now = this.#clock.now();
    return {
      held,
      bytes: this.#cache.calculatedSize,
      syncs: this.#syncs,
      loads: this.#loads,
      too_large: [...this.#tooLarge],
      failing: [...this.#restsUntil].filter(([, until]) => now < until).map(([budgetId]) => budgetId),
    };
  }

  #writesOf(budgetId: string): number {
    return this.#writes.get(budgetId) ?? 0;
  }

  async #current(budgetId: string, isWhole: boolean, signal?: AbortSignal, onBytes?: OnBytes): Promise<Held> {
    let flight = this.#flights.get(budgetId);
    // What was asked for before a write ended may not show it.
    while (flight && (flight.writes !== this.#writesOf(budgetId) || (isWhole && !flight.isWhole))) {
      await unlessCancelled(
        flight.landed.catch(() => {}),
        signal,
      );
      flight = this.#flights.get(budgetId);
    }
    return (flight ?? this.#depart(budgetId, isWhole)).board(signal, onBytes);
  }

  #depart(budgetId: string, isWhole: boolean): Flight<Held> {
    const held = this.peek(budgetId);
    const base = !isWhole && held && isOfMonth(held, this.#clock.now()) ? held.replica : undefined;
    const about = { writes: this.#writesOf(budgetId), isWhole: !base };
    const flight = new Flight(about, (signal, tell) => this.#fetch(budgetId, base, signal, tell));
    this.#flights.set(budgetId, flight);
    flight.onOver(() => {
      if (this.#flights.get(budgetId) === flight) this.#flights.delete(budgetId);
    });
    return flight;
  }

  async #fetch(
    budgetId: string,
    base: BudgetReplica | undefined,
    signal: AbortSignal,
    onBytes: OnBytes,
  ): Promise<Held> {
    const asOf = this.#clock.now();
    const writes = this.#writesOf(budgetId);
    const known = base?.knowledge;
    try {
      const synced = base && (await this.#synced(budgetId, base, asOf, signal, onBytes));
      const replica = synced ?? (await this.#loaded(budgetId, asOf, signal, onBytes));
      this.#keep(budgetId, { replica, asOf, writes });
      if (replica !== base || replica.knowledge !== known) this.#onChange(budgetId);
      return { replica, asOf };
    } catch (error) {
      if (!signal.aborted && !this.peek(budgetId))
        this.#restsUntil.set(budgetId, this.#clock.now() + REST_AFTER_FAILURE_MS);
      throw error;
    }
  }

  /** Undefined where the delta cannot be applied, which spoils the replica. */
  async #synced(
    budgetId: string,
    replica: BudgetReplica,
    asOf: number,
    signal: AbortSignal,
    onBytes: OnBytes,
  ): Promise<BudgetReplica | undefined> {
    const delta = await this.#source(budgetId, replica.knowledge, signal, onBytes);
    signal.throwIfAborted();
    this.#syncs += 1;
    try {
      replica.apply(delta, dateOf(asOf));
      return replica;
    } catch (error) {
      if (!(error instanceof DistrustError)) throw error;
      this.#distrusted.add(replica);
      return undefined;
    }
  }

  async #loaded(
    budgetId: string,
    asOf: number,
    signal: AbortSignal,
    onBytes: OnBytes,
  ): Promise<BudgetReplica> {
    const whole = await this.#source(budgetId, undefined, signal, onBytes);
    signal.throwIfAborted();
    this.#loads += 1;
    try {
      return BudgetReplica.load(whole, dateOf(asOf));
    } catch (error) {
      if (!(error instanceof DistrustError)) throw error;
      const message = `The whole budget contradicts itself: ${error.message}`;
      throw new BudgetError('unexpected_response', message, { cause: error });
    }
  }

  #keep(budgetId: string, entry: Entry): void {
    this.#restsUntil.delete(budgetId);
    // One that is too large is not held, nor is what was held of it before.
    this.#cache.set(budgetId, entry);
    if (sizeOf(entry.replica) > this.#maxBytes) this.#tooLarge.add(budgetId);
    else this.#tooLarge.delete(budgetId);
  }
}

/** No delta need tell that a month has ended, and with it the amounts of all categories. */
const isOfMonth = ({ asOf }: Held, now: number) => dateOf(asOf).slice(0, 7) === dateOf(now).slice(0, 7);

const sizeOf = (replica: BudgetReplica) => Math.max(Math.ceil(replica.bytes), 1);
