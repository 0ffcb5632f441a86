/**
 * One call of a host. It resolves the session, the budget and today's date once, when they are first needed, and uses
 * them until it ends. Each step checks that the same user is still signed in: after another sign-in the call fails, also
 * if it could be answered from the cache. It chooses whether a result comes from the replica or from the service. It is
 * independent of MCP.
 */

import type { z } from 'zod';
import type { TokenStatus } from '../auth/token-provider.ts';
import { BudgetError } from '../errors.ts';
import type { DataOf, Operation } from '../operations/operation.ts';
import { type Clock, dateOf, type Moment, momentOf } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { CacheStatus } from '../replica/replica-cache.ts';
import type { OnProgress } from '../replica/shared-request.ts';
import type { BankComparison } from '../reports/reconciliation.ts';
import type { BudgetSummary } from '../schema/budget.ts';
import type { Immutable } from '../schema/immutable.ts';
import { evidenceOf } from '../writes/evidence.ts';
import type { ExactlyOnceWriter, SearchAgain, WriteObserver } from '../writes/exactly-once-writer.ts';
import { type JournalEntry, type JournalHead, newJournalId, type WriteJournal } from '../writes/journal.ts';
import { type Simulation, simulate } from '../writes/simulation.ts';
import type { UnsettledWrites, WriteStatus } from '../writes/unsettled-writes.ts';
import type { WriteCall } from '../writes/write-call.ts';
import type { WriteResult } from '../writes/write-result.ts';
import type { CallResult } from './call-result.ts';
import type { ComparisonKey } from './comparisons.ts';
import type { Freshness } from './freshness.ts';
import type { FreshBudget, FreshnessPolicy } from './freshness-policy.ts';
import type { RateStatus } from './rate-budget.ts';
import { type ReadResult, readBudget, readFromReplica, readWithoutBudget } from './reads.ts';
import type { UserSession } from './session.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes received while a large budget is loaded. */
  readonly onProgress?: OnProgress | undefined;
  /** Distinguishes the callers if the server has several. Only the caller of a write gets its outcome. */
  readonly caller?: string | undefined;
  /** The budget, if it is already resolved. */
  readonly budget?: BudgetSummary | undefined;
}

/** The outcome of a write for the log. It contains no financial data. */
export interface WriteRecord {
  readonly tool: string;
  /** The outcome in the result, or the code of the error. */
  readonly outcome: string;
}

export interface ClientStatus {
  readonly requests: RateStatus;
  readonly replicas: CacheStatus;
  /** The number of reads that needed no request. */
  readonly hits: number;
  /** The caller's writes that are not settled, or whose outcome was not delivered. */
  readonly writes: readonly WriteStatus[];
  readonly read_only: boolean;
  /** The status of the token, or why there is none. */
  readonly token: TokenStatus | BudgetError;
}

export interface OpenSession {
  readonly session: UserSession;
  /** Milliseconds since the epoch. Undefined unless the sign-in ends soon. */
  readonly signInEndsAt: number | undefined;
}

/** What a call needs from its `BudgetClient`. */
export interface CallDeps {
  readonly clock: Clock;
  readonly writes: UnsettledWrites;
  readonly journal: WriteJournal;
  /** The session of the user who is signed in now. */
  openSession(signal?: AbortSignal): Promise<OpenSession>;
  /** The session that any call opened last. */
  readonly lastSession: UserSession | undefined;
  status(caller?: string): Promise<ClientStatus>;
  /** Throws if writes are not allowed. */
  checkWritable(title: string): void;
  writeEnded(record: WriteRecord): void;
  budgetChanged(budgetId: string): void;
  /** Called when the service refused a write of this session because its token is read-only. */
  scopeRefused(session: UserSession): void;
}

/** The cached budget, and how fresh it is. */
export interface CallReplica {
  readonly replica: BudgetReplica;
  readonly freshness: Freshness;
}

/** A simulation, and the freshness of the data that it used. */
export interface SimulatedWrite extends Simulation {
  readonly freshness: Freshness;
}

/** A tool or an operation that writes. */
export type WriteEntry = Pick<Operation, 'name' | 'title'>;

/** Sends one of several writes. Throws as `BudgetCall.write` does. */
export type WriteStep = <Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>>,
) => Promise<WriteResult<DataOf<Output>>>;

/** Carries out several writes as one call. */
export interface WriteSteps {
  readonly write: WriteStep;
  /** Reads what has changed in the budget. Throws if the replica cannot be brought up to date. */
  readonly update: () => Promise<BudgetReplica>;
}

export interface TogetherOptions {
  readonly isRepeat?: boolean;
  /** The id of the journal entry that the write takes back. */
  readonly takesBack?: string;
}

interface BegunWrite {
  readonly opened: OpenSession;
  readonly budget: BudgetSummary;
}

interface WriteRun<Data extends JsonObject> {
  start(observer: WriteObserver, head: JournalHead): Promise<WriteResult<Data>>;
  /** Parses the data of an earlier equal call. */
  parse(data: JsonObject): Data;
  readonly isRepeat: boolean;
  /** The id of the journal entry that the write takes back. */
  readonly takesBack?: string | undefined;
}

export class BudgetCall {
  /** The date (UTC) at the start of the call, such as `2026-11-21`. */
  readonly today: string;
  readonly #begunAt: Moment;
  readonly #deps: CallDeps;
  readonly #options: CallOptions;
  #opened: OpenSession | undefined;
  #budget: BudgetSummary | undefined;

  constructor(deps: CallDeps, options: CallOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#budget = options.budget;
    this.#begunAt = momentOf(deps.clock);
    this.today = dateOf(this.#begunAt.wall);
  }

  /** The budget of the call, after it was resolved. */
  get budget(): BudgetSummary | undefined {
    return this.#budget;
  }

  /** Opens the session of the user who is signed in. Throws if no user is signed in. */
  async signIn(): Promise<void> {
    await this.#open();
  }

  /** Resolves `wanted`, an id or a name, to a budget. Without it, resolves the default budget. Later calls return the same. */
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

  /** Reads from the replica if that is fresh enough, else from the service. Expected failures are `BudgetError`s. */
  async read<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
  ): Promise<CallResult<Immutable<DataOf<Output>>>> {
    const { signal, onProgress } = this.#options;
    const opened = await this.#open();
    const { session } = opened;
    session.serviceInterface.check(operation);
    const deps = { ...session, clock: this.#deps.clock };
    if (!needsBudget(operation)) {
      const { data, ...source } = await readWithoutBudget(deps, operation, input, signal);
      return { data, freshness: await this.#freshness(opened, source) };
    }
    const budget = await this.#budgetOf(input);
    try {
      const resolvedInput = { ...input, budget_id: budget.id };
      const { data, ...source } = await readBudget(deps, operation, resolvedInput, signal, onProgress);
      return { budget, data, freshness: await this.#freshness(opened, source) };
    } catch (error) {
      // If there is a replica, the budget exists, and the error is about another entity.
      throw session.freshnessPolicy?.has(budget.id)
        ? error
        : await this.#unknownBudgetOr(session, budget, error);
    }
  }

  /**
   * Writes once, or returns the outcome of an earlier equal write that was not delivered. With `isRepeat` it only
   * returns such an outcome and sends nothing.
   */
  async write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    isRepeat = false,
  ): Promise<CallResult<DataOf<Output>>> {
    const begun = await this.#beginWrite(operation, input);
    const { session } = begun.opened;
    const resolvedInput = { ...input, budget_id: begun.budget.id };
    return this.#runWrite(this.#writeCall(operation, resolvedInput), begun, {
      isRepeat,
      parse: (data) => operation.output.parse(data),
      start: async (observer, head) => {
        // Not before: an earlier equal call may have been carried out while the service had the operation.
        session.serviceInterface.check(operation);
        return this.#writeOnce(session, operation, resolvedInput, observer, head);
      },
    });
  }

  /**
   * Several writes as one call: equal calls are recognised, and the host gets a result in time, as with `write`.
   * `carryOut` sends them one after the other and decides what to do if one fails. Meanwhile no other write of this
   * program is sent to the budget. Only the first one can be cancelled. If only a part was written, `carryOut` has to
   * throw `partly_written` or `outcome_unknown` and say what stands.
   */
  async writeTogether(
    entry: WriteEntry,
    input: JsonObject,
    carryOut: (steps: WriteSteps) => Promise<WriteResult<JsonObject>>,
    { isRepeat = false, takesBack }: TogetherOptions = {},
  ): Promise<CallResult<JsonObject>> {
    const begun = await this.#beginWrite(entry, input);
    const { session } = begun.opened;
    const budget_id = begun.budget.id;
    return this.#runWrite(this.#writeCall(entry, input), begun, {
      isRepeat,
      takesBack,
      parse: (data) => data,
      start: (observer, head) =>
        session.writer.exclusively(budget_id, observer, async (writer) => {
          let isFirst = true;
          const result = await carryOut({
            write: async (operation, own) => {
              session.serviceInterface.check(operation);
              const step = stepObserver(observer, isFirst);
              isFirst = false;
              return this.#writeOnce(session, operation, { ...own, budget_id }, step, head, writer);
            },
            update: () => currentReplica(session, budget_id, isFirst ? observer.signal : undefined),
          });
          observer.onOutcomeKnown?.();
          if (takesBack !== undefined) await this.#deps.journal.markTakenBack(takesBack, head.id);
          return result;
        }),
    });
  }

  /** Predicts what a write would do, without writing. It first updates the replica, so that the prediction is current. */
  async simulate(operation: Operation, input: JsonObject): Promise<SimulatedWrite> {
    const budget = await this.#budgetOf(input);
    const { session } = await this.#open();
    session.serviceInterface.check(operation);
    await session.freshnessPolicy?.revalidate(budget.id, this.#options.signal);
    const simulated = await simulate((read, readInput) => this.read(read, readInput), operation, {
      ...input,
      budget_id: budget.id,
    });
    // The reads may have shown that the service lacks the operation.
    session.serviceInterface.check(operation);
    return simulated;
  }

  /** Whether `write` would wait for the outcome of an earlier equal write instead of sending. */
  isRepeated(entry: WriteEntry, input: JsonObject): boolean {
    return this.#deps.writes.isRepeated(this.#writeCall(entry, input));
  }

  /** The replica, updated if the freshness policy requires it. Undefined if the budget is not cached. */
  replica(): Promise<CallReplica | undefined> {
    const { signal, onProgress } = this.#options;
    return this.#replicaFrom((policy, budgetId) => policy.getFresh(budgetId, signal, onProgress));
  }

  /**
   * The replica after an update, if a name was not found in it. Undefined if an update cannot help, or if there was one
   * for that reason a moment ago. If the service cannot be read, the freshness says so.
   */
  searchAgain(): Promise<CallReplica | undefined> {
    const { signal } = this.#options;
    return this.#replicaFrom((policy, budgetId) => policy.searchAgain(budgetId, this.#begunAt, signal));
  }

  /** The replica of any age, without a request. Undefined if the budget is not cached. */
  get cachedReplica(): BudgetReplica | undefined {
    return this.#budget && this.#opened?.session.replicas?.peek(this.#budget.id)?.replica;
  }

  /** Updates the replica now. With `full`, loads the whole budget again. */
  async refresh(full: boolean): Promise<CallReplica> {
    const { signal, onProgress } = this.#options;
    const refreshed = await this.#replicaFrom((policy, budgetId) =>
      policy.refresh(budgetId, full, signal, onProgress),
    );
    if (refreshed) return refreshed;
    throw new BudgetError('invalid_input', 'There is no cache. Every result comes from the service.');
  }

  /**
   * The result of `read` from the replica of any age, without a request. Undefined if there is no replica. `data` is
   * undefined if the replica does not contain the entity.
   */
  readCached<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
  ): { readonly data: Immutable<DataOf<Output>> | undefined } | undefined {
    const cached = this.#budget && this.#deps.lastSession?.replicas?.peek(this.#budget.id);
    if (!cached || cached.lacksWrite || !operation.readLocally) return undefined;
    return { data: readFromReplica(cached.replica, operation, input) };
  }

  /** What the caller has written in the budget, newest first. Sends no request. */
  async journal(): Promise<readonly JournalEntry[]> {
    const { id } = await this.resolveBudget(undefined);
    return this.#deps.journal.list({ caller: this.#options.caller ?? '', budgetId: id });
  }

  /** Remembers the last comparison of an account with its bank, for this caller and this sign-in. */
  async rememberComparison(accountId: string, comparison: BankComparison): Promise<void> {
    const { session } = await this.#open();
    session.comparisons.set(await this.#comparisonKey(accountId), comparison);
  }

  /** What `rememberComparison` was last called with. Undefined if that is too long ago. */
  async lastComparison(accountId: string): Promise<BankComparison | undefined> {
    const { session } = await this.#open();
    return session.comparisons.get(await this.#comparisonKey(accountId));
  }

  /** The state of cache, rate budget, writes and token. Sends no request. */
  status(): Promise<ClientStatus> {
    return this.#deps.status(this.#options.caller);
  }

  async #comparisonKey(accountId: string): Promise<ComparisonKey> {
    const { id } = await this.resolveBudget(undefined);
    return { caller: this.#options.caller ?? '', budgetId: id, accountId };
  }

  async #budgetOf({ budget_id }: JsonObject): Promise<BudgetSummary> {
    if (this.#budget && budget_id !== undefined && budget_id !== this.#budget.id)
      throw new TypeError('A call is about one budget.');
    return this.resolveBudget(budget_id);
  }

  /** The cached budget that `read` returns. Undefined if there is none, or if the cache is disabled. */
  async #replicaFrom(
    read: (policy: FreshnessPolicy, budgetId: string) => Promise<FreshBudget | undefined>,
  ): Promise<CallReplica | undefined> {
    const opened = await this.#open();
    const { session } = opened;
    const budget = await this.resolveBudget(undefined);
    try {
      const found = session.freshnessPolicy && (await read(session.freshnessPolicy, budget.id));
      if (!found) return undefined;
      const { replica, asOf, staleReason } = found;
      const source = { asOf: asOf.wall, source: 'replica', staleReason } as const;
      return { replica, freshness: await this.#freshness(opened, source) };
    } catch (error) {
      throw await this.#unknownBudgetOr(session, budget, error);
    }
  }

  /** Throws `sign_in_changed` if this is not the session with which the call began. */
  async #open(): Promise<OpenSession> {
    const current = await this.#deps.openSession(this.#options.signal);
    this.#opened ??= current;
    if (current.session === this.#opened.session) return this.#opened;
    throw new BudgetError('sign_in_changed', 'Another person has signed in during this call.');
  }

  /** Does not check the sign-in, because a write must be reported as written also after another sign-in. */
  async #freshness(
    { session, signInEndsAt }: OpenSession,
    { asOf, source, staleReason }: Omit<ReadResult<unknown>, 'data'>,
  ): Promise<Freshness> {
    const { left } = await session.rateBudget.status();
    return {
      as_of: new Date(asOf).toISOString(),
      source,
      requests_left: left,
      ...(staleReason !== undefined && { stale_reason: staleReason }),
      ...(signInEndsAt !== undefined && { sign_in_ends: new Date(signInEndsAt).toISOString() }),
    };
  }

  /** After `resource_not_found`: an `unknown_budget` error if the budget itself was deleted, else the same error. */
  async #unknownBudgetOr(session: UserSession, budget: BudgetSummary, error: unknown): Promise<unknown> {
    if (!(error instanceof BudgetError) || error.code !== 'resource_not_found') return error;
    return session.directory.recheck(budget, this.#options.signal).then(
      () => error,
      (unknownBudget: unknown) => unknownBudget,
    );
  }

  #journalHead({ caller, tool, budgetId }: WriteCall, takesBack: string | undefined): JournalHead {
    return { id: newJournalId(), at: this.#deps.clock.now(), caller, tool, budgetId, takesBack };
  }

  async #beginWrite(entry: WriteEntry, input: JsonObject): Promise<BegunWrite> {
    const opened = await this.#open();
    this.#deps.checkWritable(entry.title);
    return { opened, budget: await this.#budgetOf(input) };
  }

  async #runWrite<Data extends JsonObject>(
    call: WriteCall,
    { opened, budget }: BegunWrite,
    { start, parse, isRepeat, takesBack }: WriteRun<Data>,
  ): Promise<CallResult<Data>> {
    const sentAt = this.#deps.clock.now();
    try {
      const options = { signal: this.#options.signal, isRepeat };
      const head = this.#journalHead(call, takesBack);
      const result = await this.#deps.writes.run(call, (observer) => start(observer, head), options);
      const isNewWrite = 'own' in result;
      const freshness = await this.#freshness(opened, {
        asOf: isNewWrite ? sentAt : result.settledAt,
        source: 'service',
      });
      if (isNewWrite) return { budget, ...result.own, freshness };
      const { earlier, calledAt } = result;
      const earlier_call = new Date(calledAt).toISOString();
      return { budget, ...earlier, data: parse(earlier.data), earlier_call, freshness };
    } catch (error) {
      throw await this.#unknownBudgetOr(opened.session, budget, error);
    }
  }

  #writeCall({ name, title }: WriteEntry, input: JsonObject): WriteCall {
    if (!this.#budget) throw new TypeError('The budget of a write has to be resolved first.');
    const { caller = '' } = this.#options;
    const budgetId = this.#budget.id;
    return { caller, tool: name, title, budgetId, input: { ...input, budget_id: budgetId } };
  }

  async #writeOnce<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    session: UserSession,
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>> & { readonly budget_id: string },
    observer: WriteObserver,
    head: JournalHead,
    writer: Pick<ExactlyOnceWriter, 'write'> = session.writer,
  ): Promise<WriteResult<DataOf<Output>>> {
    const { replicas, readWatermarks: marks } = session;
    const { budget_id } = input;
    let before: readonly JsonObject[] | undefined;
    const onSent = (searchAgain: SearchAgain) => {
      before = stateIn(session, budget_id, (replica) => operation.stateBefore?.(replica, input));
      observer.onSent?.(searchAgain);
    };
    try {
      const { deltaAfterWrite, ...written } = await writer.write(operation, input, budget_id, {
        ...observer,
        onSent,
      });
      this.#deps.writeEnded({ tool: operation.name, outcome: written.outcome });
      // A response to a write is recorded when it arrives. This one was lost, so the write is recorded here.
      if (written.outcome === 'confirmed_afterwards')
        marks.recordWrite(budget_id, evidenceOf(operation.kind, written.data));
      if (deltaAfterWrite)
        replicas?.applyDelta(budget_id, deltaAfterWrite.delta, deltaAfterWrite.since, deltaAfterWrite.asOf);
      const { data } = written;
      const after = stateIn(session, budget_id, (replica) => operation.stateAfter?.(replica, data));
      await this.#deps.journal.append(head, { operation: operation.name, input, before, data, after });
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

/** A part of the cached budget. Undefined if it is not cached, is older than an own write, or lacks that part. */
function stateIn<State>(
  { replicas }: UserSession,
  budgetId: string,
  read: (replica: BudgetReplica) => State,
): State | undefined {
  const cached = replicas?.peek(budgetId);
  if (!cached || cached.lacksWrite) return undefined;
  try {
    return read(cached.replica);
  } catch (error) {
    if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
    throw error;
  }
}

/** The progress of one of several writes. Their outcome is known after the last one. */
function stepObserver(observer: WriteObserver, isFirst: boolean): WriteObserver {
  const { signal, onSent, remainingMs } = observer;
  return {
    // After the first write, the others have to follow.
    ...(isFirst && { signal }),
    onSent: () => onSent?.(),
    ...(remainingMs && { remainingMs }),
  };
}

/** The replica as the budget is now, for a write that depends on it. */
async function currentReplica(
  { freshnessPolicy, readWatermarks }: UserSession,
  budgetId: string,
  signal: AbortSignal | undefined,
): Promise<BudgetReplica> {
  if (!freshnessPolicy) throw new BudgetError('budget_not_cached', 'There is no cache.');
  readWatermarks.giveReserve(budgetId);
  const { replica, staleReason } = await freshnessPolicy.refresh(budgetId, false, signal);
  if (staleReason === undefined) return replica;
  throw new BudgetError('service_unavailable', `The budget could not be read as it is now: ${staleReason}`);
}

const needsBudget = ({ input }: Operation) => 'budget_id' in input.shape;
