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
import { ageOf, momentOf, recordedMoment } from '../../base/clock.ts';
import { BudgetError, type ErrorCode, undefinedIfExpected } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { operations } from '../../operations/index.ts';
import type { OperationKind } from '../../operations/operation.ts';
import type { NewEntry } from '../../store/shared-store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { Mark } from '../freshness/watermarks.ts';
import { journalHeadOf, journalStepOf, type WriteJournal } from './journal.ts';
import { LostWrite, provenAt, SEND_WITHIN_MS, type SearchDeps, searchTimes } from './lost-write.ts';
import {
  endWithError,
  endWithOutcome,
  isSettled,
  type PendingWrite,
  type SentStep,
  type SentWrite,
  type WriteEnd,
} from './pending-write.ts';
import type { PendingWrites } from './pending-writes.ts';
import type { WriteTurns } from './write-turns.ts';

/** A write that was carried out or, without the `data` of its response, may have been. */
export interface KnownWrite {
  readonly budgetId: string;
  readonly kind: OperationKind;
  readonly data?: JsonObject | undefined;
  /** Just before its request. Undefined if it was found later. */
  readonly mark?: Mark | undefined;
}

export interface WriteRecorder {
  /** Records a write for this process. Returns what shows it to others, for the store. */
  recordWrite(write: KnownWrite): readonly NewEntry[];
  /** Returns false if one of these may be what another process has sent and does not know of yet. */
  addDuplicates(budgetId: string, ids: readonly string[], knowledge: number): Promise<boolean>;
}

export interface AdoptionDeps extends SearchDeps {
  readonly pending: PendingWrites;
  readonly journal: WriteJournal;
  readonly turns: WriteTurns;
  /** Learns what others have noted about their writes in the budget. */
  sync(budgetId: string): Promise<unknown>;
  readonly recorder: Pick<WriteRecorder, 'recordWrite'>;
}

export class Adoption {
  readonly #deps: AdoptionDeps;
  readonly #settling = new Set<string>();

  constructor(deps: AdoptionDeps) {
    this.#deps = deps;
  }

  /** Takes over the writes of ended processes, and settles them later. Returns all. `known` are those as they are now. */
  async adoptAndSearch(known?: readonly SentWrite[]): Promise<readonly SentWrite[]> {
    const writes = await this.#deps.pending.takeOver(known);
    for (const budgetId of new Set(this.#toSettle(writes).map(({ call }) => call.budgetId))) {
      if (this.#settling.has(budgetId)) continue;
      this.#settling.add(budgetId);
      // If a turn does not come, the next call tries again.
      this.#settleInTurns(budgetId)
        .catch(() => {})
        .finally(() => this.#settling.delete(budgetId));
    }
    return writes;
  }

  /** `adoptAndSearch`, when all that has happened here is noted, for calls that decide by the result. Throws if the store fails. */
  async noteAndAdopt(known?: readonly SentWrite[]): Promise<readonly SentWrite[]> {
    const { pending } = this.#deps;
    const isKnown = pending.later.isEmpty;
    await pending.later.finish();
    return this.adoptAndSearch(isKnown ? known : undefined);
  }

  /**
   * Learns what others have written in the budget, and looks once for each write that an ended process left in it: it is
   * settled if that decides it. Must be called at the beginning of each turn, with the writes that are pending then.
   */
  async settleLeftWrites(budgetId: string, writes: readonly SentWrite[]): Promise<void> {
    const { pending, sync, recorder } = this.#deps;
    await sync(budgetId);
    for (const write of (await pending.takeOver(writes)).filter(isAdoptedAndOpen)) {
      if (write.call.budgetId !== budgetId) continue;
      const result = await this.#endOf(write);
      if (!result) continue;
      // It was not found, but its host may have got the answer that it was carried out.
      const entries = result.outcome ? [] : recorder.recordWrite({ budgetId, kind: 'update' });
      await pending.change(write.id, [{ type: 'settle', result }], entries);
    }
  }

  /**
   * Searches again for a settled write whose outcome is unknown. It takes no turn, because a host waits: an equal entry that another
   * process creates meanwhile may be taken for its result. Undefined if it is proven not written. Throws `outcome_unknown` if that
   * cannot be proven any more, because a person may have changed what was written.
   */
  async searchAgain(write: PendingWrite): Promise<JsonObject | undefined> {
    const data = await this.#find(write, (lost, step) => lost.search(this.#sentAtLatest(step)));
    if (!data && write.step && this.#isLate(write.step))
      throw new BudgetError('outcome_unknown', notFoundLater(write));
    return data;
  }

  /** Takes the turns in which the writes left in the budget are looked for (`settleLeftWrites`), until they are settled. */
  async #settleInTurns(budgetId: string): Promise<void> {
    const { clock, turns, pending } = this.#deps;
    const begunAt = clock.monotonic();
    for (;;) {
      await turns.run(budgetId, {}, ({ writes }) => this.settleLeftWrites(budgetId, writes));
      const left = this.#toSettle(await pending.takeOver()).filter(({ call }) => call.budgetId === budgetId);
      const now = clock.monotonic();
      const looks = left
        .flatMap(({ step }) => searchTimes(this.#sentAtLatest(step), begunAt))
        .filter((at) => at > now);
      if (looks.length === 0) return;
      await clock.sleep(Math.min(...looks) - now);
    }
  }

  /** The writes for which this process looks: those it has taken over, and those that their process has not settled in time. */
  #toSettle(writes: readonly SentWrite[]): readonly SentWrite[] {
    const { clock, pending } = this.#deps;
    return writes.filter(
      (write) =>
        isAdoptedAndOpen(write) &&
        (write.owner === pending.process || clock.monotonic() > this.#provenAt(write) + OVERDUE_MS),
    );
  }

  /** Undefined if it is not decided yet. */
  async #endOf(write: SentWrite): Promise<WriteEnd | undefined> {
    const { clock } = this.#deps;
    const { title } = write.call;
    const isLate = this.#isLate(write.step);
    // By the time before the search.
    const isProof = clock.monotonic() >= this.#provenAt(write);
    const failed = (code: ErrorCode, message: string) =>
      endWithError(new BudgetError(code, message), clock.now());
    try {
      // A look that fails is repeated, unless it had to be the proof.
      const data = await this.#find(write, (lost) =>
        isProof ? lost.searchOnce() : lost.searchOnce().catch(undefinedIfExpected),
      );
      if (!data && !isProof) return undefined;
      if (!data && isLate) return failed('outcome_unknown', notFoundLater(write));
      if (write.isTogether) return endWithError(togetherError(write, data), clock.now());
      if (data) return endWithOutcome({ data, outcome: 'confirmed_afterwards' }, clock.now());
      return failed('not_written', `${title}: ${INTERRUPTED}, and it was not written.`);
    } catch (error) {
      // It is settled when the store can be used again.
      if (error instanceof StoreError) throw error;
      const reason = error instanceof BudgetError ? error.message : 'It cannot be searched for.';
      return failed(
        'outcome_unknown',
        `${title}: ${INTERRUPTED}, and it could not be found out whether it was written. ${reason} list_writes shows what is known.`,
      );
    }
  }

  /** The data of the last step. Writes it into the journal. Undefined if `search` does not find it. */
  async #find(
    write: PendingWrite,
    search: (lost: LostWrite, step: SentStep) => Promise<JsonObject | undefined>,
  ): Promise<JsonObject | undefined> {
    const { reads, clock, ownRows, journal, pending, recorder } = this.#deps;
    const { step } = write;
    const { budgetId } = write.call;
    const operation = operations.find(({ name }) => name === step?.operation);
    const input = operation?.input.safeParse(step?.input);
    if (!step || !operation || !input?.success)
      throw new BudgetError('outcome_unknown', 'This version does not know such a write.');
    const before = { ...step.before, ids: new Set(step.before.ids) };
    const head = journalHeadOf(write);
    const known = (await journal.steps(head.id)).get(step.number)?.data;
    const lost = { reads, clock, ownRows, operation, input: input.data, budgetId, before };
    const data = known ?? (await search(new LostWrite(lost), step));
    if (!data) return undefined;
    const lines = known ? [] : [journal.stepLine(head, step.number, journalStepOf(step, data))];
    const { kind } = operation;
    await pending.change(write.id, [], [...lines, ...recorder.recordWrite({ budgetId, kind, data })]);
    return data;
  }

  #isLate({ sentAt }: SentStep): boolean {
    const { clock } = this.#deps;
    return ageOf(clock, recordedMoment(sentAt, momentOf(clock))) > MAX_PROOF_AGE_MS;
  }

  /** From then on a look that does not find it proves that it was not carried out. */
  #provenAt({ step }: SentWrite): number {
    return provenAt(this.#sentAtLatest(step));
  }

  /** The latest time at which it may have been sent. After a restart of the machine only the time since then is certain. */
  #sentAtLatest({ sentAt }: SentStep): number {
    const at = sentAt.monotonic > this.#deps.clock.monotonic() ? 0 : sentAt.monotonic;
    return at + SEND_WITHIN_MS;
  }
}

/** Whether an ended process left the write, and it is not settled yet. */
const isAdoptedAndOpen = (write: SentWrite) => write.isAdopted && !isSettled(write);

/** After this time, another process than the one that has taken a write over looks for it too. That one may be suspended. */
const OVERDUE_MS = 5_000;

/** A write that is searched for later may have been changed or deleted by a person since, so that it is not found. */
const MAX_PROOF_AGE_MS = 5 * 60_000;

/** The second step was sent only after the first one was carried out. */
const togetherError = ({ call: { title }, step }: SentWrite, data: JsonObject | undefined): BudgetError =>
  data || step.number > 1
    ? new BudgetError(
        'partly_written',
        `${title}: ${INTERRUPTED}. What was carried out until then stands: list_writes shows it.`,
      )
    : new BudgetError('not_written', `${title}: ${INTERRUPTED}, and nothing was written.`);

const notFoundLater = ({ call: { title }, calledAt }: PendingWrite) =>
  `${title}: ${INTERRUPTED}, at ${new Date(calledAt).toISOString()}. It is not in the budget now: either it was not written, or somebody has changed or deleted it since.`;

const INTERRUPTED = 'an earlier run of this server ended while it was carried out';
