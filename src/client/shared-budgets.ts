/**
 * Budgets as the processes of one sign-in share them. A budget is kept as a snapshot, which is the last whole load in parts,
 * and a log of the deltas since. A process that starts reads both and needs one delta. Processes that run read what the
 * others have added to the log.
 *
 * A snapshot is written while the lock of the budget is kept, and its record is replaced last: other processes see either
 * the old snapshot or the new one. What a process that was killed has left is removed with the next snapshot.
 */
import { z } from 'zod';
import {
  ageOf,
  type Clock,
  dateOf,
  type Moment,
  momentOf,
  recordedMoment,
  yieldTurn,
} from '../platform/clock.ts';
import { BURST_MS } from '../replica/allowed-age.ts';
import { BudgetReplica } from '../replica/budget-replica.ts';
import type { CachedBudget } from '../replica/cache-entry.ts';
import { InconsistentReplicaError } from '../replica/inconsistent-replica-error.ts';
import type { ReplicaSharing, SharedRead, SharingCache } from '../replica/replica-sharing.ts';
import { SharedRecord, type SharedStore } from '../state/shared-store.ts';
import { ignoreStoreError } from '../state/store-error.ts';
import { storedMoment } from '../state/stored-moment.ts';
import { BudgetSnapshots, type ParseExport } from './budget-snapshots.ts';
import { SyncLocks } from './sync-locks.ts';

export interface SharedBudgetsOptions {
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly parse: ParseExport;
  /** Learns what other processes have noted about their writes. Returns another number after another write. */
  readonly learnNoted?: (budgetId: string) => Promise<number>;
  /** Also learns what they may have written without noting it. */
  readonly learn?: (budgetId: string) => Promise<void>;
}

/** What is kept of one budget. */
const kept = z.object({
  /** The id of the snapshot. */
  snapshot: z.string(),
  /** When the last read was requested, and what it showed. */
  asOf: storedMoment,
  knowledge: z.number(),
  deltas: z.number(),
});

type Kept = z.output<typeof kept>;

const delta = z.object({ since: z.number(), asOf: storedMoment, data: z.unknown() });

/** A process waits for this time for another one that loads or syncs the budget, and then reads it itself. */
const MAX_WAIT_MS = { load: 20_000, delta: 3_000 };

/** A longer log is replaced by a new snapshot. */
const MAX_DELTAS = 200;

/** How far this process has read. */
interface Position {
  readonly snapshot: string;
  readonly entry: number;
}

export class SharedBudgets implements ReplicaSharing {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #parse: ParseExport;
  readonly #learnNoted: (budgetId: string) => Promise<number>;
  readonly #learn: (budgetId: string) => Promise<void>;
  readonly #snapshots: BudgetSnapshots;
  readonly #locks: SyncLocks;
  readonly #positions = new Map<string, Position>();
  readonly #records = new Map<string, SharedRecord<z.ZodNullable<typeof kept>>>();
  /** The last state of each budget in the store that was taken over, and whether there was room for it in the cache. */
  readonly #takenOver = new Map<string, { readonly known: Kept; readonly isCached: boolean }>();
  /** What was known to others about each budget that is watched without being cached. */
  readonly #watched = new Map<string, string>();
  readonly #catchingUp = new Map<string, Promise<void>>();
  /** For each budget, resolves when what was read has been written. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor({
    store,
    clock,
    parse,
    learnNoted = async () => 0,
    learn = async () => {},
  }: SharedBudgetsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#parse = parse;
    this.#learnNoted = learnNoted;
    this.#learn = learn;
    this.#snapshots = new BudgetSnapshots(store, parse);
    this.#locks = new SyncLocks(store, clock);
  }

  get version(): number {
    return this.#store.version;
  }

  learn(budgetId: string): Promise<void> {
    return this.#learn(budgetId);
  }

  async catchUp(cache: SharingCache, budgetId: string): Promise<void> {
    const earlier = this.#catchingUp.get(budgetId);
    const work = (async () => {
      await earlier;
      await this.#learnNoted(budgetId);
      // If that fails, it is read from the service.
      await this.#catchUp(cache, budgetId).catch(ignoreStoreError);
    })();
    this.#catchingUp.set(budgetId, work);
    await work.finally(() => {
      if (this.#catchingUp.get(budgetId) === work) this.#catchingUp.delete(budgetId);
    });
  }

  async hasChanged(budgetId: string): Promise<boolean> {
    const before = this.#watched.get(budgetId);
    const lastWrite = await this.#learnNoted(budgetId);
    const read = await this.#record(budgetId).read();
    const known = `${read?.knowledge} ${lastWrite}`;
    this.#watched.set(budgetId, known);
    return before !== undefined && before !== known;
  }

  async alone(
    cache: SharingCache,
    budgetId: string,
    request: () => Promise<CachedBudget>,
    { isFullLoad, signal }: { readonly isFullLoad: boolean; readonly signal: AbortSignal },
  ): Promise<CachedBudget> {
    const before = cache.peek(budgetId);
    const waitMs = before ? MAX_WAIT_MS.delta : MAX_WAIT_MS.load;
    const { release, hasWaited } = await this.#locks.take(budgetId, waitMs, signal);
    try {
      // What another process has read meanwhile may be older than a write that was answered.
      if (hasWaited) await this.#learn(budgetId);
      await this.catchUp(cache, budgetId);
      const current = cache.peek(budgetId);
      // After a store that did not answer, what others have read can be new here, and old already.
      const isReadMeanwhile =
        hasWaited && current && isNewer(current, before) && ageOf(this.#clock, current.asOf) <= BURST_MS;
      return isReadMeanwhile && !isFullLoad && !current.lacksWrite ? current : await request();
    } finally {
      // Others may read the budget when they can find what this process has read.
      const written = this.#writing.get(budgetId) ?? Promise.resolve();
      if (release) void written.then(release);
    }
  }

  share(read: SharedRead): void {
    // The store may go on in memory. A copy of the whole budget there is of no use.
    if (!this.#store.isShared) return;
    const { budgetId } = read;
    const earlier = this.#writing.get(budgetId) ?? Promise.resolve();
    const work = earlier.then(() => (read.delta ? this.#addDelta(read) : this.#addSnapshot(read)));
    // What cannot be shared is only missed by others.
    const written = work.catch(ignoreStoreError);
    this.#writing.set(budgetId, written);
    void written.then(() => {
      if (this.#writing.get(budgetId) === written) this.#writing.delete(budgetId);
    });
  }

  /** Resolves when everything that was read has been written. */
  async written(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  /** Always the same object, because it remembers what it has parsed. */
  #record(budgetId: string): SharedRecord<z.ZodNullable<typeof kept>> {
    const record =
      this.#records.get(budgetId) ??
      new SharedRecord(this.#store, `budget ${budgetId}`, kept.nullable(), null);
    this.#records.set(budgetId, record);
    return record;
  }

  async #catchUp(cache: SharingCache, budgetId: string): Promise<void> {
    const known = await this.#record(budgetId).read();
    const cached = cache.peek(budgetId);
    const takenOver = this.#takenOver.get(budgetId);
    // The store returns the same object as long as it has not changed.
    if (known === takenOver?.known && (cached !== undefined) === takenOver?.isCached) return;
    const now = momentOf(this.#clock);
    if (!known || monthOf(known.asOf) !== monthOf(now)) return;
    const asOf = recordedMoment(known.asOf, now);
    const position = this.#positions.get(budgetId);
    if (!cached || position?.snapshot !== known.snapshot) {
      const isBehind = !cached || cached.replica.knowledge < known.knowledge;
      if (isBehind && !(await this.#restore(cache, budgetId, known, asOf))) return;
    } else if (!(await this.#applyEntries(cache, budgetId, position, now))) return;
    if (cache.peek(budgetId)?.replica.knowledge === known.knowledge) cache.applyRead(budgetId, asOf);
    this.#takenOver.set(budgetId, { known, isCached: cache.peek(budgetId) !== undefined });
  }

  /** Reads the snapshot and all deltas. Returns whether that was possible. */
  async #restore(cache: SharingCache, budgetId: string, known: Kept, asOf: Moment): Promise<boolean> {
    const data = await this.#snapshots.read(known.snapshot);
    if (!data) return false;
    try {
      const replica = await BudgetReplica.loadInTurns(data, dateOf(asOf.wall));
      let entry = 0;
      for await (const { number, value } of this.#store.entries(deltasOf(known.snapshot))) {
        const read = this.#deltaOf(value);
        if (!read || read.since > replica.knowledge) return false;
        entry = number;
        // Two processes may add deltas at the same time. A lower one has nothing new.
        if (read.data.server_knowledge < replica.knowledge) continue;
        replica.apply(read.data, dateOf(read.asOf.wall));
      }
      // Another process may have removed the deltas meanwhile, because of a newer snapshot.
      if (replica.knowledge < known.knowledge) return false;
      cache.adopt(budgetId, replica, asOf);
      this.#positions.set(budgetId, { snapshot: known.snapshot, entry });
      return true;
    } catch (error) {
      if (error instanceof InconsistentReplicaError) return false;
      throw error;
    }
  }

  async #applyEntries(
    cache: SharingCache,
    budgetId: string,
    { snapshot, entry }: Position,
    now: Moment,
  ): Promise<boolean> {
    for await (const { number, value } of this.#store.entries(deltasOf(snapshot), entry)) {
      const read = this.#deltaOf(value);
      if (!read) return false;
      cache.applyRead(budgetId, recordedMoment(read.asOf, now), read);
      this.#positions.set(budgetId, { snapshot, entry: number });
    }
    return true;
  }

  #deltaOf(value: unknown) {
    const { data: stored } = delta.safeParse(value);
    const data = stored && this.#parse(stored.data);
    return stored && data && { ...stored, data };
  }

  async #addDelta({ budgetId, replica, asOf, delta }: SharedRead): Promise<void> {
    if (!delta) return;
    const known = await this.#record(budgetId).read();
    const { data, since } = delta;
    const knowledge = data.server_knowledge;
    const isNext = known && since <= known.knowledge && known.knowledge <= knowledge;
    if (!isNext || monthOf(known.asOf) !== monthOf(asOf) || known.deltas >= MAX_DELTAS)
      return this.#addSnapshot({ budgetId, replica, asOf });
    const isChanged = knowledge > known.knowledge;
    if (isChanged) {
      const entry = await this.#store.append(deltasOf(known.snapshot), { since, asOf, data });
      this.#positions.set(budgetId, { snapshot: known.snapshot, entry });
    }
    await this.#record(budgetId).update((latest, now) => {
      if (latest?.snapshot !== known.snapshot || latest.knowledge > knowledge)
        return { value: latest, result: undefined };
      const isNewest = asOf.monotonic > recordedMoment(latest.asOf, now).monotonic || isChanged;
      const value = isNewest
        ? { ...latest, asOf, knowledge, deltas: latest.deltas + (isChanged ? 1 : 0) }
        : latest;
      return { value, result: undefined };
    });
  }

  async #addSnapshot({ budgetId, replica, asOf }: SharedRead): Promise<void> {
    // The call that has loaded the budget is answered first.
    await yieldTurn();
    const { knowledge } = replica;
    const { id, replaced } = await this.#snapshots.write(budgetId, replica.inParts());
    await this.#record(budgetId).update(() => ({
      value: { snapshot: id, asOf, knowledge, deltas: 0 },
      result: undefined,
    }));
    this.#positions.set(budgetId, { snapshot: id, entry: 0 });
    for (const old of replaced) {
      if (old.budgetId !== budgetId) await this.#forget(old);
      await this.#snapshots.remove(old.id);
      await this.#store.trim(deltasOf(old.id));
    }
  }

  async #forget({ id, budgetId }: { readonly id: string; readonly budgetId: string }): Promise<void> {
    await this.#record(budgetId).update((known) => ({
      value: known?.snapshot === id ? null : known,
      result: undefined,
    }));
  }
}

const deltasOf = (snapshot: string) => `deltas of ${snapshot}`;
const monthOf = ({ wall }: Moment) => dateOf(wall).slice(0, 7);

const isNewer = ({ asOf }: CachedBudget, before: CachedBudget | undefined) =>
  before === undefined || asOf.monotonic > before.asOf.monotonic;
