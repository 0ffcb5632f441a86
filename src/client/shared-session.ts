/**
 * The writes of the other processes of a sign-in: what they have under way, what processes that have ended left, what
 * all have written lately, and whether the service refuses all of it. One for each session with a shared store.
 */
import { z } from 'zod';
import type { OperationKind } from '../operations/operation.ts';
import { type Clock, momentOf, recordedMoment } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Watermarks } from '../replica/watermarks.ts';
import type { LaterChanges } from '../state/later-changes.ts';
import { SharedRecord, type SharedStore } from '../state/shared-store.ts';
import { ignoreStoreError } from '../state/store-error.ts';
import { Adoption } from '../writes/adoption.ts';
import { evidenceOf } from '../writes/evidence.ts';
import type { OtherProcesses } from '../writes/exactly-once-writer.ts';
import type { WriteJournal } from '../writes/journal.ts';
import { DELIVERY_MS, type LostWrites, SEND_WITHIN_MS } from '../writes/lost-write.ts';
import type { WritesOfSignIn } from '../writes/own-write.ts';
import { MAX_UNDELIVERED_MS, type SentWrite, type WriteStep } from '../writes/pending-write.ts';
import { PendingWrites } from '../writes/pending-writes.ts';
import { type ForeignWrite, idsIn, RecentWrites } from '../writes/recent-writes.ts';
import { WriteTurns } from '../writes/write-turns.ts';

export interface SharedSessionDeps {
  readonly store: SharedStore;
  /** Of this sign-in alone. */
  readonly access: SharedStore;
  readonly clock: Clock;
  readonly later: LaterChanges;
  readonly journal: WriteJournal;
  readonly lostWrites: LostWrites;
  /** What the others may know of this process (`WriteTurns`). */
  readonly program?: string | undefined;
  readonly marks: Watermarks;
}

/** The writes of all processes, and, as a clause, why there may be others. */
export interface KnownWrites {
  readonly writes: readonly SentWrite[];
  readonly gap?: string | undefined;
}

/** A write that was sent has arrived at the service within this time, or never does. */
const ARRIVES_WITHIN_MS = SEND_WITHIN_MS + DELIVERY_MS;

export const NOT_SHARED = 'this server does not share its state with other processes or earlier runs';

const stepKey = (id: string, { number }: WriteStep) => `${id} ${number}`;

const access = z.object({ readOnly: z.boolean() });

export class SharedSession implements WritesOfSignIn, OtherProcesses {
  readonly pending: PendingWrites;
  readonly turns: WriteTurns;
  readonly adoption: Adoption;
  readonly #access: SharedRecord<typeof access>;
  readonly #deps: SharedSessionDeps;
  readonly #recent: RecentWrites;
  /** For each budget, when this process has last learned of the unsettled steps of others, by the monotonic clock. */
  readonly #unsettled = new Map<string, ReadonlyMap<string, number>>();

  constructor(deps: SharedSessionDeps) {
    const { store, clock, journal, lostWrites, later, program } = deps;
    this.#deps = deps;
    this.#access = new SharedRecord(deps.access, 'access', access, { readOnly: false });
    this.#recent = new RecentWrites(store, (budgetId, write) => this.#learned(budgetId, write));
    this.pending = new PendingWrites(store, clock, later);
    this.turns = new WriteTurns(this.pending, clock, program);
    this.adoption = new Adoption({
      clock,
      pending: this.pending,
      journal,
      turns: this.turns,
      lostWrites,
      learnNoted: (budgetId) => this.learnNoted(budgetId),
      recordFound: (budgetId, kind, data) => this.recordFound(budgetId, kind, data),
    });
  }

  /** Whether the service has refused a write of any process, because the token may only read. */
  async isReadOnly(): Promise<boolean> {
    return (await this.#access.read()).readOnly;
  }

  recordReadOnly(): Promise<void> {
    return this.#deps.later.make(() =>
      this.#access.update(() => ({ value: { readOnly: true }, result: undefined })),
    );
  }

  /** What is known of the writes of all processes in the last ten minutes. `budgetId` is missing if it was not resolved. */
  async known(budgetId?: string): Promise<KnownWrites> {
    let writes: readonly SentWrite[] = [];
    try {
      // Before the gap: a write that is sent in between has its turn then, or has just had it.
      writes = await this.pending.peek();
      return { writes, gap: await this.#gap(budgetId) };
    } catch (error) {
      ignoreStoreError(error);
      return { writes, gap: 'the state of this server cannot be read now' };
    }
  }

  /** Takes over the writes of processes that have ended. A state that is full can only be read. */
  adoptOrRead(): Promise<readonly SentWrite[]> {
    return this.adoption.adopt().catch(async (error: unknown) => {
      ignoreStoreError(error);
      return (await this.known()).writes;
    });
  }

  async #gap(budgetId: string | undefined): Promise<string | undefined> {
    const { store, clock, journal } = this.#deps;
    if (!store.isShared) return NOT_SHARED;
    // A state that was lost is begun again without what was under way.
    const oldest = await journal.oldest();
    if (oldest === undefined || clock.now() - oldest <= MAX_UNDELIVERED_MS)
      return 'the state of this server has no write from before the last ten minutes';
    if (budgetId === undefined) return 'this call failed before it reached its budget';
    // A process whose own state has failed notes nothing any more, and still has the lock.
    return (await this.turns.isFree(budgetId))
      ? undefined
      : 'another write to this budget is under way or has just ended';
  }

  /** Learns what other processes have noted about their writes in the budget. Returns another number after another write. */
  learnNoted(budgetId: string): Promise<number> {
    return this.#recent.learn(budgetId);
  }

  /** Also learns what they may have written, and answered, without being able to note it. */
  async learn(budgetId: string): Promise<void> {
    // First: a write that is not among them any more was noted before, so it is found then.
    await this.#learnUnsettled(budgetId);
    await this.learnNoted(budgetId);
  }

  /** What was read before this moment may lack the writes that are not settled, until they have surely arrived. */
  async #learnUnsettled(budgetId: string): Promise<void> {
    const unsettled = await this.pending.unsettledOfOthers(budgetId);
    const before = this.#unsettled.get(budgetId);
    if (unsettled.length === 0) {
      this.#unsettled.delete(budgetId);
      return;
    }
    const now = momentOf(this.#deps.clock);
    const isCovered = ({ id, step }: SentWrite) =>
      (before?.get(stepKey(id, step)) ?? Number.NEGATIVE_INFINITY) >=
      recordedMoment(step.sentAt, now).monotonic + ARRIVES_WITHIN_MS;
    if (!unsettled.every(isCovered)) {
      this.#deps.marks.recordForeignWrite(budgetId, now);
      const keys = unsettled.map(({ id, step }) => [stepKey(id, step), now.monotonic] as const);
      this.#unsettled.set(budgetId, new Map(keys));
    }
    // If the process of one has ended, this one finds out what has become of it.
    this.adoption.adopt().catch(() => {});
  }

  /** Tells the other processes of a write. Without `data` it is uncertain whether it happened. */
  addWrite(budgetId: string, kind: OperationKind, data?: JsonObject): Promise<void> {
    return this.#deps.later.make(() => this.#recent.add(budgetId, kind, data));
  }

  /**
   * A write was found whose response was lost, or was not found, if there is no `data`: then a host may have got the answer that
   * it was carried out.
   */
  async recordFound(budgetId: string, kind: OperationKind, data?: JsonObject): Promise<void> {
    const { lostWrites, marks } = this.#deps;
    if (kind === 'create' && data) lostWrites.ownRows.add(idsIn(data));
    marks.recordWrite(budgetId, data && evidenceOf(kind, data));
    await this.addWrite(budgetId, kind, data);
  }

  /**
   * Tells the other processes of possible duplicates, unless a write of another process is not settled: one of them may be its
   * result, and has to be found. Returns whether it has done so.
   */
  async addDuplicates(budgetId: string, ids: readonly string[], knowledge: number): Promise<boolean> {
    if (ids.length === 0) return true;
    const isSettled = this.pending.unsettledOfOthers(budgetId).then(({ length }) => length === 0);
    if (!(await isSettled.catch(falseIfStoreFailed))) return false;
    await this.#deps.later.make(() => this.#recent.addDuplicates(budgetId, ids, knowledge));
    return true;
  }

  #learned(budgetId: string, { kind, ids, at, evidence }: ForeignWrite): void {
    const { lostWrites, marks } = this.#deps;
    if (kind === 'create') lostWrites.ownRows.add(ids);
    marks.recordForeignWrite(budgetId, at, evidence && evidenceOf(kind, evidence));
  }
}

function falseIfStoreFailed(error: unknown): false {
  ignoreStoreError(error);
  return false;
}
