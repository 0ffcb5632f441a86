/**
 * One call of a host. The sign-in, the budget and today's date are resolved once, when they are first needed, and stay
 * the same until the call has ended: a sign-in that changes meanwhile makes its requests fail instead of mixing two
 * people's data. It knows where an answer comes from (the replica, the service, a write), and nothing of MCP.
 */
import type { JsonObject } from '../platform/json.ts';
import type { z } from 'zod';
import type { TokenStatus } from '../auth/token-provider.ts';
import { BudgetError } from '../errors.ts';
import type { DataOf, Operation } from '../operations/operation.ts';
import { type Clock, dateOf } from '../platform/clock.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { CacheStatus } from '../replica/replica-cache.ts';
import type { BudgetSummary } from '../schema/budget.ts';
import type { Immutable } from '../schema/immutable.ts';
import { evidenceOf } from '../writes/evidence.ts';
import type { WriteObserver } from '../writes/exactly-once-writer.ts';
import { type Simulation, simulate } from '../writes/simulation.ts';
import type { UnsettledWrites, WriteStatus } from '../writes/unsettled-writes.ts';
import type { WriteCall } from '../writes/write-call.ts';
import type { WriteResult } from '../writes/write-result.ts';
import type { CallResult } from './call-result.ts';
import type { Freshness } from './freshness.ts';
import type { OnProgress } from './http-sender.ts';
import type { RateStatus } from './rate-budget.ts';
import { type ReadResult, readBudget, readFromReplica, readWithoutBudget } from './reads.ts';
import type { AccountSession } from './session.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told how many bytes of a large budget have come. */
  readonly onProgress?: OnProgress | undefined;
  /** Whose call it is, where there are several callers: the outcome of a write is given to its own caller alone. */
  readonly caller?: string | undefined;
  /** The budget, where it is known already. */
  readonly budget?: BudgetSummary | undefined;
}

/** What became of a write, fit for a log: it says nothing of what was written. */
export interface WriteRecord {
  readonly tool: string;
  /** As the answer says it; of a write that failed, the code of the error. */
  readonly outcome: string;
}

export interface ClientStatus {
  readonly requests: RateStatus;
  readonly replicas: CacheStatus;
  /** Answers that cost no request. */
  readonly hits: number;
  /** Of one caller: writes that are not settled, or whose outcome was not delivered. */
  readonly writes: readonly WriteStatus[];
  readonly read_only: boolean;
  /** What is known of the token, or why it cannot be had. */
  readonly token: TokenStatus | BudgetError;
}

export interface OpenSession {
  readonly session: AccountSession;
  /** Milliseconds since the epoch; undefined unless the sign-in ends soon. */
  readonly signInEndsAt: number | undefined;
}

/** What a call needs of the client that it belongs to. */
export interface CallDeps {
  readonly clock: Clock;
  readonly writes: UnsettledWrites;
  /** The session of the person who is signed in now. */
  openSession(signal?: AbortSignal): Promise<OpenSession>;
  /** The session that was opened last, by any call. */
  readonly lastSession: AccountSession | undefined;
  status(caller?: string): Promise<ClientStatus>;
  /** Throws where nothing may be written. */
  checkWritable(title: string): void;
  writeEnded(record: WriteRecord): void;
  budgetChanged(budgetId: string): void;
  /** The service refused a write of this session for its scope. */
  scopeRefused(session: AccountSession): void;
}

/** A simulation, and how fresh the data is that it is judged by. */
export interface SimulatedWrite extends Simulation {
  readonly freshness: Freshness;
}

export class BudgetCall {
  /** The date (UTC) on which the call began, as `2026-11-21`. */
  readonly today: string;
  readonly #deps: CallDeps;
  readonly #options: CallOptions;
  #opened: Promise<OpenSession> | undefined;
  #budget: BudgetSummary | undefined;

  constructor(deps: CallDeps, options: CallOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#budget = options.budget;
    this.today = dateOf(deps.clock.now());
  }

  /** The budget that the call is about, once it is resolved. */
  get budget(): BudgetSummary | undefined {
    return this.#budget;
  }

  /** Finds out who is signed in. Throws where nobody is. */
  async signIn(): Promise<void> {
    await this.#open();
  }

  /** Finds the budget that `wanted` names by id or name; the default budget without it. */
  async resolveBudget(wanted: unknown): Promise<BudgetSummary> {
    if (this.#budget) return this.#budget;
    const { session } = await this.#open();
    const budget = await session.directory.resolve(
      typeof wanted === 'string' ? wanted : undefined,
      this.#options.signal,
    );
    this.#budget ??= budget;
    return this.#budget;
  }

  /** Answers from the replica where that is fresh enough, else from the service. Expected failures are `BudgetError`s. */
  async read<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
  ): Promise<CallResult<Immutable<DataOf<Output>>>> {
    const { signal, onProgress } = this.#options;
    const { session } = await this.#open();
    const parts = { ...session, clock: this.#deps.clock };
    if (!isAboutBudget(operation)) {
      const { data, ...found } = await readWithoutBudget(parts, operation, input, signal);
      return { data, freshness: await this.#freshness(found) };
    }
    const budget = await this.resolveBudget(budgetIdIn(input));
    try {
      const about = { ...input, budget_id: budget.id };
      const { data, ...found } = await readBudget(parts, operation, about, signal, onProgress);
      return { budget, data, freshness: await this.#freshness(found) };
    } catch (error) {
      // A replica that was synced a moment ago shows that the budget is there, and another thing is not.
      throw session.freshness?.has(budget.id) ? error : await this.#ifBudgetIsGone(session, budget, error);
    }
  }

  /**
   * Writes once, or gives what has become of an equal write before whose outcome was not delivered. With `isRepeat`
   * it only does the latter, and sends nothing.
   */
  async write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    isRepeat = false,
  ): Promise<CallResult<DataOf<Output>>> {
    const { session } = await this.#open();
    this.#deps.checkWritable(operation.title);
    const budget = await this.resolveBudget(budgetIdIn(input));
    const sentAt = this.#deps.clock.now();
    try {
      const about = { ...input, budget_id: budget.id };
      const result = await this.#deps.writes.run(
        this.#writeCall(operation, about),
        (attendance) => this.#writeOnce(session, operation, about, attendance),
        { signal: this.#options.signal, isRepeat },
      );
      const isOwn = 'own' in result;
      const freshness = await this.#freshness({
        asOf: isOwn ? sentAt : result.settledAt,
        source: 'service',
      });
      if (isOwn) return { budget, ...result.own, freshness };
      const { earlier, calledAt } = result;
      const data = operation.output.parse(earlier.data);
      return { budget, ...earlier, data, earlier_call: new Date(calledAt).toISOString(), freshness };
    } catch (error) {
      throw await this.#ifBudgetIsGone(session, budget, error);
    }
  }

  /** What a write would do; nothing is written. It is judged by the budget as it is now, not some seconds ago. */
  async simulate(operation: Operation, input: JsonObject): Promise<SimulatedWrite> {
    const budget = await this.resolveBudget(budgetIdIn(input));
    const { session } = await this.#open();
    await session.freshness?.revalidate(budget.id, this.#options.signal);
    return simulate((read, about) => this.read(read, about), operation, { ...input, budget_id: budget.id });
  }

  /** Whether `write` would only give what has become of an equal write before. */
  isRepeated(operation: Operation, input: JsonObject): boolean {
    return this.#deps.writes.isRepeated(this.#writeCall(operation, input));
  }

  /** The replica, synced as far as freshness wants it; undefined where nothing is kept of the budget. */
  async replica(): Promise<{ readonly replica: BudgetReplica; readonly freshness: Freshness } | undefined> {
    const { signal, onProgress } = this.#options;
    const { session } = await this.#open();
    const budget = await this.resolveBudget(undefined);
    const fresh = await session.freshness?.getFresh(budget.id, signal, onProgress);
    if (!fresh) return undefined;
    const { replica, asOf, staleReason } = fresh;
    const found = { asOf: asOf.wall, source: 'replica', staleReason } as const;
    return { replica, freshness: await this.#freshness(found) };
  }

  /** Brings the replica up to date now; with `full`, loads it anew. */
  async refresh(full: boolean): Promise<{ readonly replica: BudgetReplica; readonly freshness: Freshness }> {
    const { session } = await this.#open();
    const budget = await this.resolveBudget(undefined);
    if (!session.freshness)
      throw new BudgetError('invalid_input', 'There is no cache: every answer comes from the service.');
    try {
      const { signal } = this.#options;
      const { asOf, replica, staleReason } = await session.freshness.refresh(budget.id, full, signal);
      const found = { asOf: asOf.wall, source: 'replica', staleReason } as const;
      return { replica, freshness: await this.#freshness(found) };
    } catch (error) {
      throw await this.#ifBudgetIsGone(session, budget, error);
    }
  }

  /**
   * What `read` would answer from the replica, however old, at no request; undefined where there is none. `data` is
   * missing where the budget has no such thing.
   */
  readCached<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
  ): { readonly data: Immutable<DataOf<Output>> | undefined } | undefined {
    const cached = this.#budget && this.#deps.lastSession?.replicas?.peek(this.#budget.id);
    if (!cached || cached.lacksWrite || !operation.readLocally) return undefined;
    return { data: readFromReplica(cached.replica, operation, input) };
  }

  /** What is cached and what may still be asked; asks the service nothing. */
  status(): Promise<ClientStatus> {
    return this.#deps.status(this.#options.caller);
  }

  #open(): Promise<OpenSession> {
    this.#opened ??= this.#deps.openSession(this.#options.signal);
    return this.#opened;
  }

  async #freshness({ asOf, source, staleReason }: Omit<ReadResult<unknown>, 'data'>): Promise<Freshness> {
    const { session, signInEndsAt } = await this.#open();
    const { left } = await session.rateBudget.status();
    return {
      as_of: new Date(asOf).toISOString(),
      source,
      requests_left: left,
      ...(staleReason !== undefined && { stale_reason: staleReason }),
      ...(signInEndsAt !== undefined && { sign_in_ends: new Date(signInEndsAt).toISOString() }),
    };
  }

  /** Where the service does not know what was asked for, the budget itself may be gone: then that is the error. */
  async #ifBudgetIsGone(session: AccountSession, budget: BudgetSummary, error: unknown): Promise<unknown> {
    if (!(error instanceof BudgetError) || error.code !== 'resource_not_found') return error;
    return session.directory.recheck(budget, this.#options.signal).then(
      () => error,
      (unknownBudget: unknown) => unknownBudget,
    );
  }

  #writeCall({ name, title }: Operation, input: JsonObject): WriteCall {
    const { caller = '' } = this.#options;
    const budgetId = this.#budget?.id ?? '';
    return { caller, tool: name, title, budgetId, input: { ...input, budget_id: budgetId } };
  }

  async #writeOnce<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    session: AccountSession,
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>> & { readonly budget_id: string },
    attendance: WriteObserver,
  ): Promise<WriteResult<DataOf<Output>>> {
    const { writer, replicas, marks } = session;
    const { budget_id } = input;
    try {
      const { deltaAfterWrite, ...written } = await writer.write(operation, input, budget_id, attendance);
      this.#deps.writeEnded({ tool: operation.name, outcome: written.outcome });
      // The answer to a write records its own evidence when it arrives; this one did not arrive.
      if (written.outcome === 'confirmed_afterwards')
        marks.recordWrite(budget_id, evidenceOf(operation.kind, written.data));
      if (deltaAfterWrite)
        replicas?.applyDelta(budget_id, deltaAfterWrite.delta, deltaAfterWrite.since, deltaAfterWrite.asOf);
      this.#deps.budgetChanged(budget_id);
      return deltaAfterWrite ? { ...written, changed: deltaAfterWrite.delta.budget } : written;
    } catch (error) {
      this.#deps.writeEnded({
        tool: operation.name,
        outcome: error instanceof BudgetError ? error.code : 'failed',
      });
      if (!(error instanceof BudgetError)) throw error;
      if (error.outcomeUncertain) marks.recordWrite(budget_id);
      if (error.code === 'unauthorized_scope') this.#deps.scopeRefused(session);
      if (error.outcomeUncertain || error.code === 'cancelled') this.#deps.budgetChanged(budget_id);
      throw error;
    }
  }
}

const isAboutBudget = ({ input }: Operation) => 'budget_id' in input.shape;

const budgetIdIn = ({ budget_id }: JsonObject): unknown => budget_id;
