/**
 * Budgets as the processes of one sign-in share them. A budget is kept as a snapshot, which is the last whole load in parts,
 * and the deltas since in its log. A process that starts reads both and needs one delta. Processes that run apply what the
 * others have added to the log.
 *
 * A list names every snapshot before its first part is written, so that what a killed process has left is found and removed.
 * A snapshot is written while the lock of the budget is kept, and the record of the last read is replaced last: other processes
 * see either the old snapshot or the new one.
 */

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Clock, dateOf, momentOf, recordedMoment, yieldTurn } from '../../base/clock.ts';
import { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Export } from '../../model/replica/entities.ts';
import { InconsistentReplicaError } from '../../model/replica/entity-table.ts';
import { exportOfParts } from '../../model/replica/join.ts';
import { getBudget } from '../../operations/budgets.ts';
import { SharedRecord, type SharedStore } from '../../store/shared-store.ts';
import { ignoreStoreError } from '../../store/store-error.ts';
import { isOfMonth } from '../freshness/cache-entries.ts';
import type { BudgetRead, ReplicaCache } from '../freshness/replica-cache.ts';
import { fastParse } from '../http/fast-validate.ts';
import type { BudgetLog, LastRead, LoggedChange, LoggedDelta } from './budget-log.ts';

export interface SharedBudgetsOptions {
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly logOf: (budgetId: string) => BudgetLog;
}

/** More deltas are replaced by a new snapshot. */
const MAX_DELTAS = 200;

export class SharedBudgets {
  readonly #options: SharedBudgetsOptions;
  readonly #snapshots: BudgetSnapshots;
  readonly #restoring = new Map<string, Promise<boolean>>();
  /** The last reads that could not be restored from their snapshots. */
  readonly #unusable = new WeakSet<LastRead>();
  /** For each budget, resolves when what was read has been written. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(options: SharedBudgetsOptions) {
    this.#options = options;
    this.#snapshots = new BudgetSnapshots(options.store);
  }

  /** Takes over what other processes have read, by the changes in the log. Returns whether the cached budget has changed. */
  async takeOver(cache: ReplicaCache, budgetId: string, changes: readonly LoggedChange[]): Promise<boolean> {
    const before = cache.peek(budgetId)?.replica.knowledge;
    const now = momentOf(this.#options.clock);
    for (const { at, delta } of changes) {
      const parsed = delta && this.#parsed(delta);
      if (parsed) cache.applyRead(budgetId, recordedMoment(at, now), parsed);
    }
    const { lastRead } = this.#options.logOf(budgetId);
    if (lastRead && isOfMonth(lastRead, now)) {
      if (isBehind(cache, budgetId, lastRead)) await this.#restoreOnce(cache, budgetId, lastRead);
      const isRead = cache.peek(budgetId)?.replica.knowledge === lastRead.knowledge;
      if (isRead) cache.applyRead(budgetId, recordedMoment(lastRead.asOf, now));
    }
    return cache.peek(budgetId)?.replica.knowledge !== before;
  }

  /** Passes on what this process has read. */
  share(read: BudgetRead): void {
    // The store may go on in memory. A copy of the whole budget there is of no use.
    if (!this.#options.store.isShared) return;
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

  /** Resolves when what was read of a budget, or of all, has been written. */
  async written(budgetId?: string): Promise<void> {
    await Promise.all(budgetId === undefined ? this.#writing.values() : [this.#writing.get(budgetId)]);
  }

  /** Two calls that need the same budget restore it once. */
  async #restoreOnce(cache: ReplicaCache, budgetId: string, lastRead: LastRead): Promise<void> {
    if (this.#unusable.has(lastRead) || cache.whyNotCached(budgetId)) return;
    const restoring = this.#restoring.get(budgetId) ?? this.#restore(cache, budgetId, lastRead);
    this.#restoring.set(budgetId, restoring);
    // If that fails, the budget is read from the service.
    const isRestored = await restoring
      .catch(ignoreStoreError)
      .finally(() => this.#restoring.delete(budgetId));
    if (!isRestored) this.#unusable.add(lastRead);
  }

  /** Reads the snapshot and all deltas. Returns whether that was possible. */
  async #restore(cache: ReplicaCache, budgetId: string, lastRead: LastRead): Promise<boolean> {
    const { snapshot, after, asOf, knowledge } = lastRead;
    const data = await this.#snapshots.read(snapshot);
    if (!data) return false;
    try {
      const replica = await BudgetReplica.loadInTurns(data, dateOf(asOf.wall));
      for await (const { at, ...delta } of this.#options.logOf(budgetId).deltas(after)) {
        const parsed = this.#parsed(delta);
        // Two processes may add deltas at the same time. A lower one has nothing new.
        const isNext =
          parsed && parsed.since <= replica.knowledge && parsed.data.server_knowledge > replica.knowledge;
        if (isNext) replica.apply(parsed.data, dateOf(at.wall));
      }
      if (replica.knowledge < knowledge) return false;
      cache.restore(budgetId, replica, recordedMoment(asOf, momentOf(this.#options.clock)));
      return true;
    } catch (error) {
      if (error instanceof InconsistentReplicaError) return false;
      throw error;
    }
  }

  #parsed({ since, data }: LoggedDelta): BudgetRead['delta'] {
    const parsed = parseExport(data);
    return parsed && { since, data: parsed };
  }

  async #addDelta(read: BudgetRead): Promise<void> {
    const { budgetId, asOf, delta } = read;
    if (!delta) return;
    const log = this.#options.logOf(budgetId);
    const { lastRead: known } = log;
    const { data, since } = delta;
    const knowledge = data.server_knowledge;
    // Another read has shown more.
    if (known && known.knowledge > knowledge) return;
    const isNext = known && since <= known.knowledge;
    if (!isNext || !isOfMonth(known, asOf) || known.deltas >= MAX_DELTAS) return this.#addSnapshot(read);
    const isChanged = knowledge > known.knowledge;
    await log.setLastRead(
      (latest, now) => {
        if (latest?.snapshot !== known.snapshot || latest.knowledge > knowledge) return latest;
        const isNewest = asOf.monotonic > recordedMoment(latest.asOf, now).monotonic || isChanged;
        return isNewest
          ? { ...latest, asOf, knowledge, deltas: latest.deltas + (isChanged ? 1 : 0) }
          : latest;
      },
      isChanged ? { at: asOf, delta: { since, data } } : undefined,
    );
  }

  async #addSnapshot({ budgetId, replica, asOf }: BudgetRead): Promise<void> {
    const log = this.#options.logOf(budgetId);
    // A delta that is older than the snapshot has nothing new for its readers.
    const after = log.position;
    // The call that has loaded the budget is answered first.
    await yieldTurn();
    const { knowledge } = replica;
    const { id, replaced } = await this.#snapshots.write(budgetId, replica.inParts());
    await log.setLastRead(() => ({ snapshot: id, after, deltas: 0, asOf, knowledge }));
    // What refers to a snapshot that is not there any more is not used.
    for (const old of replaced) await this.#snapshots.remove(old.id);
  }
}

const isBehind = (cache: ReplicaCache, budgetId: string, { knowledge }: LastRead) =>
  (cache.peek(budgetId)?.replica.knowledge ?? Number.NEGATIVE_INFINITY) < knowledge;

/** Undefined if the value is not an export, because another version of the program has written it. */
const parseExport = (value: unknown): Export | undefined => fastParse(getBudget.output, value)?.data;

const snapshot = z.object({
  id: z.string(),
  budgetId: z.string(),
  /** The id of the process. */
  writtenBy: z.string(),
  isComplete: z.boolean(),
});

export type Snapshot = z.output<typeof snapshot>;

const list = z.array(snapshot);

/** Follows the last part. Another process may remove parts while this one still reads or writes others. */
const end = z.object({ parts: z.int() });

/** The oldest ones of more budgets are replaced. */
const MAX_SNAPSHOTS = 12;

export class BudgetSnapshots {
  readonly #store: SharedStore;
  readonly #list: SharedRecord<typeof list>;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#list = new SharedRecord(store, 'snapshots', list, []);
  }

  /** Writes a snapshot, and returns those that it replaces, which the caller removes when nothing refers to them. */
  async write(
    budgetId: string,
    parts: Iterable<Export>,
  ): Promise<{ readonly id: string; readonly replaced: readonly Snapshot[] }> {
    const own = { id: randomUUID(), budgetId, writtenBy: this.#store.processId, isComplete: false };
    const abandoned = await this.#abandoned();
    await this.#list.update((all) => ({ value: [...all, own], result: undefined }));
    let count = 0;
    for (const part of parts) {
      await this.#store.append(partsOf(own.id), part);
      count += 1;
      await yieldTurn();
    }
    await this.#store.append(partsOf(own.id), { parts: count } satisfies z.output<typeof end>);
    const replaced = await this.#list.update((all) => {
      // What another process is still writing stays: it will replace this one.
      const isReplaced = (each: Snapshot) =>
        each.id === own.id || abandoned.has(each.id) || (each.budgetId === budgetId && each.isComplete);
      const others = all.filter((each) => !isReplaced(each));
      const kept = [...others.slice(1 - MAX_SNAPSHOTS), { ...own, isComplete: true }];
      const keptIds = new Set(kept.map(({ id }) => id));
      return { value: kept, result: all.filter(({ id }) => !keptIds.has(id)) };
    });
    return { id: own.id, replaced };
  }

  /** Undefined if not all of it is there, or not as this version of the program writes it. */
  async read(id: string): Promise<Export | undefined> {
    const parts: Export[] = [];
    for await (const { value } of this.#store.entries(partsOf(id))) {
      const { data: ending } = end.safeParse(value);
      if (ending) return ending.parts === parts.length ? exportOfParts(parts) : undefined;
      const part = parseExport(value);
      if (!part) return undefined;
      parts.push(part);
      await yieldTurn();
    }
    return undefined;
  }

  async remove(id: string): Promise<void> {
    await this.#store.trim(partsOf(id));
  }

  /** Those that a process had not completed when it ended, and those that this one does not complete. */
  async #abandoned(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    for (const { id, writtenBy, isComplete } of await this.#list.read())
      if (!isComplete && !(await this.#store.isRunning(writtenBy))) ids.add(id);
    return ids;
  }
}

const partsOf = (id: string) => `parts of ${id}`;
