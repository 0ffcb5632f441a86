/**
 * The writes of the other processes of a sign-in: what they have under way, what processes that have ended left, what
 * all have written lately, and whether the service refuses all of it. One for each session with a shared store.
 */
import { z } from 'zod';
import type { Operation, OperationKind } from '../operations/operation.ts';
import { type Clock, momentOf } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Watermarks } from '../replica/watermarks.ts';
import { knowledgeOf } from '../schema/knowledge.ts';
import type { LaterChanges } from '../state/later-changes.ts';
import { SharedRecord, type SharedStore } from '../state/shared-store.ts';
import { Adoption } from '../writes/adoption.ts';
import type { OtherWrites } from '../writes/earlier-write.ts';
import { evidenceOf } from '../writes/evidence.ts';
import type { ExactlyOnceWriter } from '../writes/exactly-once-writer.ts';
import type { WriteJournal } from '../writes/journal.ts';
import type { KnowledgeWatermarks } from '../writes/knowledge-watermarks.ts';
import { type ForeignWrite, idsIn, RecentWrites } from '../writes/recent-writes.ts';
import { SharedWrites } from '../writes/shared-writes.ts';
import type { WriteTurns } from '../writes/write-turns.ts';

export interface SharedSessionDeps {
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly later: LaterChanges;
  readonly journal: WriteJournal;
  readonly writer: ExactlyOnceWriter;
  readonly turns: WriteTurns;
  readonly knowledgeWatermarks: KnowledgeWatermarks;
  readonly readWatermarks: Watermarks;
}

const access = z.object({ readOnly: z.boolean() });

export class SharedSession implements OtherWrites {
  readonly writes: SharedWrites;
  readonly adoption: Adoption;
  readonly #access: SharedRecord<typeof access>;
  readonly #deps: SharedSessionDeps;
  readonly #recent: RecentWrites;

  constructor(deps: SharedSessionDeps) {
    const { store, clock, journal, writer, turns, later } = deps;
    this.#deps = deps;
    this.#access = new SharedRecord(store, 'access', access, { readOnly: false });
    this.#recent = new RecentWrites(store, (budgetId, write) => this.#learned(budgetId, write));
    this.writes = new SharedWrites(store, clock, later);
    this.adoption = new Adoption({
      clock,
      writes: this.writes,
      journal,
      turns,
      search: (...sent) => writer.search(...sent),
      recordWrite: (operation, budgetId, data) => this.#adopted(operation, budgetId, data),
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

  /** Called in each turn of the budget, before the write. */
  async prepare(budgetId: string): Promise<void> {
    await this.#recent.learn(budgetId);
    await this.adoption.settle(budgetId);
  }

  /**
   * Learns what other processes have written in the budget, or may have written. Returns another number after another
   * write that was noted.
   */
  async learn(budgetId: string): Promise<number> {
    // Before the writes that were noted: one that is settled was noted before.
    if (await this.writes.areOthersUnderWay(budgetId)) {
      this.#deps.readWatermarks.recordForeignWrite(budgetId, momentOf(this.#deps.clock));
      // If its process has ended, this one finds out what has become of the write.
      this.adoption.adopt().catch(() => {});
    }
    return this.#recent.learn(budgetId);
  }

  /** Tells the other processes of a write. Without `data` it is uncertain whether it happened. */
  addWrite(budgetId: string, kind: OperationKind, data?: JsonObject): Promise<void> {
    return this.#deps.later.make(() => this.#recent.add(budgetId, kind, data));
  }

  /** Tells the other processes of possible duplicates. */
  addDuplicates(budgetId: string, ids: readonly string[], knowledge: number): Promise<void> {
    return this.#deps.later.make(() => this.#recent.addDuplicates(budgetId, ids, knowledge));
  }

  #learned(budgetId: string, { kind, ids, at, evidence }: ForeignWrite): void {
    const { writer, knowledgeWatermarks, readWatermarks } = this.#deps;
    if (kind === 'create') writer.recordCreated(ids);
    knowledgeWatermarks.recordForeignWrite(budgetId, at, knowledgeOf(evidence ?? {}));
    readWatermarks.recordForeignWrite(budgetId, at, evidence && evidenceOf(kind, evidence));
  }

  async #adopted({ kind }: Operation, budgetId: string, data: JsonObject): Promise<void> {
    const { writer, readWatermarks } = this.#deps;
    if (kind === 'create') writer.recordCreated(idsIn(data));
    readWatermarks.recordWrite(budgetId, evidenceOf(kind, data));
    await this.addWrite(budgetId, kind, data);
  }
}
