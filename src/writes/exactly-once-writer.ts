/**
 * Writes that happen once. A write is sent once. When its answer is lost it is looked for in what the budget shows as
 * changed since just before (`LostWrite`), and it is never sent again from here: whoever wants it repeated asks for it
 * anew, once it is known that it was not carried out. It knows when a write is in doubt; how a write shows is in the
 * operation's own entry (`recover`), and how long its caller waits is a matter of `UnsettledWrites`.
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
import type { Clock } from '../platform/clock.ts';
import { knowledgeOf } from '../schema/knowledge.ts';
import { CurrentReads, quietly, type ServicePort } from './current-reads.ts';
import { type Aftermath, readAftermath, rowsOf } from './delta-after-write.ts';
import type { KnowledgeWatermarks } from './knowledge-watermarks.ts';
import { LostWrite } from './lost-write.ts';
import { OwnRows } from './own-rows.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface WriteOutcome<Data> {
  readonly data: Data;
  /** `confirmed_afterwards`: the service did not say so, but the budget shows that the write has happened. */
  readonly outcome: 'written' | 'confirmed_afterwards';
  /** Nothing where it could not be read, since the write itself has succeeded. */
  readonly deltaAfterWrite?: Aftermath;
  /** Of a creation: ids of what else has come in that looks just like it, as a request does that arrives twice. */
  readonly possibleDuplicates?: readonly string[];
}

/** What a write would have been answered with; undefined where it is proven that it was not carried out. */
export type LookAgain = () => Promise<Fields | undefined>;

/** Whoever waits for a write, as the writer sees them. */
export interface Attendance {
  /** Aborted when it is not to be sent any more; what has been sent is seen through. */
  readonly signal?: AbortSignal | undefined;
  /** From now on it cannot be taken back. `lookAgain` is for when its outcome could not be told. */
  onSent?(lookAgain: LookAgain): void;
  /** It is being looked for. */
  onLost?(): void;
  /** It is known what has become of it; what it has changed is still to be read. */
  onKnown?(): void;
  /** How many milliseconds somebody still waits. */
  timeLeft?(): number;
}

/** What is the same for all that is done for one write. */
interface Task<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  readonly operation: Operation<Input, Output>;
  readonly input: z.output<z.ZodObject<Input>>;
  readonly budgetId: string;
  readonly attendance: Attendance;
}

export class ExactlyOnceWriter {
  readonly #service: ServicePort;
  readonly #baselines: KnowledgeWatermarks;
  readonly #clock: Clock;
  readonly #reads: CurrentReads;
  readonly #ownRows: OwnRows;
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(service: ServicePort, baselines: KnowledgeWatermarks, clock: Clock) {
    this.#service = service;
    this.#baselines = baselines;
    this.#clock = clock;
    this.#reads = new CurrentReads(service, baselines, clock);
    this.#ownRows = new OwnRows(clock);
  }

  /**
   * `input` names the budget by id. Throws the service's refusal; `not_written` where it was not sent, or where it is
   * proven that it was not carried out; `outcome_unknown` where that cannot be told; `cancelled` where the signal was
   * aborted before it was sent.
   */
  write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    budgetId: string,
    attendance: Attendance = {},
  ): Promise<WriteOutcome<DataOf<Output>>> {
    // One at a time for each budget, up to its aftermath: two equal entries that are made at once could not be told
    // apart, and each would be taken for a twin of the other.
    const turn = (this.#queues.get(budgetId) ?? Promise.resolve()).then(() =>
      this.#write({ operation, input, budgetId, attendance }),
    );
    this.#queues.set(
      budgetId,
      turn.catch(() => {}),
    );
    return turn;
  }

  async #write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    task: Task<Input, Output>,
  ): Promise<WriteOutcome<DataOf<Output>>> {
    const { operation, budgetId, attendance } = task;
    throwIfWithdrawn(attendance);
    const before = await this.#before(task);
    throwIfWithdrawn(attendance);
    const written = await this.#baselines.runWrite(budgetId, async (learn) => {
      const written = await this.#attempt(task, before);
      const knowledge = knowledgeOf(written.data);
      if (knowledge !== undefined) learn(knowledge);
      return written;
    });
    const rows = rowsOf(written.data);
    if (operation.kind === 'create') this.#ownRows.add(rows.map(({ id }) => String(id)));
    const aftermath = await readAftermath(this.#reads, this.#clock, {
      budgetId,
      effect: operation.kind,
      data: written.data,
      since: before.server_knowledge,
      timeLeft: attendance.timeLeft?.() ?? 0,
    });
    if (!aftermath) return written;
    if (operation.kind !== 'create') return { ...written, deltaAfterWrite: aftermath };
    const { accounts, transactions, scheduled_transactions } = aftermath.delta.budget;
    const changed = [...accounts, ...transactions, ...scheduled_transactions];
    const twins = possibleDuplicatesOf(
      rows,
      changed.filter(({ id }) => !this.#ownRows.has(id)),
    );
    this.#ownRows.add(twins);
    return { ...written, deltaAfterWrite: aftermath, possibleDuplicates: twins };
  }

  async #attempt<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    task: Task<Input, Output>,
    before: StateBeforeWrite & { readonly server_knowledge: number },
  ): Promise<WriteOutcome<DataOf<Output>>> {
    const { operation, input, budgetId, attendance } = task;
    const parts = { reads: this.#reads, clock: this.#clock, ownRows: this.#ownRows };
    const lost = new LostWrite({ ...parts, operation, input, budgetId, before });
    const sentAt = this.#clock.monotonic();
    attendance.onSent?.(() => lost.find(sentAt));
    try {
      const data = await this.#service.send(operation, input);
      // What arrived twice may be answered as if there had been nothing left to do.
      const found = operation.isDuplicateResponse?.(data) ? await quietly(lost.look()) : undefined;
      return found ? { data: found, outcome: 'confirmed_afterwards' } : { data, outcome: 'written' };
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error;
      if (!error.outcomeUncertain && operation.duplicateRefusal?.code !== error.code) throw error;
      attendance.onLost?.();
      const data = await this.#find(task, lost, sentAt, error);
      if (data) return { data, outcome: 'confirmed_afterwards' };
      if (!error.outcomeUncertain) throw error;
      // Whoever held it up for longer than the service works on anything may still deliver it.
      const isOverdue = error.code === 'timed_out' || error.code === 'gateway_timed_out';
      const code = isOverdue ? 'outcome_unknown' : 'not_written';
      throw new BudgetError(code, `${operation.title}: ${error.message}`, { cause: error });
    } finally {
      attendance.onKnown?.();
    }
  }

  async #find<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    { operation }: Task<Input, Output>,
    lost: LostWrite<Input, Output>,
    sentAt: number,
    error: BudgetError,
  ): Promise<DataOf<Output> | undefined> {
    try {
      return await (error.outcomeUncertain ? lost.find(sentAt) : lost.findRefused(error));
    } catch (cause) {
      if (!(cause instanceof BudgetError)) throw cause;
      throw new BudgetError(
        'outcome_unknown',
        `${operation.title}: ${error.message} Whether it was written could not be found out.`,
        { cause },
      );
    }
  }

  /** What the budget has just before a write. Where that cannot be read, nothing is sent. */
  async #before<Input extends z.ZodRawShape, Output extends z.ZodRawShape>({
    operation,
    input,
    budgetId,
    attendance: { signal },
  }: Task<Input, Output>): Promise<StateBeforeWrite & { readonly server_knowledge: number }> {
    const about = { budget_id: budgetId };
    const ask: ReadDelta = (read) =>
      this.#reads.read(read, { ...inputFor(read, input), ...about }, { signal });
    try {
      const before = await operation.readBefore?.(ask, input).catch(unlessAbsent);
      const ids = before?.ids ?? new Set<string>();
      const known = before?.server_knowledge ?? this.#baselines.recent(budgetId);
      if (known !== undefined) return { ids, server_knowledge: known };
      const since = this.#baselines.newest(budgetId);
      const { server_knowledge } = await this.#reads.read(listAccounts, about, { since, signal });
      return { ids, server_knowledge };
    } catch (error) {
      if (!(error instanceof BudgetError && error.outcomeUncertain)) throw error;
      throw new BudgetError('not_written', `${operation.title}: nothing was sent. ${error.message}`, {
        cause: error,
      });
    }
  }
}

function throwIfWithdrawn({ signal }: Attendance): void {
  if (signal?.aborted) throw new BudgetError('cancelled', 'The call was cancelled before anything was sent.');
}

/** What is not there is known as well. */
function unlessAbsent(error: unknown): undefined {
  if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
  throw error;
}
