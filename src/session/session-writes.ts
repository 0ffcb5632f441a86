/**
 * The writes of a sign-in, in its store: those that are under way in any process, those that processes which have ended
 * left, what all have written lately, and whether the service refuses all of it. One for each session.
 */
import { z } from 'zod';
import { LaterChanges } from '../store/later-changes.ts';
import { type Look, type NewEntry, type Seen, SharedRecord } from '../store/shared-store.ts';
import { ignoreStoreError } from '../store/store-error.ts';
import { BudgetSnapshots } from './sync/budget-snapshots.ts';
import type { SharedBudgetDeps } from './sync/shared-budget.ts';
import { SharedReads } from './sync/shared-reads.ts';
import { Adoption, type KnownWrite, type WriteRecorder } from './writes/adoption.ts';
import { ExactlyOnceWriter } from './writes/exactly-once-writer.ts';
import { WriteJournal } from './writes/journal.ts';
import { CurrentReads, OwnRows, type ServicePort } from './writes/lost-write.ts';
import type { SharedWrites } from './writes/own-write.ts';
import type { SentWrite } from './writes/pending-write.ts';
import { PendingWrites } from './writes/pending-writes.ts';
import { evidenceOf, idsIn } from './writes/write-response.ts';
import { WriteTurns } from './writes/write-turns.ts';

export interface SessionWritesDeps
  extends Pick<SharedBudgetDeps, 'store' | 'status' | 'clock' | 'marks' | 'cache'> {
  readonly service: ServicePort;
  readonly isOneServer?: boolean | undefined;
  readonly look: (budgetIds: readonly string[]) => Promise<unknown>;
}

const access = z.object({ readOnly: z.boolean() });

export class SessionWrites implements SharedWrites, WriteRecorder {
  readonly journal: WriteJournal;
  readonly pending: PendingWrites;
  readonly turns: WriteTurns;
  readonly adoption: Adoption;
  readonly others: OtherProcesses;
  readonly writer: ExactlyOnceWriter;
  readonly #access: SharedRecord<typeof access>;
  readonly #ownRows: OwnRows;
  readonly #deps: SessionWritesDeps;

  constructor(deps: SessionWritesDeps) {
    const { service, store, status, clock, marks, cache, isOneServer, look } = deps;
    this.#deps = deps;
    this.#access = new SharedRecord(store, 'access', access, { readOnly: false });
    const later = new LaterChanges(clock);
    const reads = new CurrentReads(service, marks, clock);
    const ownRows = new OwnRows(clock);
    this.#ownRows = ownRows;
    this.journal = new WriteJournal(store, later, status, isOneServer);
    this.pending = new PendingWrites(store, clock, later);
    // Others of one server have nothing to end.
    const program = isOneServer ? undefined : `process ${process.pid}`;
    this.turns = new WriteTurns(this.pending, clock, status, program);
    const { journal, pending, turns } = this;
    const search = { clock, reads, ownRows };
    const sync = (budgetId: string) => look([budgetId]);
    this.adoption = new Adoption({ ...search, pending, journal, turns, sync, recorder: this });
    this.others = new OtherProcesses({
      ...deps,
      pending,
      recordCreated: (ids) => ownRows.add(ids),
      adopt: () => this.adoption.adoptAndSearch(),
    });
    this.writer = new ExactlyOnceWriter({ ...search, service, watermarks: marks, writes: this, cache });
  }

  /** Whether the service has refused a write of any process, because the token may only read. */
  isReadOnlyIn({ records }: Seen): boolean {
    return this.#access.parse(records.get(this.#access.name)).readOnly;
  }

  /** The parts of the store that `isReadOnlyIn` and `others.takeOver` need to see. */
  wantedOf(budgetIds: readonly string[]): Required<Look> {
    const { records, logs } = this.others.wantedOf(budgetIds);
    return { records: [this.#access.name, ...records], logs };
  }

  recordReadOnly(): Promise<void> {
    return this.pending.later.make(() =>
      this.#access.update(() => ({ value: { readOnly: true }, result: undefined })),
    );
  }

  /** The writes of all processes in the last ten minutes, as far as the state can be read. */
  async known(): Promise<readonly SentWrite[]> {
    return (await this.pending.listAsUnawaited().catch(ignoreStoreError)) ?? [];
  }

  /** Takes over the writes of processes that have ended. A state that is full can only be read. */
  async adoptIfPossible(): Promise<readonly SentWrite[]> {
    return (await this.adoption.adoptAndSearch().catch(ignoreStoreError)) ?? this.known();
  }

  recordWrite({ budgetId, kind, data, mark }: KnownWrite): readonly NewEntry[] {
    const { marks, status } = this.#deps;
    if (kind === 'create' && data) this.#ownRows.add(idsIn(data));
    marks.recordWrite(budgetId, data && evidenceOf(kind, data), mark);
    return status().shared ? [this.others.of(budgetId).budget.entryOf(kind, data)] : [];
  }

  /** Tells other processes of possible duplicates. False if one may be the result of a write of theirs, and must be found. */
  async addDuplicates(budgetId: string, ids: readonly string[], knowledge: number): Promise<boolean> {
    if (ids.length === 0) return true;
    const known = await this.pending.list().catch(ignoreStoreError);
    if (!known || this.pending.unsettledOfOthers(known, budgetId).length > 0) return false;
    await this.pending.later.make(() => this.others.of(budgetId).budget.addDuplicates(ids, knowledge));
    return true;
  }
}

/**
 * What the other processes of a sign-in did to its budgets. An entry about a write is added before the lock of the budget is
 * released, and, unless the store fails, before the host gets the outcome.
 */
export class OtherProcesses {
  readonly #deps: SharedBudgetDeps;
  readonly #snapshots: BudgetSnapshots;
  readonly #budgets = new Map<string, SharedReads>();

  constructor(deps: SharedBudgetDeps) {
    this.#deps = deps;
    this.#snapshots = new BudgetSnapshots(deps.store);
  }

  /** Another number, perhaps a little later, after another process has read or written. */
  get version(): number {
    return this.#deps.store.version;
  }

  /** The parts of the store that `takeOver` needs to see. */
  wantedOf(budgetIds: readonly string[]): Required<Look> {
    const wanted = budgetIds.map((budgetId) => this.of(budgetId).budget.wanted);
    return {
      records: [this.#deps.pending.recordName, ...wanted.flatMap(({ records }) => records)],
      logs: wanted.flatMap(({ logs }) => logs),
    };
  }

  /** Takes over what the others did to these budgets. Returns those that another process has changed, as far as it is new here. */
  async takeOver(seen: Seen, budgetIds: readonly string[], isKeeping = false): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const budgetId of budgetIds) {
      const reads = this.of(budgetId);
      const news = await reads.budget.takeOver(seen, isKeeping);
      if (news.isForCache ? await reads.takeOver(news) : news.isChanged) changed.push(budgetId);
    }
    return changed;
  }

  /** Resolves when what was read of all budgets has been written. */
  async written(): Promise<void> {
    await Promise.all([...this.#budgets.values()].map(({ written }) => written));
  }

  of(budgetId: string): SharedReads {
    const reads = this.#budgets.get(budgetId) ?? new SharedReads(budgetId, this.#deps, this.#snapshots);
    this.#budgets.set(budgetId, reads);
    return reads;
  }
}
