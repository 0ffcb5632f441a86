/**
 * The writes of one call: each is sent once, noted in the journal, and shows in the replica. Equal calls are recognised, and
 * the host gets a result in time (`writes/unsettled-writes.ts`).
 */
import type { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { DataOf, Operation } from '../operations/operation.ts';
import type { Clock } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import { equalEntriesIn } from '../writes/equal-entries.ts';
import { evidenceOf } from '../writes/evidence.ts';
import type { ExactlyOnceWriter } from '../writes/exactly-once-writer.ts';
import { type JournalHead, newJournalId } from '../writes/journal.ts';
import { EarlierCallEnded, type RunObserver, type UnsettledWrites } from '../writes/unsettled-writes.ts';
import type { WaitingHostOptions } from '../writes/waiting-host.ts';
import type { WriteCall } from '../writes/write-call.ts';
import type { SearchAgain, Sending, WriteObserver } from '../writes/write-observer.ts';
import type { WriteResult } from '../writes/write-result.ts';
import type { CallResult } from './call-result.ts';
import type { UserSession } from './session.ts';
import { type KnownBefore, type Step, StepRecord } from './step-record.ts';

/** The outcome of a write for the log. It contains no financial data. */
export interface WriteRecord {
  readonly tool: string;
  /** The outcome in the result, or the code of the error. */
  readonly outcome: string;
}

export interface CallWritesDeps {
  readonly clock: Clock;
  readonly writes: UnsettledWrites;
  writeEnded(record: WriteRecord): void;
  budgetChanged(budgetId: string): void;
  /** Called when the service refused a write of this session because its token is read-only. */
  scopeRefused(session: UserSession): Promise<void>;
}

/** A tool or an operation that writes. */
export type WriteEntry = Pick<Operation, 'name' | 'title'>;

/**
 * Sends one of several writes. Throws as `BudgetCall.write` does. With `known`, what it changes is not read in the cached budget
 * before it, and the delta after it is left to `WriteSteps.update`.
 */
export type WriteStep = <Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>>,
  known?: KnownBefore,
) => Promise<WriteResult<DataOf<Output>>>;

/** Carries out several writes as one call. */
export interface WriteSteps {
  readonly write: WriteStep;
  /** Reads what has changed in the budget. Throws if the replica cannot be brought up to date. */
  readonly update: () => Promise<BudgetReplica>;
  /** Keeps in the journal what all writes of the call are to do. Another call may go on (`TogetherOptions.continues`). */
  readonly keepPlan: (plan: JsonObject) => Promise<void>;
}

export interface TogetherOptions {
  readonly isRepeat?: boolean;
  /** The id of the journal entry that the write takes back. */
  readonly takesBack?: string;
  /** The id of the journal entry that it goes on with. Its steps are added to that entry. */
  readonly continues?: string | undefined;
}

/** A write whose outcome is known, and the time for which its data is right, in milliseconds since the epoch. */
export interface SettledWrite<Data> extends WriteResult<Data>, Pick<CallResult<Data>, 'earlier_call'> {
  readonly asOf: number;
}

interface WriteRun<Data extends JsonObject> {
  start(observer: RunObserver, head: JournalHead): Promise<WriteResult<Data>>;
  /** Parses the data of an earlier equal call. */
  parse(data: JsonObject): Data;
  readonly isRepeat: boolean;
  /** Whether the write may have several steps. */
  readonly isTogether: boolean;
  /** The id of the journal entry that the write takes back. */
  readonly takesBack?: string | undefined;
  /** The id of the journal entry that the write goes on with. */
  readonly continues?: string | undefined;
}

/** One operation of a write. */
interface SentStep extends Step {
  /** Of several writes, the one that may write now. */
  readonly writer?: Pick<ExactlyOnceWriter, 'write'>;
}

interface Options extends WaitingHostOptions {
  readonly caller?: string | undefined;
}

export const writeCallOf = (
  { name, title }: WriteEntry,
  input: JsonObject,
  budgetId: string,
  caller = '',
): WriteCall => ({ caller, tool: name, title, budgetId, input: { ...input, budget_id: budgetId } });

export class CallWrites {
  readonly #deps: CallWritesDeps;
  readonly #session: UserSession;
  readonly #budgetId: string;
  readonly #options: Options;

  constructor(deps: CallWritesDeps, session: UserSession, budgetId: string, options: Options) {
    this.#deps = deps;
    this.#session = session;
    this.#budgetId = budgetId;
    this.#options = options;
  }

  /** Writes once, or returns the outcome of an earlier equal write that was not delivered. */
  write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    isRepeat: boolean,
  ): Promise<SettledWrite<DataOf<Output>>> {
    return this.#run(operation, input, {
      isRepeat,
      isTogether: false,
      parse: (data) => operation.output.parse(data),
      // Not checked before: an earlier equal call may have been carried out while the service had the operation.
      start: async (observer, head) =>
        this.#withEqualEntries(operation, await this.#send(operation, input, observer, { head, number: 1 })),
    });
  }

  /**
   * Several writes as one call: equal calls are recognised, and the host gets a result in time, as with `write`.
   * `carryOut` sends them one after the other and decides what to do if one fails. Meanwhile no other write of this
   * program is sent to the budget. Only the first one can be cancelled. If only a part was written, `carryOut` has to
   * throw `partly_written` or `outcome_unknown` and say what stands.
   */
  writeTogether(
    entry: WriteEntry,
    input: JsonObject,
    carryOut: (steps: WriteSteps) => Promise<WriteResult<JsonObject>>,
    { isRepeat = false, takesBack, continues }: TogetherOptions,
  ): Promise<SettledWrite<JsonObject>> {
    const session = this.#session;
    const budgetId = this.#budgetId;
    return this.#run(entry, input, {
      isRepeat,
      isTogether: true,
      takesBack,
      continues,
      parse: (data) => data,
      start: (observer, head) =>
        session.writer.exclusively(budgetId, observer, async (writer) => {
          const before = continues === undefined ? 0 : lastStep(await session.journal.steps(continues));
          let number = before;
          const result = await carryOut({
            write: async (operation, own, known) => {
              number += 1;
              const step = { ...stepObserver(observer, number - before), leavesDelta: known !== undefined };
              return this.#send(operation, own, step, { head, number, writer, known });
            },
            update: () => currentReplica(session, budgetId, number === before ? observer.signal : undefined),
            keepPlan: (plan) => session.journal.keepPlan(head, plan),
          });
          observer.onOutcomeKnown?.();
          if (takesBack !== undefined) await session.journal.markTakenBack(takesBack, head.id);
          return result;
        }),
    });
  }

  /** The equal entries that the caller does not know of count as possible duplicates. Sends no request. */
  #withEqualEntries<Data extends JsonObject>(
    { kind }: Operation,
    result: WriteResult<Data>,
  ): WriteResult<Data> {
    const cached = this.#session.replicas?.peek(this.#budgetId);
    if (kind !== 'create' || !cached) return result;
    const { possibleDuplicates = [], data } = result;
    const isNews = (id: string) => !this.#deps.writes.isReported(id, this.#options.caller);
    const equal = equalEntriesIn(cached.replica, data).filter(isNews);
    return { ...result, possibleDuplicates: [...new Set([...possibleDuplicates, ...equal])] };
  }

  async #run<Data extends JsonObject>(
    entry: WriteEntry,
    input: JsonObject,
    { start, parse, isRepeat, isTogether, takesBack, continues }: WriteRun<Data>,
  ): Promise<SettledWrite<Data>> {
    const { caller = '', ...waiting } = this.#options;
    const sentAt = this.#deps.clock.now();
    const budgetId = this.#budgetId;
    const call = writeCallOf(entry, input, budgetId, caller);
    const id = newJournalId();
    const taking = takesBack === undefined ? {} : { takesBack };
    const head = { id: continues ?? id, at: sentAt, caller, tool: entry.name, budgetId, ...taking };
    const { shared: others } = this.#session;
    const sharing = others && {
      others,
      id,
      isTogether,
      ...taking,
      ...(continues !== undefined && { continues }),
    };
    const options = { ...waiting, isRepeat, sharing };
    const result = await this.#deps.writes.run(call, (observer) => start(observer, head), options);
    if ('own' in result) return { ...result.own, asOf: sentAt };
    const { earlier, calledAt, settledAt } = result;
    const earlier_call = new Date(calledAt).toISOString();
    return { ...earlier, data: parse(earlier.data), earlier_call, asOf: settledAt };
  }

  async #send<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    own: z.output<z.ZodObject<Input>>,
    observer: RunObserver,
    { head, number, known, writer = this.#session.writer }: SentStep,
  ): Promise<WriteResult<DataOf<Output>>> {
    const session = this.#session;
    const budget_id = this.#budgetId;
    const input = { ...own, budget_id };
    const { replicas, marks, shared } = session;
    session.serviceInterface.check(operation);
    const record = new StepRecord(session, operation, input, { head, number, known });
    const onSending = async (sending: Sending) => {
      await observer.onStep?.(record.sending(sending));
    };
    const onSent = (searchAgain?: SearchAgain) =>
      observer.onSent?.(
        searchAgain &&
          (async () => {
            const found = await searchAgain();
            if (found) await record.written(found);
            return found;
          }),
      );
    const onWritten: WriteObserver['onWritten'] = async (data, outcome) => {
      // A response to a write is recorded when it arrives. This one was lost, so the write is recorded here.
      if (outcome === 'confirmed_afterwards') marks.recordWrite(budget_id, evidenceOf(operation.kind, data));
      await record.written(data);
    };
    try {
      const { deltaAfterWrite, ...written } = await writer.write(operation, input, budget_id, {
        ...observer,
        onSending,
        onSent,
        onWritten,
        cachedKnowledge: () => replicas?.peek(budget_id)?.replica.knowledge,
        onDuplicates: async (ids, knowledge) =>
          (await shared?.addDuplicates(budget_id, ids, knowledge)) ?? true,
      });
      this.#deps.writeEnded({ tool: operation.name, outcome: written.outcome });
      if (deltaAfterWrite)
        replicas?.applyDelta(budget_id, deltaAfterWrite.delta, deltaAfterWrite.since, deltaAfterWrite.asOf);
      await record.complete(written.data);
      this.#deps.budgetChanged(budget_id);
      return deltaAfterWrite ? { ...written, changed: deltaAfterWrite.delta.budget } : written;
    } catch (error) {
      // The call begins again.
      if (error instanceof EarlierCallEnded) throw error;
      this.#deps.writeEnded({
        tool: operation.name,
        outcome: error instanceof BudgetError ? error.code : 'failed',
      });
      if (!(error instanceof BudgetError)) throw error;
      if (error.outcomeUncertain) marks.recordWrite(budget_id);
      if (error.code === 'unauthorized_scope') await this.#deps.scopeRefused(session);
      if (error.outcomeUncertain || error.code === 'cancelled') this.#deps.budgetChanged(budget_id);
      throw error;
    }
  }
}

const lastStep = (steps: ReadonlyMap<number, unknown>) => Math.max(0, ...steps.keys());

/** The progress of one of several writes. Their outcome is known after the last one. */
function stepObserver(observer: RunObserver, number: number): RunObserver {
  const { signal, onSent, onStep, remainingMs } = observer;
  return {
    // After the first write, the others have to follow.
    ...(number === 1 && { signal }),
    onSent: () => onSent?.(),
    ...(onStep && { onStep }),
    ...(remainingMs && { remainingMs }),
  };
}

/** The replica as the budget is now, for a write that depends on it. */
async function currentReplica(
  { freshnessPolicy, marks }: UserSession,
  budgetId: string,
  signal: AbortSignal | undefined,
): Promise<BudgetReplica> {
  if (!freshnessPolicy) throw new BudgetError('budget_not_cached', 'There is no cache.');
  marks.giveReserve(budgetId);
  const { replica, staleReason } = await freshnessPolicy.refresh(budgetId, false, signal);
  if (staleReason === undefined) return replica;
  throw new BudgetError('service_unavailable', `The budget could not be read as it is now: ${staleReason}`);
}
