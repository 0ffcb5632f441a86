/**
 * The other processes of a sign-in. Before a process relies on what it knows about a budget, it looks at what the others have
 * written, may have written, and have read, and takes it over. An entry about a write is added before the lock of the budget
 * is released, and, unless the store fails, before the host gets the outcome.
 *
 *   - Entities that another process has created are no result of an own lost write, and no possible duplicates.
 *   - A baseline from before a write of another process does not count any more.
 *   - A cached budget that lacks such a write is not fresh.
 */

import { ageOf, type Clock, momentOf, recordedMoment } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { knowledgeOf } from '../../base/schema/knowledge.ts';
import type { OperationKind } from '../../operations/operation.ts';
import type { Look, NewEntry, Release, Seen, SharedStore } from '../../store/shared-store.ts';
import type { CachedBudget } from '../freshness/cache-entries.ts';
import { BURST_MS } from '../freshness/freshness-policy.ts';
import type { BudgetRead, ReplicaCache, WantedBudget } from '../freshness/replica-cache.ts';
import type { Watermarks } from '../freshness/watermarks.ts';
import { idsIn } from '../writes/delta-after-write.ts';
import { evidenceOf } from '../writes/evidence.ts';
import { ARRIVAL_MS, SEND_WITHIN_MS } from '../writes/lost-write.ts';
import type { SentWrite } from '../writes/pending-write.ts';
import type { PendingWrites } from '../writes/pending-writes.ts';
import { BudgetLog, type LoggedChange } from './budget-log.ts';
import { SharedBudgets } from './shared-budgets.ts';

export interface OtherProcessesDeps {
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly marks: Watermarks;
  /** Undefined if this process caches no budgets. */
  readonly cache?: ReplicaCache | undefined;
  readonly pending: Pick<PendingWrites, 'unsettledIn' | 'recordName'>;
  /** Called with entities that another process has created, or has reported as possible duplicates. */
  recordCreated(ids: readonly string[]): void;
  /** Finds out what has become of writes that a process left when it ended. */
  adopt(): Promise<unknown>;
}

/** A process waits for this time for another one that loads or syncs the budget, and then reads it itself. */
const MAX_WAIT_MS = { load: 20_000, delta: 3_000 };

/** A write that was sent has arrived at the service within this time, or never does. */
const ARRIVES_WITHIN_MS = SEND_WITHIN_MS + ARRIVAL_MS;

const stepKey = ({ id, step }: SentWrite) => `${id} ${step.number}`;

/** After it has waited for a lock in vain, it does not wait again for this time. Otherwise each question would take longer. */
const NO_WAIT_MS = 60_000;

export class OtherProcesses {
  readonly #deps: OtherProcessesDeps;
  readonly #budgets: SharedBudgets;
  readonly #logs = new Map<string, BudgetLog>();
  /** For each budget, when this process has last seen the unsettled steps of others, by the monotonic clock. */
  readonly #unsettled = new Map<string, ReadonlyMap<string, number>>();
  /** For each budget, when this process has last waited for its lock in vain, by the monotonic clock. */
  readonly #waitedInVain = new Map<string, number>();

  constructor(deps: OtherProcessesDeps) {
    const { store, clock } = deps;
    this.#deps = deps;
    const logOf = (budgetId: string) => this.#logOf(budgetId);
    this.#budgets = new SharedBudgets({ store, clock, logOf });
  }

  /** Another number, perhaps a little later, after another process has read or written. */
  get version(): number {
    return this.#deps.store.version;
  }

  /** The parts of the store that `takeOver` needs to see. */
  lookFor(budgetIds: readonly string[]): Required<Look> {
    const looks = budgetIds.map((budgetId) => this.#logOf(budgetId).look);
    return {
      records: [this.#deps.pending.recordName, ...looks.flatMap(({ records }) => records)],
      logs: looks.flatMap(({ logs }) => logs),
    };
  }

  /** Looks at what the others did to the budgets, and takes it over. Returns the budgets that another process has changed. */
  async look(budgetIds: readonly string[]): Promise<readonly string[]> {
    return this.takeOver(await this.#deps.store.look(this.lookFor(budgetIds)), budgetIds);
  }

  /**
   * Takes over what the others did to the budgets. With `isKeeping`, budgets that are not cached are not loaded. Returns the
   * budgets that another process has changed, as far as it is new here.
   */
  async takeOver(seen: Seen, budgetIds: readonly string[], isKeeping = false): Promise<readonly string[]> {
    const { cache } = this.#deps;
    const changed: string[] = [];
    for (const budgetId of budgetIds) {
      this.#seeUnsettled(budgetId, seen);
      const log = this.#logOf(budgetId);
      const before = { isKnown: log.isKnown, knowledge: log.lastRead?.knowledge };
      const changes = await log.changesIn(seen);
      for (const each of changes) this.#seeWrite(budgetId, each);
      const isChanged =
        cache && (cache.peek(budgetId) || !isKeeping)
          ? await this.#budgets.takeOver(cache, budgetId, changes)
          : before.isKnown && (changes.length > 0 || log.lastRead?.knowledge !== before.knowledge);
      if (isChanged) changed.push(budgetId);
    }
    return changed;
  }

  /**
   * Runs `request` while no other process requests the same budget. If one did so meanwhile, the result is what it has read,
   * and `request` does not run. A process that does not get the lock in time goes on without it: the other one may be suspended,
   * and a read does no harm.
   */
  async alone(
    { budgetId, isFullLoad, signal }: Omit<WantedBudget, 'onProgress'>,
    request: () => Promise<CachedBudget>,
  ): Promise<CachedBudget> {
    const { cache, clock } = this.#deps;
    const before = cache?.peek(budgetId);
    const { release, hasWaited } = await this.#lock(
      budgetId,
      before ? MAX_WAIT_MS.delta : MAX_WAIT_MS.load,
      signal,
    );
    try {
      // What another process has read meanwhile may be older than a write that was answered.
      if (hasWaited || !before) await this.look([budgetId]);
      const current = cache?.peek(budgetId);
      // After a store that did not answer, what others have read can be new here, and old already.
      const isReadMeanwhile =
        hasWaited && current && isNewer(current, before) && ageOf(clock, current.asOf) <= BURST_MS;
      return isReadMeanwhile && !isFullLoad && !current.lacksWrite ? current : await request();
    } finally {
      // Others may read the budget when they can find what this process has read.
      if (release) void this.written(budgetId).then(release);
    }
  }

  /** Passes on what this process has read. */
  share(read: BudgetRead): void {
    this.#budgets.share(read);
  }

  /** Resolves when what was read of a budget, or of all, has been written. */
  written(budgetId?: string): Promise<void> {
    return this.#budgets.written(budgetId);
  }

  /** What shows a write of this process to others. Without `data` of its response, it is uncertain whether it happened. */
  entryOf(budgetId: string, kind: OperationKind, data?: JsonObject): NewEntry {
    const ids = data ? idsIn(data) : [];
    return this.#logOf(budgetId).entryOf({ kind, ids, ...(data && { evidence: evidenceIn(data) }) });
  }

  /** Adds entities that are reported as possible duplicates, so that no process takes them for the result of a write. */
  async addDuplicates(budgetId: string, ids: readonly string[], knowledge: number): Promise<void> {
    const evidence = { server_knowledge: knowledge };
    const { log, value } = this.#logOf(budgetId).entryOf({ kind: 'create', ids: [...ids], evidence });
    await this.#deps.store.append(log, value);
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

  /** `hasWaited`: another process had the lock first, and may have read the budget meanwhile. */
  async #lock(
    budgetId: string,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly release: Release | undefined; readonly hasWaited: boolean }> {
    const { store, clock } = this.#deps;
    const name = `read ${budgetId}`;
    const immediate = await store.lock(name, { waitMs: 0, signal });
    if (immediate) {
      this.#waitedInVain.delete(budgetId);
      return { release: immediate, hasWaited: false };
    }
    const waitedAt = this.#waitedInVain.get(budgetId);
    const isWaiting = waitedAt === undefined || clock.monotonic() - waitedAt >= NO_WAIT_MS;
    const release = isWaiting ? await store.lock(name, { waitMs, signal }) : undefined;
    if (isWaiting && !release) this.#waitedInVain.set(budgetId, clock.monotonic());
    return { release, hasWaited: true };
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

const isNewer = ({ asOf }: CachedBudget, before: CachedBudget | undefined) =>
  before === undefined || asOf.monotonic > before.asOf.monotonic;

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
