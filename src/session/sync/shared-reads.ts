/**
 * What the processes of a sign-in have read of one budget, so that the others need not ask for it: a snapshot, which is the last
 * whole load in parts, and the deltas since in the log of the budget. A process that starts reads both and needs one delta.
 * Processes that run apply what the others have added to the log.
 */
import { ageOf, dateOf, type Moment, momentOf, recordedMoment, yieldTurn } from '../../base/clock.ts';
import { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { InconsistentReplicaError } from '../../model/replica/entity-table.ts';
import { ignoreStoreError } from '../../store/store-error.ts';
import { type CachedBudget, isOfMonth } from '../freshness/cache-entries.ts';
import { BURST_MS } from '../freshness/freshness-policy.ts';
import type { BudgetRead, ReplicaCache, WantedBudget } from '../freshness/replica-cache.ts';
import { type BudgetSnapshots, parseExport } from './budget-snapshots.ts';
import {
  type LastRead,
  type LoggedDelta,
  type News,
  SharedBudget,
  type SharedBudgetDeps,
} from './shared-budget.ts';

/** A process waits for this time for another one that loads or syncs the budget, and then reads it itself. */
const MAX_WAIT_MS = { load: 20_000, delta: 3_000 };

/** After it has waited for a lock in vain, it does not wait again for this time. Otherwise each question would take longer. */
const NO_WAIT_MS = 60_000;

/** More deltas are replaced by a new snapshot. */
const MAX_DELTAS = 200;

export class SharedReads {
  readonly #id: string;
  readonly #deps: SharedBudgetDeps;
  readonly budget: SharedBudget;
  readonly #snapshots: BudgetSnapshots;
  /** When this process has last waited for the lock in vain, by the monotonic clock. */
  #waitedInVainAt = Number.NEGATIVE_INFINITY;
  #restoring: Promise<boolean> | undefined;
  /** The last read that could not be restored from its snapshot. */
  #unusable: LastRead | undefined;
  /** Resolves when what was read has been written. */
  written: Promise<void> = Promise.resolve();

  constructor(id: string, deps: SharedBudgetDeps, snapshots: BudgetSnapshots) {
    this.#id = id;
    this.#deps = deps;
    this.budget = new SharedBudget(id, deps);
    this.#snapshots = snapshots;
  }

  /**
   * Runs `request` while no other process requests the budget. If one did so meanwhile, returns what that has read. Without the lock it
   * goes on after some time: the other process may be suspended, and a read does no harm. A process that is alone takes no lock:
   * another one that has started since may make the same request.
   */
  async alone(
    { isFullLoad, signal }: Pick<WantedBudget, 'isFullLoad' | 'signal'>,
    request: () => Promise<CachedBudget>,
  ): Promise<CachedBudget> {
    const { cache, clock } = this.#deps;
    const before = cache?.entries.peek(this.#id);
    const { release, hasWaited } = await this.#lock(before ? MAX_WAIT_MS.delta : MAX_WAIT_MS.load, signal);
    try {
      // What another process has read meanwhile may be older than a write that was answered.
      if (hasWaited || !before) await this.#look();
      const current = cache?.entries.peek(this.#id);
      // After a store that did not answer, what others have read can be new here, and old already.
      const isReadMeanwhile =
        hasWaited && current && isNewer(current, before) && ageOf(clock, current.asOf) <= BURST_MS;
      return isReadMeanwhile && !isFullLoad && !current.lacksWrite ? current : await request();
    } finally {
      // Others may read the budget when they can find what this process has read.
      if (release) void this.written.then(release);
    }
  }

  /** Passes on what this process has read. In memory, a copy of the whole budget is of no use. */
  share(read: BudgetRead): void {
    if (!this.#deps.status().shared) return;
    const work = this.written.then(() => (read.delta ? this.#addDelta(read) : this.#addSnapshot(read)));
    // What cannot be shared is only missed by others.
    this.written = work.catch(ignoreStoreError);
  }

  /** Takes over what the others have read. Returns whether the cached budget has changed. */
  async takeOver({ changes }: News): Promise<boolean> {
    const { cache } = this.#deps;
    if (!cache) return false;
    const knowledge = () => cache.entries.peek(this.#id)?.replica.knowledge;
    const before = knowledge();
    const now = momentOf(this.#deps.clock);
    for (const { at, delta } of changes) {
      const parsed = delta && parsedDelta(delta);
      if (parsed) cache.applyRead(this.#id, recordedMoment(at, now), parsed);
    }
    const { lastRead } = this.budget;
    if (lastRead && isOfMonth(lastRead, now)) {
      const isBehind = (knowledge() ?? Number.NEGATIVE_INFINITY) < lastRead.knowledge;
      if (isBehind) await this.#restoreOnce(cache, lastRead);
      if (knowledge() === lastRead.knowledge) cache.applyRead(this.#id, recordedMoment(lastRead.asOf, now));
    }
    return knowledge() !== before;
  }

  async #look(): Promise<void> {
    const { store, pending } = this.#deps;
    const { records, logs } = this.budget.wanted;
    const seen = await store.look({ records: [pending.recordName, ...records], logs });
    const news = await this.budget.takeOver(seen, false);
    if (news.isForCache) await this.takeOver(news);
  }

  /** `hasWaited`: another process had the lock first, and may have read the budget meanwhile. */
  async #lock(waitMs: number, signal: AbortSignal) {
    const { store, clock } = this.#deps;
    if (this.budget.isAlone) return { release: undefined, hasWaited: false };
    const name = `read ${this.#id}`;
    const immediate = await store.lock(name, { waitMs: 0, signal });
    if (immediate) this.#waitedInVainAt = Number.NEGATIVE_INFINITY;
    if (immediate || clock.monotonic() - this.#waitedInVainAt < NO_WAIT_MS)
      return { release: immediate, hasWaited: !immediate };
    const release = await store.lock(name, { waitMs, signal });
    if (!release) this.#waitedInVainAt = clock.monotonic();
    return { release, hasWaited: true };
  }

  /** Two calls that need the budget restore it once. If that fails, it is read from the service. */
  async #restoreOnce(cache: ReplicaCache, lastRead: LastRead): Promise<void> {
    if (this.#unusable === lastRead || cache.entries.whyNotCached(this.#id)) return;
    this.#restoring ??= this.#restore(cache, lastRead);
    const isRestored = await this.#restoring.catch(ignoreStoreError).finally(() => {
      this.#restoring = undefined;
    });
    if (!isRestored) this.#unusable = lastRead;
  }

  async #restore(cache: ReplicaCache, lastRead: LastRead): Promise<boolean> {
    const { snapshot, after, asOf, knowledge } = lastRead;
    const data = await this.#snapshots.read(snapshot);
    if (!data) return false;
    try {
      const replica = await BudgetReplica.loadInTurns(data, dateOf(asOf.wall));
      for await (const { at, ...delta } of this.budget.deltas(after)) {
        const parsed = parsedDelta(delta);
        // Two processes may add deltas at the same time. A lower one has nothing new.
        const isNext =
          parsed && parsed.since <= replica.knowledge && parsed.data.server_knowledge > replica.knowledge;
        if (isNext) replica.apply(parsed.data, dateOf(at.wall));
      }
      if (replica.knowledge < knowledge) return false;
      cache.restore(this.#id, replica, recordedMoment(asOf, momentOf(this.#deps.clock)));
      return true;
    } catch (error) {
      if (error instanceof InconsistentReplicaError) return false;
      throw error;
    }
  }

  async #addDelta(read: BudgetRead): Promise<void> {
    const { asOf, delta } = read;
    if (!delta) return;
    const { lastRead: known } = this.budget;
    const knowledge = delta.data.server_knowledge;
    // Another read has shown more.
    if (known && known.knowledge > knowledge) return;
    const isNext = known && delta.since <= known.knowledge;
    if (!isNext || !isOfMonth(known, asOf) || known.deltas >= MAX_DELTAS) return this.#addSnapshot(read);
    const isChanged = knowledge > known.knowledge;
    await this.budget.setLastRead(
      (latest, now) => {
        if (latest?.snapshot !== known.snapshot || latest.knowledge > knowledge) return latest;
        const isNewest = asOf.monotonic > recordedMoment(latest.asOf, now).monotonic || isChanged;
        if (!isNewest) return latest;
        return { ...latest, asOf, knowledge, deltas: latest.deltas + (isChanged ? 1 : 0) };
      },
      isChanged ? { at: asOf, delta } : undefined,
    );
  }

  async #addSnapshot({ replica, asOf }: BudgetRead): Promise<void> {
    // A delta that is older than the snapshot has nothing new for its readers.
    const after = this.budget.position;
    // The call that has loaded the budget is answered first.
    await yieldTurn();
    const { knowledge } = replica;
    const { id, replaced } = await this.#snapshots.write(this.#id, replica.inParts());
    await this.budget.setLastRead(() => ({ snapshot: id, after, deltas: 0, asOf, knowledge }));
    // What refers to a snapshot that is not there any more is not used.
    await this.#snapshots.remove(replaced);
  }
}

const isNewer = ({ asOf }: CachedBudget, before: { readonly asOf: Moment } | undefined) =>
  before === undefined || asOf.monotonic > before.asOf.monotonic;

function parsedDelta({ since, data }: LoggedDelta): BudgetRead['delta'] {
  const parsed = parseExport(data);
  return parsed && { since, data: parsed };
}
