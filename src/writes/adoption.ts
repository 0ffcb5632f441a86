/**
 * What becomes of the writes of a process that has ended. A process takes them over when its session opens, before it
 * writes, when it is asked for the status and when it reads a budget that has some. It then looks for each, by the same
 * rules as for a write whose response was lost (`LostWrite`): until it is found, or until it is proven that it has not
 * happened and will not happen. Nothing is sent.
 *
 * Other writes do not wait for that: each look takes a turn of the budget, and no turn is kept between two of them. So no
 * other write is sent during a look, and what others have created is known by its ids. Each other write begins its turn
 * with a look, because it may change or remove what is looked for.
 */
import type { z } from 'zod';
import { BudgetError } from '../errors.ts';
import { operations } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import { ageOf, type Clock, momentOf, recordedMoment } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json.ts';
import { StoreError } from '../state/store-error.ts';
import type { WriteJournal } from './journal.ts';
import { type LostWrite, looksFor, provenAt } from './lost-write.ts';
import type { Settlement, WriteStatus } from './settlement.ts';
import type { SharedWrites, WritesSnapshot } from './shared-writes.ts';
import { headOf, isUnderWay, journalStepOf, type StoredStep, type StoredWrite } from './stored-write.ts';
import { type Baseline, SEND_WITHIN_MS } from './write-observer.ts';
import type { WriteTurns } from './write-turns.ts';

type Search = Pick<LostWrite<z.ZodRawShape, z.ZodRawShape>, 'search' | 'searchOnce'>;

export interface AdoptionDeps {
  readonly clock: Clock;
  readonly writes: SharedWrites;
  readonly journal: WriteJournal;
  readonly turns: Pick<WriteTurns, 'run'>;
  /** Finds a write that was sent or not. */
  lostWrite(operation: Operation, input: JsonObject, budgetId: string, before: Baseline): Search;
  /** Records that the write was carried out, for caches and for other processes. */
  recordWrite(operation: Operation, budgetId: string, data: JsonObject): Promise<void>;
  /** The same for a write that was not found: its host may have been told that it was carried out. */
  recordUncertain(budgetId: string): Promise<void>;
}

export class Adoption {
  readonly #deps: AdoptionDeps;
  /** The budgets in which this process looks for writes. */
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
    const { writes } = this.#deps;
    const snapshot = await writes.adopt();
    for (const write of snapshot.writes)
      if (write.isAdopted && !write.isDelivered && !this.#reported.has(write.id))
        this.#news.set(write.id, write);
    for (const budgetId of new Set(this.#toSettle(snapshot).map(({ call }) => call.budgetId))) {
      if (this.#settling.has(budgetId)) continue;
      this.#settling.add(budgetId);
      // If a turn does not come, the next call tries again.
      this.#settleInTurns(budgetId)
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

  /**
   * Looks once for each write that an ended process left in the budget, and settles it if that decides it. Must be called in
   * a turn of the budget.
   */
  async settle(budgetId: string): Promise<void> {
    const { writes } = this.#deps;
    const snapshot = await writes.adopt();
    for (const write of snapshot.writes.filter(isLeft)) {
      if (write.call.budgetId !== budgetId) continue;
      const settlement = await this.#settlementOf(write);
      if (!settlement) continue;
      if (!settlement.outcome) await this.#deps.recordUncertain(budgetId);
      await writes.settled(write.id, settlement);
    }
  }

  /** Searches for a settled write whose outcome is unknown again. Undefined if it is proven not written. */
  searchAgain(write: StoredWrite): Promise<JsonObject | undefined> {
    return this.#find(write, (lost) => lost.search(this.#sentAt(write.step)));
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

  /** Takes the turns in which the writes left in the budget are looked for (`settle`), until they are settled. */
  async #settleInTurns(budgetId: string): Promise<void> {
    const { clock, turns, writes } = this.#deps;
    const begunAt = clock.monotonic();
    for (;;) {
      await turns.run(budgetId, {}, async () => {});
      const left = this.#toSettle(await writes.adopt()).filter(({ call }) => call.budgetId === budgetId);
      const now = clock.monotonic();
      const looks = left
        .flatMap(({ step }) => looksFor(this.#sentAt(step), begunAt))
        .filter((at) => at > now);
      if (looks.length === 0) return;
      await clock.sleep(Math.min(...looks) - now);
    }
  }

  /** The writes for which this process looks: those it has taken over, and those that their process has not settled in time. */
  #toSettle({ writes }: WritesSnapshot): readonly StoredWrite[] {
    const { clock } = this.#deps;
    return writes.filter(
      (write) =>
        isLeft(write) &&
        (this.#deps.writes.isOwn(write) || clock.monotonic() > this.#provenAt(write) + OVERDUE_MS),
    );
  }

  /** Undefined if it is not decided yet. */
  async #settlementOf(write: StoredWrite): Promise<Settlement | undefined> {
    const { clock } = this.#deps;
    const { title } = write.call;
    const isLate = this.#isLate(write);
    const isProof = clock.monotonic() >= this.#provenAt(write);
    try {
      const data = await this.#find(write, async (lost) => {
        try {
          return await lost.searchOnce();
        } catch (error) {
          if (isProof || !(error instanceof BudgetError)) throw error;
          return undefined;
        }
      });
      if (!data && !isProof) return undefined;
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
  async #togetherError(write: StoredWrite, data: JsonObject | undefined): Promise<BudgetError> {
    const { size } = await this.#deps.journal.steps(headOf(write).id);
    const {
      call: { title },
      step,
    } = write;
    return size === 0 && !data && step.number === 1
      ? new BudgetError('not_written', `${title}: ${INTERRUPTED}, and nothing was written.`)
      : new BudgetError(
          'partly_written',
          `${title}: ${INTERRUPTED}. What was carried out until then stands: list_writes shows it.`,
        );
  }

  /** The data of the last step. Writes it into the journal. Undefined if `search` does not find it. */
  async #find(
    write: StoredWrite,
    search: (lost: Search) => Promise<JsonObject | undefined>,
  ): Promise<JsonObject | undefined> {
    const { journal, lostWrite, recordWrite } = this.#deps;
    const { step } = write;
    const { budgetId } = write.call;
    const operation = operations.find(({ name }) => name === step.operation);
    const input = operation?.input.safeParse(step.input);
    if (!operation || !input?.success)
      throw new BudgetError('outcome_unknown', 'This version does not know such a write.');
    const known = (await journal.steps(headOf(write).id)).get(step.number)?.data;
    const data = known ?? (await search(lostWrite(operation, input.data, budgetId, baselineOf(step))));
    if (!data) return undefined;
    if (!known) await journal.append(headOf(write), step.number, journalStepOf(step, data));
    await recordWrite(operation, budgetId, data);
    return data;
  }

  #isLate({ step }: StoredWrite): boolean {
    const { clock } = this.#deps;
    return ageOf(clock, recordedMoment(step.sentAt, momentOf(clock))) > MAX_PROOF_AGE_MS;
  }

  /** From then on a look that does not find it proves that it was not carried out. */
  #provenAt({ step }: StoredWrite): number {
    return provenAt(this.#sentAt(step));
  }

  /** The latest time at which it may have been sent. After a restart of the machine only the time since then is certain. */
  #sentAt({ sentAt }: StoredStep): number {
    const at = sentAt.monotonic > this.#deps.clock.monotonic() ? 0 : sentAt.monotonic;
    return at + SEND_WITHIN_MS;
  }
}

/** Whether an ended process left the write, and it is not settled yet. */
const isLeft = (write: StoredWrite) => write.isAdopted && isUnderWay(write);

/** After this time, another process than the one that has taken a write over looks for it too. That one may be suspended. */
const OVERDUE_MS = 5_000;

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
