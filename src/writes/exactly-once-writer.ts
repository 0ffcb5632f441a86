/**
 * Sends each write at most once, and finds out whether it happened. If the response is lost, it searches for the write
 * among the changes of the budget since just before the write (`LostWrite`). It never sends a write again: after
 * `not_written` the caller may call again. This file decides when the outcome of a write is uncertain. The operation's
 * entry (`recover`) knows how to recognise the write. `UnsettledWrites` limits how long the host waits.
 */

import type { z } from 'zod';
import { possibleDuplicatesOf } from '../bookkeeping/matching.ts';
import { BudgetError } from '../errors.ts';
import { listAccounts } from '../operations/accounts.ts';
import {
  type DataOf,
  inputFor,
  type Operation,
  type ReadDelta,
  type StateBeforeWrite,
} from '../operations/operation.ts';
import { type Clock, momentOf } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json.ts';
import type { Watermarks } from '../replica/watermarks.ts';
import { knowledgeOf } from '../schema/knowledge.ts';
import { CurrentReads, type ServicePort, undefinedIfFailed } from './current-reads.ts';
import { creatableIn, readDeltaAfterWrite, rowsOf } from './delta-after-write.ts';
import { LostWrite } from './lost-write.ts';
import { OwnRows } from './own-rows.ts';
import { type Baseline, SEND_WITHIN_MS, type WriteObserver, type WriteOutcome } from './write-observer.ts';
import { type CheckTurn, throwIfCancelled, WriteTurns } from './write-turns.ts';

/** One call of `write`. */
interface Task<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  readonly operation: Operation<Input, Output>;
  readonly input: z.output<z.ZodObject<Input>>;
  readonly budgetId: string;
  readonly observer: WriteObserver;
  readonly checkTurn: CheckTurn;
}

export class ExactlyOnceWriter {
  readonly #service: ServicePort;
  readonly #watermarks: Watermarks;
  readonly #clock: Clock;
  readonly #reads: CurrentReads;
  readonly #ownRows: OwnRows;
  readonly #turns: WriteTurns;

  constructor(
    service: ServicePort,
    watermarks: Watermarks,
    clock: Clock,
    turns: WriteTurns = new WriteTurns(clock),
  ) {
    this.#turns = turns;
    this.#service = service;
    this.#watermarks = watermarks;
    this.#clock = clock;
    this.#reads = new CurrentReads(service, watermarks, clock);
    this.#ownRows = new OwnRows(clock);
  }

  /**
   * `input` has the id of the budget. Throws the error of the service if it refused the write. Throws `not_written` if
   * the write was not sent or is proven not to have happened, `outcome_unknown` if that could not be found out, and
   * `cancelled` if the signal was aborted before the write was sent.
   */
  write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    budgetId: string,
    observer: WriteObserver = {},
  ): Promise<WriteOutcome<DataOf<Output>>> {
    return this.exclusively(budgetId, observer, ({ write }) => write(operation, input, budgetId, observer));
  }

  /**
   * Runs `work` after the earlier writes of this program to the budget. Until it ends, only the writer that it gets can
   * write there, so that what `work` reads stays as it is, as far as this program is concerned. Throws `cancelled` if
   * the signal was aborted before.
   */
  exclusively<Result>(
    budgetId: string,
    observer: WriteObserver,
    work: (writer: Pick<ExactlyOnceWriter, 'write'>) => Promise<Result>,
  ): Promise<Result> {
    // The turn includes the delta after a write.
    return this.#turns.run(budgetId, observer, (checkTurn) =>
      work({
        write: (operation, input, id, own = {}) =>
          this.#write({ operation, input, budgetId: id, observer: own, checkTurn }),
      }),
    );
  }

  /** The search for a write of a process that has ended. */
  lostWrite(operation: Operation, input: JsonObject, budgetId: string, before: Baseline) {
    return this.#lostWrite({ operation, input, budgetId }, before);
  }

  /** Entities that another process has created, or has reported as possible duplicates. */
  recordCreated(ids: readonly string[]): void {
    this.#ownRows.add(ids);
  }

  async #write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    task: Task<Input, Output>,
  ): Promise<WriteOutcome<DataOf<Output>>> {
    const { operation, budgetId, observer } = task;
    const { missing, ...before } = await this.#readBefore(task);
    throwIfCancelled(observer);
    const written = await this.#watermarks.runWrite(budgetId, async (recordKnowledge) => {
      const written = await this.#sendOnce(task, before, { ...missing, ...task.input });
      const knowledge = knowledgeOf(written.data);
      if (knowledge !== undefined) recordKnowledge(knowledge);
      return written;
    });
    const rows = rowsOf(written.data);
    if (operation.kind === 'create') this.#ownRows.add(rows.map(({ id }) => String(id)));
    await observer.onWritten?.(written.data, written.outcome);
    if (observer.leavesDelta) return written;
    const cached = operation.kind === 'create' ? observer.cachedKnowledge?.() : undefined;
    const deltaAfterWrite = await readDeltaAfterWrite(this.#reads, this.#clock, {
      budgetId,
      kind: operation.kind,
      data: written.data,
      since: Math.min(before.server_knowledge, cached ?? before.server_knowledge),
      remainingMs: observer.remainingMs?.() ?? 0,
    });
    if (!deltaAfterWrite) return written;
    if (operation.kind !== 'create') return { ...written, deltaAfterWrite };
    const changed = creatableIn(deltaAfterWrite.delta.budget);
    const possibleDuplicates = possibleDuplicatesOf(
      rows,
      changed.filter(({ id }) => !this.#ownRows.has(id)),
    );
    const { server_knowledge } = deltaAfterWrite.delta;
    if ((await observer.onDuplicates?.(possibleDuplicates, server_knowledge)) ?? true)
      this.#ownRows.add(possibleDuplicates);
    return { ...written, deltaAfterWrite, possibleDuplicates };
  }

  async #sendOnce<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    task: Task<Input, Output>,
    before: Baseline,
    complete: z.output<z.ZodObject<Input>>,
  ): Promise<WriteOutcome<DataOf<Output>>> {
    const { operation, observer, checkTurn } = task;
    const lost = this.#lostWrite(task, before);
    const moment = momentOf(this.#clock);
    await observer.onSending?.({ sentAt: moment, before });
    throwIfCancelled(observer);
    let sentAt = this.#clock.monotonic();
    observer.onSent?.(() => lost.search(sentAt));
    try {
      const data = await this.#service.send(operation, complete, async () => {
        await checkTurn();
        // It may have waited for a token or for its place in the rate limit.
        sentAt = this.#clock.monotonic();
        if (sentAt <= moment.monotonic + SEND_WITHIN_MS) return;
        const message = 'Nothing was sent: the token or the place in the rate limit came too late.';
        throw new BudgetError('not_written', message);
      });
      // If the network delivered the request twice, this may be the response to the second delivery.
      const found = operation.isDuplicateResponse?.(data)
        ? await undefinedIfFailed(lost.searchOnce())
        : undefined;
      return found ? { data: found, outcome: 'confirmed_afterwards' } : { data, outcome: 'written' };
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      if (!error.outcomeUncertain && operation.duplicateRefusal?.code !== error.code) throw error;
      observer.onResponseLost?.();
      const data = await this.#search(task, lost, sentAt, error);
      if (data) return { data, outcome: 'confirmed_afterwards' };
      if (!error.outcomeUncertain) throw error;
      // A proxy that delayed the request for longer than the service works on a request may still deliver it.
      const mayStillArrive = error.code === 'timed_out' || error.code === 'gateway_timed_out';
      const code = mayStillArrive ? 'outcome_unknown' : 'not_written';
      throw new BudgetError(code, `${operation.title}: ${error.message}`, { cause: error });
    } finally {
      observer.onOutcomeKnown?.();
    }
  }

  #lostWrite<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    { operation, input, budgetId }: Omit<Task<Input, Output>, 'observer' | 'checkTurn'>,
    before: Baseline,
  ): LostWrite<Input, Output> {
    const deps = { reads: this.#reads, clock: this.#clock, ownRows: this.#ownRows };
    return new LostWrite({ ...deps, operation, input, budgetId, before });
  }

  async #search<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    { operation }: Task<Input, Output>,
    lost: LostWrite<Input, Output>,
    sentAt: number,
    error: BudgetError,
  ): Promise<DataOf<Output> | undefined> {
    try {
      return await (error.outcomeUncertain ? lost.search(sentAt) : lost.searchAfterRefusal(error));
    } catch (cause) {
      if (!(cause instanceof BudgetError)) throw cause;
      throw new BudgetError(
        'outcome_unknown',
        `${operation.title}: ${error.message} It could not be found out whether it was written.`,
        { cause },
      );
    }
  }

  /** Reads the state just before the write. If that fails, the write is not sent. */
  async #readBefore<Input extends z.ZodRawShape, Output extends z.ZodRawShape>({
    operation,
    input,
    budgetId,
    observer: { signal },
  }: Task<Input, Output>): Promise<Baseline & Pick<StateBeforeWrite, 'missing'>> {
    const budget = { budget_id: budgetId };
    const readDelta: ReadDelta = (read) =>
      this.#reads.read(read, { ...inputFor(read, input), ...budget }, { signal });
    try {
      const before = await operation
        .readBefore?.(readDelta, input)
        .catch(operation.kind === 'delete' ? undefinedIfNotFound : undefined);
      const { ids = new Set<string>(), missing } = before ?? {};
      const known = before?.server_knowledge ?? this.#watermarks.baseline(budgetId);
      if (known !== undefined) return { ids, server_knowledge: known, missing };
      const since = this.#watermarks.highest(budgetId);
      const { server_knowledge } = await this.#reads.read(listAccounts, budget, { since, signal });
      return { ids, server_knowledge, missing };
    } catch (error) {
      if (!(error instanceof BudgetError && error.outcomeUncertain)) throw error;
      throw new BudgetError('not_written', `${operation.title}: nothing was sent. ${error.message}`, {
        cause: error,
      });
    }
  }
}

/** If the target of a deletion does not exist, that is a known state as well. */
function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
  throw error;
}
