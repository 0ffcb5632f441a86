/**
 * What becomes of the writes of a process that has ended. A process takes them over when its session opens, before it
 * writes, when it is asked for the status and when it reads a budget that has some, and no call waits for that: they are settled in the background, in turns of
 * their budget. The process that gets the turn settles all that is left in the budget, before it writes there: a write that is being
 * looked for could be mistaken for a new one, and the other way round.
 *
 * The write is found, or it is proven that it has not happened and will not happen, by the same rules as a write whose
 * response was lost (`LostWrite`). Nothing is sent.
 */
import { BudgetError } from '../errors.ts';
import { operations } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { ageOf, type Clock, momentOf, recordedMoment } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json.ts';
import { StoreError } from '../state/store-error.ts';
import type { WriteJournal } from './journal.ts';
import type { Settlement, WriteStatus } from './settlement.ts';
import type { SharedWrites, WritesSnapshot } from './shared-writes.ts';
import { headOf, isUnderWay, journalStepOf, type StoredStep, type StoredWrite } from './stored-write.ts';
import { type Baseline, SEND_WITHIN_MS } from './write-observer.ts';
import type { WriteTurns } from './write-turns.ts';

export interface AdoptionDeps {
  readonly clock: Clock;
  readonly writes: SharedWrites;
  readonly journal: WriteJournal;
  readonly turns: Pick<WriteTurns, 'run'>;
  /** Searches for a write that was sent at `sentAt` (monotonic clock) or never. Undefined if it is proven not written. */
  search(
    operation: Operation,
    input: JsonObject,
    budgetId: string,
    sent: { readonly before: Baseline; readonly sentAt: number },
  ): Promise<JsonObject | undefined>;
  /** Records that the write was carried out, for caches and for other processes. */
  recordWrite(operation: Operation, budgetId: string, data: JsonObject): Promise<void>;
  /** The same for a write that was not found: its host may have been told that it was carried out. */
  recordUncertain(budgetId: string): Promise<void>;
}

export class Adoption {
  readonly #deps: AdoptionDeps;
  /** The budgets in which this process is about to settle writes. */
  readonly #settling = new Set<string>();
  /** The adopted writes that this process has not reported to their caller yet, by id. */
  readonly #news = new Map<string, StoredWrite>();
  readonly #reported = new Set<string>();

  constructor(deps: AdoptionDeps) {
    this.#deps = deps;
  }

  /**
   * Takes over the writes of processes that have ended, and settles them in the background. Returns all writes after
   * that.
   */
  async adopt(): Promise<WritesSnapshot> {
    const { writes, turns } = this.#deps;
    const snapshot = await writes.adopt();
    for (const write of snapshot.writes)
      if (write.isAdopted && !write.isDelivered && !this.#reported.has(write.id))
        this.#news.set(write.id, write);
    for (const budgetId of new Set(snapshot.writes.filter(isLeft).map(({ call }) => call.budgetId))) {
      if (this.#settling.has(budgetId)) continue;
      this.#settling.add(budgetId);
      // The turn itself settles what is left. If it does not come, the next call tries again.
      turns
        .run(budgetId, {}, async () => {})
        .catch(() => {})
        .finally(() => this.#settling.delete(budgetId));
    }
    return snapshot;
  }

  /**
   * `adopt`, when what has happened here is noted, such as that the host of a write has left. For calls that decide by the
   * result. Throws if the store fails.
   */
  async adoptUpToDate(): Promise<WritesSnapshot> {
    await this.#deps.writes.upToDate();
    return this.adopt();
  }

  /** Settles what ended processes left in the budget. Must be called in a turn of the budget. */
  async settle(budgetId: string): Promise<void> {
    const { writes } = this.#deps;
    const snapshot = await writes.adopt();
    for (const write of snapshot.writes.filter(isLeft)) {
      if (write.call.budgetId !== budgetId) continue;
      await writes.own(write.id);
      const settlement = await this.#settlementOf(write);
      if (!settlement.outcome) await this.#deps.recordUncertain(budgetId);
      await writes.settled(write.id, settlement);
    }
  }

  /** Searches for a settled write whose outcome is unknown again. Undefined if it is proven not written. */
  searchAgain(write: StoredWrite): Promise<JsonObject | undefined> {
    return this.#find(write);
  }

  /** What an earlier process left to this caller in this budget. Returns each write once. */
  takeNews(caller: string, budgetId: string): readonly StoredWrite[] {
    const news = [...this.#news.values()].filter(
      ({ call }) => call.caller === caller && call.budgetId === budgetId,
    );
    for (const { id } of news) this.markReported(id);
    return news;
  }

  /** The caller knows of the write. */
  markReported(id: string): void {
    this.#news.delete(id);
    this.#reported.add(id);
  }

  async #settlementOf(write: StoredWrite): Promise<Settlement> {
    const { clock } = this.#deps;
    const { title } = write.call;
    const isLate = this.#isLate(write);
    try {
      const data = await this.#find(write);
      const at = clock.now();
      if (!data && isLate) return { error: new BudgetError('outcome_unknown', notFoundLater(write)), at };
      if (write.isTogether) return { error: await this.#togetherError(write, data), at };
      if (data) return { outcome: { data, outcome: 'confirmed_afterwards' }, at };
      return {
        error: new BudgetError('not_written', `${title}: ${INTERRUPTED}, and it was not written.`),
        at,
      };
    } catch (error) {
      // It is settled when the store can be used again.
      if (error instanceof StoreError) throw error;
      const reason = error instanceof BudgetError ? error.message : 'It cannot be searched for.';
      const message = `${title}: ${INTERRUPTED}, and it could not be found out whether it was written. ${reason} list_writes shows what is known.`;
      return { error: new BudgetError('outcome_unknown', message), at: clock.now() };
    }
  }

  /** If the state of this process failed, the journal can lack the earlier steps. A later one is sent only after them. */
  async #togetherError(
    { id, call: { title }, step }: StoredWrite,
    data: JsonObject | undefined,
  ): Promise<BudgetError> {
    const { size } = await this.#deps.journal.steps(id);
    return size === 0 && !data && step.number === 1
      ? new BudgetError('not_written', `${title}: ${INTERRUPTED}, and nothing was written.`)
      : new BudgetError(
          'partly_written',
          `${title}: ${INTERRUPTED}. What was carried out until then stands: list_writes shows it.`,
        );
  }

  /** The data of the last step. Writes it into the journal. Undefined if it is proven that it was not carried out. */
  async #find(write: StoredWrite): Promise<JsonObject | undefined> {
    const { journal, recordWrite, search } = this.#deps;
    const { step } = write;
    const { budgetId } = write.call;
    const operation = operations.find(({ name }) => name === step.operation);
    const input = operation?.input.safeParse(step.input);
    if (!operation || !input?.success)
      throw new BudgetError('outcome_unknown', 'This version does not know such a write.');
    const known = (await journal.steps(write.id)).get(step.number)?.data;
    const data =
      known ??
      (await search(operation, input.data, budgetId, {
        before: baselineOf(step),
        sentAt: this.#sentAt(step),
      }));
    if (!data) return undefined;
    if (!known) await journal.append(headOf(write), step.number, journalStepOf(step, data));
    await recordWrite(operation, budgetId, data);
    return data;
  }

  #isLate({ step }: StoredWrite): boolean {
    const { clock } = this.#deps;
    return ageOf(clock, recordedMoment(step.sentAt, momentOf(clock))) > MAX_PROOF_AGE_MS;
  }

  /** The latest time at which it may have been sent. After a restart of the machine only the time since then is certain. */
  #sentAt({ sentAt }: StoredStep): number {
    const at = sentAt.monotonic > this.#deps.clock.monotonic() ? 0 : sentAt.monotonic;
    return at + SEND_WITHIN_MS;
  }
}

/** Whether an ended process left the write, and it is not settled yet. */
const isLeft = (write: StoredWrite) => write.isAdopted && isUnderWay(write);

/** A write that is searched for later may have been changed or deleted by a person since, so that it is not found. */
const MAX_PROOF_AGE_MS = 5 * 60_000;

const notFoundLater = ({ call: { title }, calledAt }: StoredWrite) =>
  `${title}: ${INTERRUPTED}, at ${new Date(calledAt).toISOString()}. It is not in the budget now: either it was not written, or somebody has changed or deleted it since.`;

const INTERRUPTED = 'an earlier run of this server ended while it was carried out';

const baselineOf = ({ before: { ids, server_knowledge } }: StoredStep): Baseline => ({
  ids: new Set(ids),
  server_knowledge,
});

/** The status of an adopted or foreign write. */
export const statusOf = ({ call, calledAt, state, isAdopted }: StoredWrite): WriteStatus => ({
  tool: call.tool,
  budget_id: call.budgetId,
  called_at: calledAt,
  state,
  ...(isAdopted && { earlier_run: true }),
});

/** Whether a write of the record belongs into the status: it is under way, or its outcome was not delivered. */
export const isOpen = (write: StoredWrite): boolean =>
  !write.isDelivered && (isUnderWay(write) || write.host === undefined);
