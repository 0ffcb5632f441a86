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
import { dateOf, type Moment, momentOf } from '../platform/clock.ts';
import type { HostRequest } from '../platform/host-request.ts';
import type { JsonObject } from '../platform/json.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { CacheStatus } from '../replica/replica-cache.ts';
import type { OnProgress } from '../replica/shared-request.ts';
import type { BankComparison } from '../reports/reconciliation.ts';
import type { BudgetSummary } from '../schema/budget.ts';
import type { Immutable } from '../schema/immutable.ts';
import type { StateStatus } from '../state/shared-stores.ts';
import { ignoreStoreError } from '../state/store-error.ts';
import type { JournalEntry } from '../writes/journal.ts';
import { type Simulation, simulate } from '../writes/simulation.ts';
import type { WriteResult } from '../writes/write-result.ts';
import { statusOf, type WriteStatus } from '../writes/write-status.ts';
import type { CallResult } from './call-result.ts';
import {
  CallWrites,
  type CallWritesDeps,
  type SettledWrite,
  type TogetherOptions,
  type WriteEntry,
  type WriteSteps,
  writeCallOf,
} from './call-writes.ts';
import type { ComparisonKey } from './comparisons.ts';
import type { Freshness } from './freshness.ts';
import type { FreshBudget, FreshnessPolicy } from './freshness-policy.ts';
import type { RateStatus } from './rate-usage.ts';
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
  /** The request of the host, where one is known. */
  readonly request?: HostRequest | undefined;
}

export interface ClientStatus {
  readonly requests: RateStatus;
  readonly replicas: CacheStatus;
  /** The number of reads that needed no request. */
  readonly hits: number;
  /** The caller's writes that are not settled, or whose outcome was not delivered. */
  readonly writes: readonly WriteStatus[];
  readonly read_only: boolean;
  readonly state: StateStatus;
  /** How the clock of this machine differs from that of the service. Undefined if they agree, or if that is unknown. */
  readonly clock: string | undefined;
  /** The status of the token, or why there is none. */
  readonly token: TokenStatus | BudgetError;
}

export interface OpenSession {
  readonly session: UserSession;
  /** Milliseconds since the epoch. Undefined unless the sign-in ends soon. */
  readonly signInEndsAt: number | undefined;
}

/** What a call needs from its `BudgetClient`. */
export interface CallDeps extends CallWritesDeps {
  /** The session of the user who is signed in now. */
  openSession(signal?: AbortSignal): Promise<OpenSession>;
  /** The session that any call opened last. */
  readonly lastSession: UserSession | undefined;
  readonly clockDifference: string | undefined;
  status(caller?: string): Promise<ClientStatus>;
  /** Throws if writes are not allowed. */
  checkWritable(title: string): void;
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

export class BudgetCall {
  /** The date (UTC) at the start of the call, such as `2026-11-21`. */
  readonly today: string;
  readonly #begunAt: Moment;
  readonly #deps: CallDeps;
  readonly #options: CallOptions;
  #opened: OpenSession | undefined;
  #budget: BudgetSummary | undefined;
  /** Since when the host waits, by the monotonic clock. */
  #waitsSince: number;

  constructor(deps: CallDeps, options: CallOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#budget = options.budget;
    this.#begunAt = momentOf(deps.clock);
    this.#waitsSince = this.#begunAt.monotonic - (options.request?.waitedMs() ?? 0);
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
  write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    isRepeat = false,
  ): Promise<CallResult<DataOf<Output>>> {
    return this.#write(operation, input, (writes) => writes.write(operation, input, isRepeat));
  }

  /** Several writes as one call (`CallWrites.writeTogether`). */
  writeTogether(
    entry: WriteEntry,
    input: JsonObject,
    carryOut: (steps: WriteSteps) => Promise<WriteResult<JsonObject>>,
    options: TogetherOptions = {},
  ): Promise<CallResult<JsonObject>> {
    return this.#write(entry, input, (writes) => writes.writeTogether(entry, input, carryOut, options));
  }

  /** Runs `ask`. A host that asks a person knows how long that takes, so it waits for the write only from then on. */
  async whileAsking<Reply>(ask: () => Promise<Reply>): Promise<Reply> {
    try {
      return await ask();
    } finally {
      this.#waitsSince = this.#deps.clock.monotonic();
    }
  }

  /**
   * Predicts what a write would do, without writing. It first updates the replica, so that the prediction is current, unless
   * the caller has just done so.
   */
  async simulate(operation: Operation, input: JsonObject, isUpdated = false): Promise<SimulatedWrite> {
    const budget = await this.#budgetOf(input);
    const { session } = await this.#open();
    session.serviceInterface.check(operation);
    if (!isUpdated) await session.freshnessPolicy?.revalidate(budget.id, this.#options.signal);
    const simulated = await simulate(
      (read, readInput) => this.read(read, readInput),
      operation,
      { ...input, budget_id: budget.id },
      this.today,
    );
    // The reads may have shown that the service lacks the operation.
    session.serviceInterface.check(operation);
    return simulated;
  }

  /** Whether `write` would wait for the outcome of an earlier equal write instead of sending. */
  async isRepeated(entry: WriteEntry, input: JsonObject): Promise<boolean> {
    return (await this.repeated())(entry, input);
  }

  /** `isRepeated` for several writes, as it is now. */
  async repeated(): Promise<(entry: WriteEntry, input: JsonObject) => boolean> {
    const { id } = await this.resolveBudget(undefined);
    const { session } = await this.#open();
    const stored = await session.shared.adoption.adoptUpToDate();
    return (entry, input) =>
      this.#deps.writes.isRepeated(writeCallOf(entry, input, id, this.#options.caller), stored);
  }

  /** The writes that an earlier run of this server left to this caller in the budget of the call. Each is returned once. */
  takeNews(): readonly WriteStatus[] {
    const { shared } = this.#opened?.session ?? {};
    if (!shared || !this.#budget) return [];
    return shared.adoption.takeNews(this.#options.caller ?? '', this.#budget.id).map(statusOf);
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

  /** Why `replica` has found none. */
  get whyNotCached(): BudgetError {
    const { replicas } = this.#opened?.session ?? {};
    return (
      (this.#budget && replicas?.whyNotCached(this.#budget.id)) ??
      new BudgetError(
        'budget_not_cached',
        `This needs the whole budget in the cache, ${replicas ? 'which does not have it' : 'and the cache is off'}.`,
      )
    );
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
    const { session } = await this.#open();
    return session.journal.list({ caller: this.#options.caller ?? '', budgetId: id });
  }

  /** Remembers the last comparison of an account with its bank, for this caller and this sign-in. */
  async rememberComparison(accountId: string, comparison: BankComparison): Promise<void> {
    const { session } = await this.#open();
    await session.comparisons.set(await this.#comparisonKey(accountId), comparison);
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

  async #write<Data>(
    entry: WriteEntry,
    input: JsonObject,
    send: (writes: CallWrites) => Promise<SettledWrite<Data>>,
  ): Promise<CallResult<Data>> {
    const opened = await this.#open();
    const { session } = opened;
    this.#deps.checkWritable(entry.title);
    const budget = await this.#budgetOf(input);
    try {
      const { signal, caller, request } = this.#options;
      const host = {
        signal,
        caller,
        waitedMs: this.#deps.clock.monotonic() - this.#waitsSince,
        answered: request?.answered,
      };
      const { asOf, ...result } = await send(new CallWrites(this.#deps, session, budget.id, host));
      return { budget, ...result, freshness: await this.#freshness(opened, { asOf, source: 'service' }) };
    } catch (error) {
      throw await this.#unknownBudgetOr(session, budget, error);
    }
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

  /**
   * Does not check the sign-in, because a write must be reported as written also after another sign-in. Does not fail with the
   * store for the same reason: what cannot be counted counts as used.
   */
  async #freshness(
    { session, signInEndsAt }: OpenSession,
    { asOf, source, staleReason }: Omit<ReadResult<unknown>, 'data'>,
  ): Promise<Freshness> {
    const left = await session.rateBudget.left().catch((error: unknown) => {
      ignoreStoreError(error);
      return 0;
    });
    const { clockDifference } = this.#deps;
    return {
      as_of: new Date(asOf).toISOString(),
      source,
      requests_left: left,
      ...(staleReason !== undefined && { stale_reason: staleReason }),
      ...(signInEndsAt !== undefined && { sign_in_ends: new Date(signInEndsAt).toISOString() }),
      ...(clockDifference !== undefined && { clock: clockDifference }),
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
}

const needsBudget = ({ input }: Operation) => 'budget_id' in input.shape;
