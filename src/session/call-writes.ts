/**
 * The writes of one call: each is sent once, noted in the journal, and shows in the replica. Equal calls are recognised, and
 * the host gets a result in time (`session/writes/unsettled-writes.ts`).
 */
import type { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { equalEntriesOf, possibleDuplicatesOf } from '../model/bookkeeping/matching.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import type { DataOf, Operation } from '../operations/operation.ts';
import type { CallResult, WriteResult } from './call-result.ts';
import type { UserSession } from './session.ts';
import type { KnownBefore, Step } from './writes/exactly-once-writer.ts';
import { journalHeadOf, newJournalId } from './writes/journal.ts';
import type { OwnWrite } from './writes/own-write.ts';
import type { RunOptions, UnsettledWrites } from './writes/unsettled-writes.ts';
import type { WriteCall } from './writes/write-call.ts';
import { rowsOf } from './writes/write-response.ts';
import { EarlierCallEnded, throwIfCancelled } from './writes/write-turns.ts';

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

/** Sends one of several writes. With `known`, it reads neither what it changes in the cache, nor the delta after it. */
export type WriteStep = <Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  operation: Operation<Input, Output>,
  input: DataOf<Input>,
  known?: KnownBefore,
) => Promise<WriteResult<DataOf<Output>>>;

export interface WriteSteps {
  readonly write: WriteStep;
  /** Reads what has changed in the budget. Throws if the replica cannot be brought up to date. */
  readonly update: () => Promise<BudgetReplica>;
  /** Keeps in the journal what all writes of the call are to do, so that another may go on. Throws `cancelled` if the call was given up. */
  readonly keepPlan: (plan: JsonObject) => Promise<void>;
  /** Notes in the journal that all of `takesBack` is taken back. */
  readonly markTakenBack: () => Promise<void>;
}

export interface TogetherOptions {
  readonly mustNotSend?: boolean;
  /** The id of the journal entry that the write takes back, or a part of it. */
  readonly takesBack?: string | undefined;
  /** The id of the journal entry that it goes on with. Its steps are added to that entry. */
  readonly continues?: string | undefined;
  /** A digest of what it reads and its input only names (`WriteCall`). */
  readonly source?: string | undefined;
}

/** A write whose outcome is known, and the time for which its data is right, in milliseconds since the epoch. */
export interface SettledWrite<Data>
  extends WriteResult<Data>,
    Pick<CallResult<Data>, 'earlier_call' | 'overtaken'> {
  readonly asOf: number;
}

interface WriteRun<Data extends JsonObject> extends TogetherOptions {
  start(own: OwnWrite): Promise<WriteResult<Data>>;
  parse(data: JsonObject): Data;
  readonly isTogether: boolean;
}

interface Options extends RunOptions {
  readonly caller?: string | undefined;
}

export const writeCallOf = (
  { name, title }: WriteEntry,
  input: JsonObject,
  budgetId: string,
  {
    caller = '',
    source,
  }: { readonly caller?: string | undefined; readonly source?: string | undefined } = {},
): WriteCall => ({
  caller,
  tool: name,
  title,
  budgetId,
  input: { ...input, budget_id: budgetId },
  ...(source !== undefined && { source }),
});

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
    input: DataOf<Input>,
    mustNotSend: boolean,
  ): Promise<SettledWrite<DataOf<Output>>> {
    const { serviceInterface, writes } = this.#session;
    return this.#run(operation, input, {
      mustNotSend,
      isTogether: false,
      parse: (data) => operation.output.parse(data),
      start: async (own) => {
        // Not checked before: an earlier equal call may have been carried out while the service had the operation.
        serviceInterface.check(operation);
        const sending = writes.writer.exclusively(own, (turn) =>
          this.#send({ operation, input, number: 1, own, turn }),
        );
        const written = await sending.catch((error) => this.#failed(operation, error));
        return this.#withEqualEntries(operation, written);
      },
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
    carryOut: (steps: WriteSteps) => Promise<WriteResult>,
    options: TogetherOptions,
  ): Promise<SettledWrite<JsonObject>> {
    const { takesBack, continues } = options;
    const { serviceInterface } = this.#session;
    const { writer, journal } = this.#session.writes;
    return this.#run(entry, input, {
      ...options,
      isTogether: true,
      parse: (data) => data,
      start: (own) =>
        writer.exclusively(own, async (turn) => {
          let number = continues === undefined ? 0 : lastStep(await journal.steps(continues));
          const result = await carryOut({
            write: async (operation, input, known) => {
              number += 1;
              serviceInterface.check(operation);
              const sending = this.#send({ operation, input, number, own, turn, known });
              return sending.catch((error) => this.#failed(operation, error));
            },
            update: () => currentReplica(this.#session, this.#budgetId, own.signal),
            keepPlan: async (plan) => {
              throwIfCancelled(own);
              await journal.keepPlan(journalHeadOf(own.record), plan);
            },
            markTakenBack: async () => {
              if (takesBack !== undefined)
                await journal.markTakenBack(takesBack, journalHeadOf(own.record).id);
            },
          });
          own.answered();
          return result;
        }),
    });
  }

  /** The equal entries that the caller does not know of count as possible duplicates. Sends no request. */
  #withEqualEntries<Data extends JsonObject>(
    { kind }: Operation,
    result: WriteResult<Data>,
  ): WriteResult<Data> {
    const cached = this.#session.replicas?.entries.peek(this.#budgetId);
    if (kind !== 'create' || !cached) return result;
    const { possibleDuplicates = [], data } = result;
    const isNews = (id: string) => !this.#deps.writes.ownWrites.isReported(id, this.#options.caller ?? '');
    const equal = equalEntriesIn(cached.replica, data).filter(isNews);
    return { ...result, possibleDuplicates: [...new Set([...possibleDuplicates, ...equal])] };
  }

  async #run<Data extends JsonObject>(
    entry: WriteEntry,
    input: JsonObject,
    { start, parse, mustNotSend = false, source, ...write }: WriteRun<Data>,
  ): Promise<SettledWrite<Data>> {
    const { caller, ...waiting } = this.#options;
    const sentAt = this.#deps.clock.now();
    const call = writeCallOf(entry, input, this.#budgetId, { caller, source });
    const planned = { id: newJournalId(), call, ...write };
    const { writes } = this.#deps;
    const result = await writes.run(planned, this.#session.writes, start, { ...waiting, mustNotSend });
    if ('written' in result) return { ...result.written, asOf: sentAt };
    const { calledAt, settledAt, since } = result;
    const { changed, ...earlier } = result.earlier;
    return {
      ...earlier,
      data: parse(earlier.data),
      earlier_call: new Date(calledAt).toISOString(),
      ...(since === undefined ? changed && { changed } : { overtaken: since }),
      asOf: settledAt,
    };
  }

  async #send<Output extends z.ZodRawShape>(step: Step<Output>): Promise<WriteResult<DataOf<Output>>> {
    const budget_id = this.#budgetId;
    const written = await this.#session.writes.writer.write({ ...step, input: { ...step.input, budget_id } });
    this.#deps.writeEnded({ tool: step.operation.name, outcome: written.outcome });
    this.#deps.budgetChanged(budget_id);
    return written;
  }

  async #failed({ name }: Operation, error: unknown): Promise<never> {
    // The call begins again.
    if (error instanceof EarlierCallEnded) throw error;
    this.#deps.writeEnded({ tool: name, outcome: error instanceof BudgetError ? error.code : 'failed' });
    if (!(error instanceof BudgetError)) throw error;
    if (error.outcomeUncertain) this.#session.marks.recordWrite(this.#budgetId);
    if (error.code === 'unauthorized_scope') await this.#deps.scopeRefused(this.#session);
    if (error.outcomeUncertain || error.code === 'cancelled') this.#deps.budgetChanged(this.#budgetId);
    throw error;
  }
}

const lastStep = (steps: ReadonlyMap<number, unknown>) => Math.max(0, ...steps.keys());

/** The replica as the budget is now, for a write that depends on it. */
async function currentReplica(
  { freshnessPolicy, marks }: UserSession,
  budgetId: string,
  signal: AbortSignal | undefined,
): Promise<BudgetReplica> {
  if (!freshnessPolicy) throw new BudgetError('budget_not_cached', 'There is no cache.');
  marks.giveReserve(budgetId);
  const { replica, staleReason } = await freshnessPolicy.refresh(budgetId, false, { signal });
  if (staleReason === undefined) return replica;
  throw new BudgetError('service_unavailable', `The budget could not be read as it is now: ${staleReason}`);
}

/**
 * The ids of transactions that equal a created one in account, date, amount and payee, and of accounts and scheduled transactions that
 * equal one in all that distinguishes them: an earlier call can have made one without a trace in a state that was lost.
 */
function equalEntriesIn(replica: BudgetReplica, data: JsonObject): string[] {
  const written = rowsOf(data).filter(({ amount, balance }) => amount !== undefined || balance !== undefined);
  const dates = written.flatMap(({ date }) => (typeof date === 'string' ? [date] : [])).toSorted();
  const { accounts, scheduledTransactions, transactions } = replica;
  if (dates.length === 0)
    return possibleDuplicatesOf(written, [...accounts.list(), ...scheduledTransactions.list()]);
  return equalEntriesOf(written, transactions.list({ since_date: dates[0], until_date: dates.at(-1) }));
}
