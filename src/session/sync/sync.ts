/**
 * What the other processes of a sign-in did. Before a process relies on what it knows about a budget, it reads what the
 * others have written, and may have written, and what they have read: `sync`. An entry about a write is added before the lock
 * of the budget is released, and, unless the store fails, before the host gets the outcome.
 *
 *   - Entities that another process has created are no result of an own lost write, and no possible duplicates.
 *   - A baseline from before a write of another process does not count any more.
 *   - A cached budget that lacks such a write is not fresh.
 */

import { type Clock, momentOf, recordedMoment } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { knowledgeOf } from '../../base/schema/knowledge.ts';
import type { OperationKind } from '../../operations/operation.ts';
import type { Look, Seen, SharedStore } from '../../store/shared-store.ts';
import type { ReplicaSharing, SharedRead, SharingCache, SyncLock } from '../freshness/replica-sharing.ts';
import type { Watermarks } from '../freshness/watermarks.ts';
import { idsIn } from '../writes/delta-after-write.ts';
import { evidenceOf } from '../writes/evidence.ts';
import { DELIVERY_MS, SEND_WITHIN_MS } from '../writes/lost-write.ts';
import type { SentWrite } from '../writes/pending-write.ts';
import type { PendingWrites } from '../writes/pending-writes.ts';
import { BudgetLog, type LoggedChange } from './budget-log.ts';
import type { ParseExport } from './budget-snapshots.ts';
import { SharedBudgets } from './shared-budgets.ts';
import { SyncLocks } from './sync-locks.ts';

export interface SyncDeps {
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly marks: Watermarks;
  readonly parse: ParseExport;
  readonly pending: Pick<PendingWrites, 'unsettledIn' | 'recordName'>;
  /** Called with entities that another process has created, or has reported as possible duplicates. */
  recordCreated(ids: readonly string[]): void;
  /** Finds out what has become of writes that a process left when it ended. */
  adopt(): Promise<unknown>;
}

/** A process waits for this time for another one that loads or syncs the budget, and then reads it itself. */
const MAX_WAIT_MS = { load: 20_000, delta: 3_000 };

/** A write that was sent has arrived at the service within this time, or never does. */
const ARRIVES_WITHIN_MS = SEND_WITHIN_MS + DELIVERY_MS;

const stepKey = ({ id, step }: SentWrite) => `${id} ${step.number}`;

export class Sync implements ReplicaSharing {
  readonly #deps: SyncDeps;
  readonly #budgets: SharedBudgets;
  readonly #locks: SyncLocks;
  readonly #logs = new Map<string, BudgetLog>();
  /** For each budget, when this process has last seen the unsettled steps of others, by the monotonic clock. */
  readonly #unsettled = new Map<string, ReadonlyMap<string, number>>();

  constructor(deps: SyncDeps) {
    const { store, clock, parse } = deps;
    this.#deps = deps;
    this.#budgets = new SharedBudgets({ store, clock, parse, logOf: (budgetId) => this.#logOf(budgetId) });
    this.#locks = new SyncLocks(store, clock);
  }

  /** Another number, perhaps a little later, after another process has read or written. */
  get version(): number {
    return this.#deps.store.version;
  }

  /** What `sync` needs to be seen. */
  lookFor(budgetIds: readonly string[]): Required<Look> {
    const looks = budgetIds.map((budgetId) => this.#logOf(budgetId).look);
    return {
      records: [this.#deps.pending.recordName, ...looks.flatMap(({ records }) => records)],
      logs: looks.flatMap(({ logs }) => logs),
    };
  }

  /**
   * Takes over what other processes did to the budgets. `cache` gets what they have read: also of budgets that it does not
   * have, unless `isKeeping`. Without `seen` it looks first. Returns the budgets that another process has changed, as far as it
   * is new here.
   */
  async sync(
    cache: SharingCache | undefined,
    budgetIds: readonly string[],
    { seen, isKeeping = false }: { readonly seen?: Seen | undefined; readonly isKeeping?: boolean } = {},
  ): Promise<readonly string[]> {
    const changed: string[] = [];
    const known = seen ?? (await this.#deps.store.look(this.lookFor(budgetIds)));
    for (const budgetId of budgetIds) {
      this.#seeUnsettled(budgetId, known);
      const log = this.#logOf(budgetId);
      const before = { isKnown: log.isKnown, knowledge: log.lastRead?.knowledge };
      const changes = await log.changesIn(known);
      for (const each of changes) this.#seeWrite(budgetId, each);
      const isCached = cache?.peek(budgetId) !== undefined;
      const isChanged =
        cache && (isCached || !isKeeping)
          ? await this.#budgets.takeOver(cache, budgetId, changes)
          : before.isKnown && (changes.length > 0 || log.lastRead?.knowledge !== before.knowledge);
      if (isChanged) changed.push(budgetId);
    }
    return changed;
  }

  /** One process at a time requests a budget. */
  lock(budgetId: string, isLoad: boolean, signal: AbortSignal): Promise<SyncLock> {
    return this.#locks.take(budgetId, isLoad ? MAX_WAIT_MS.load : MAX_WAIT_MS.delta, signal);
  }

  /** Passes on what this process has read. */
  share(read: SharedRead): void {
    this.#budgets.share(read);
  }

  /** Resolves when what was read of a budget, or of all, has been written. */
  written(budgetId?: string): Promise<void> {
    return this.#budgets.written(budgetId);
  }

  /** Adds a write of this process. Without `data` of its response, it is uncertain whether it happened. */
  addWrite(budgetId: string, kind: OperationKind, data?: JsonObject): Promise<void> {
    const ids = data ? idsIn(data) : [];
    return this.#logOf(budgetId).addWrite({ kind, ids, ...(data && { evidence: evidenceIn(data) }) });
  }

  /** Adds entities that are reported as possible duplicates, so that no process takes them for the result of a write. */
  addDuplicates(budgetId: string, ids: readonly string[], knowledge: number): Promise<void> {
    const evidence = { server_knowledge: knowledge };
    return this.#logOf(budgetId).addWrite({ kind: 'create', ids: [...ids], evidence });
  }

  /** What was read before this moment may lack the writes that are not settled, until they have surely arrived. */
  #seeUnsettled(budgetId: string, seen: Seen): void {
    const { clock, marks, pending, adopt } = this.#deps;
    const unsettled = pending.unsettledIn(seen, budgetId);
    const before = this.#unsettled.get(budgetId);
    if (unsettled.length === 0) {
      this.#unsettled.delete(budgetId);
      return;
    }
    const now = momentOf(clock);
    const isCovered = (write: SentWrite) =>
      (before?.get(stepKey(write)) ?? Number.NEGATIVE_INFINITY) >=
      recordedMoment(write.step.sentAt, now).monotonic + ARRIVES_WITHIN_MS;
    if (!unsettled.every(isCovered)) {
      marks.recordForeignWrite(budgetId, now);
      this.#unsettled.set(budgetId, new Map(unsettled.map((write) => [stepKey(write), now.monotonic])));
    }
    // If the process of one has ended, this one finds out what has become of it.
    adopt().catch(() => {});
  }

  #seeWrite(budgetId: string, { at, write }: LoggedChange): void {
    if (!write) return;
    const { marks } = this.#deps;
    const { kind, ids, evidence } = write;
    if (kind === 'create') this.#deps.recordCreated(ids);
    marks.recordForeignWrite(budgetId, at, evidence && evidenceOf(kind, evidence));
  }

  #logOf(budgetId: string): BudgetLog {
    const { store, clock } = this.#deps;
    const log = this.#logs.get(budgetId) ?? new BudgetLog(store, clock, budgetId);
    this.#logs.set(budgetId, log);
    return log;
  }
}

/** The parts of `data` that `evidenceOf` needs. */
function evidenceIn(data: JsonObject): JsonObject {
  const server_knowledge = knowledgeOf(data);
  if (server_knowledge !== undefined) return { server_knowledge };
  const { account, scheduled_transaction } = data;
  return {
    ...(account !== undefined && { account }),
    ...(scheduled_transaction !== undefined && { scheduled_transaction }),
  };
}
