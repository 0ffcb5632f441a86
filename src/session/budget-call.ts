/**
 * One call of a host. It resolves the session, the budget and the person's day once, when they are first needed. Each step checks
 * that the same user is still signed in: after another sign-in the call fails, also if the cache has the answer.
 */
import type { z } from 'zod';
import { type DayOf, type Days, firstOfMonth } from '../base/calendar.ts';
import { type Moment, momentOf } from '../base/clock.ts';
import type { DefaultBudget } from '../base/default-budget.ts';
import { BudgetError, foundBy, invalidInput, undefinedIfExpected } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { BudgetSummary } from '../base/schema/budget.ts';
import type { Immutable } from '../base/schema/immutable.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import type { Lacks } from '../model/replica/lacks.ts';
import type { DataOf, Operation } from '../operations/operation.ts';
import { simulate } from '../operations/simulation.ts';
import type { StoredValue } from '../store/shared-store.ts';
import { CallBudget, type CallOptions, type ReadResult, readWithoutBudget } from './call-budget.ts';
import type { CallRecord } from './call-record.ts';
import type { CallReplica, CallResult, SimulatedWrite, WriteResult } from './call-result.ts';
import {
  CallWrites,
  type CallWritesDeps,
  type SettledWrite,
  type TogetherOptions,
  type WriteEntry,
  type WriteSteps,
  writeCallOf,
} from './call-writes.ts';
import type { ClientStatus } from './client-status.ts';
import type { FreshBudget } from './freshness/freshness-policy.ts';
import type { UserSession } from './session.ts';
import type { StatementFile } from './uploaded-statements.ts';
import type { JournalEntry } from './writes/journal.ts';
import { isUndelivered, statusOf, type WriteStatus } from './writes/pending-write.ts';

export interface CallDeps extends CallWritesDeps {
  readonly dayOf: DayOf;
  /** The files of banks in the folder of the user. Empty if there is no folder. */
  statementFiles(): Promise<readonly StatementFile[]>;
  openSession(signal?: AbortSignal): Promise<UserSession>;
  status(caller?: string): Promise<ClientStatus>;
  checkWritable(title: string): void;
}

export class BudgetCall {
  /** The person's day at the start of the call, such as `2026-11-21`. Every month that a call does not name follows it. */
  readonly today: string;
  /** The person's day at a time. */
  readonly dayOf: DayOf;
  readonly #computed: (() => Lacks)[] = [];
  readonly #shown: Lacks[] = [];
  readonly #begunAt: Moment;
  readonly #deps: CallDeps;
  readonly #options: CallOptions;
  #session: UserSession | undefined;
  #budget: BudgetSummary | undefined;
  #isDefault = false;
  #view: CallBudget | undefined;
  /** Since when the host waits, by the monotonic clock. */
  #waitsSince: number;

  constructor(deps: CallDeps, options: CallOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#begunAt = momentOf(deps.clock);
    this.#waitsSince = this.#begunAt.monotonic - (options.request?.waitedMs() ?? 0);
    this.dayOf = deps.dayOf;
    this.today = this.dayOf(this.#begunAt.wall);
  }

  /** The day of the service is known after its first answer. */
  get days(): Days {
    return { today: this.today, ofService: this.#session?.requests.today };
  }

  /**
   * The budget of the call, after it was resolved. Its name and currency are those of the replica, if there is one: the list of
   * budgets may be older.
   */
  get budget(): BudgetSummary | undefined {
    return this.#budget && { ...this.#budget, ...this.cachedReplica?.head };
  }

  /** Resolves `wanted`, an id or a name, to a budget. Without it, resolves the default budget. Later calls return the same. */
  async resolveBudget(wanted: unknown): Promise<BudgetSummary> {
    if (this.#budget) return this.#budget;
    const session = await this.#open();
    const name = typeof wanted === 'string' ? wanted : undefined;
    const budget = await session.directory.resolve(name, this.#options.signal);
    this.#budget ??= budget;
    this.#isDefault = name === undefined;
    return this.#budget;
  }

  /** The default budget, if the call named none and there are others. */
  get unnamed(): DefaultBudget | undefined {
    const found = this.#isDefault ? this.#session?.directory.default : undefined;
    return found?.others.length === 0 ? undefined : found;
  }

  /** The default budget, if the call named none and its caller does not know yet that there are others to choose from. */
  takeUnchosen(): DefaultBudget | undefined {
    return this.#isDefault ? this.#session?.directory.takeUnchosen(this.#options.caller ?? '') : undefined;
  }

  /** Reads from the replica if that is fresh enough, else from the service. Expected failures are `BudgetError`s. */
  async read<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: DataOf<Input>,
  ): Promise<CallResult<Immutable<DataOf<Output>>>> {
    const session = await this.#open();
    session.serviceInterface.check(operation);
    const noting = ({ data, lacks, ...source }: ReadResult<Immutable<DataOf<Output>>>) => {
      if (lacks) this.#shown.push(lacks);
      return { data, freshness: session.freshness(source) };
    };
    if (!('budget_id' in operation.input.shape))
      return noting(await readWithoutBudget(session, operation, input, this.#options.signal));
    const view = await this.#viewOf(session, input);
    try {
      const { summary } = view;
      return { budget: summary, ...noting(await view.read(operation, { ...input, budget_id: summary.id })) };
    } catch (error) {
      // If there is a replica, the budget exists, and the error is about another entity.
      throw session.freshnessPolicy?.has(view.summary.id) ? error : await view.explained(error);
    }
  }

  /** Writes once, or returns the outcome of an earlier equal write that was not delivered. With `mustNotSend` it sends nothing. */
  async write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: DataOf<Input>,
    mustNotSend = false,
  ): Promise<CallResult<Immutable<DataOf<Output>>>> {
    // The state before is needed to take the write back. Without a replica, the write reads what it changes.
    if (operation.stateBefore && operation.kind !== 'create' && !mustNotSend)
      await this.#replicaFrom((view) => view.fresh(), input).catch(undefinedIfExpected);
    return this.#write(operation, input, async (writes, view) => {
      const written = await writes.write(operation, input, mustNotSend);
      const inMonth = await view.inMonth(operation, written.data).catch(undefinedIfExpected);
      return { ...written, data: inMonth ?? written.data };
    });
  }

  /** Several writes as one call (`CallWrites.writeTogether`). */
  writeTogether(
    entry: WriteEntry,
    input: JsonObject,
    carryOut: (steps: WriteSteps) => Promise<WriteResult>,
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
      this.#view?.waited();
    }
  }

  /** Predicts what a write would do, without writing. Updates the replica before, unless the caller has just done so. */
  async simulate(operation: Operation, input: JsonObject, isUpdated = false): Promise<SimulatedWrite> {
    const session = await this.#open();
    const view = await this.#viewOf(session, input);
    session.serviceInterface.check(operation);
    if (!isUpdated) await view.revalidate();
    const ofBudget = { ...input, budget_id: view.summary.id };
    const simulated = await simulate(this.read.bind(this), operation, ofBudget, () => this.days);
    // The reads may have shown that the service lacks the operation.
    session.serviceInterface.check(operation);
    return simulated;
  }

  /** Whether `write` would get the outcome of an earlier equal write instead of sending. */
  async isRepeated(entry: WriteEntry, input: JsonObject, source?: string): Promise<boolean> {
    return (await this.repeated())(entry, input, source);
  }

  /** `isRepeated` for several writes, as it is now. */
  async repeated(): Promise<(entry: WriteEntry, input: JsonObject, source?: string) => boolean> {
    const { session, caller, budgetId } = await this.#own();
    const stored = await session.writes.adoption.noteAndAdopt();
    const entries = stored.some(isUndelivered) ? await session.writes.journal.list({ budgetId }) : [];
    return (entry, input, source) =>
      this.#deps.writes.isRepeated(writeCallOf(entry, input, budgetId, { caller, source }), stored, entries);
  }

  /** The writes that an earlier run of this server left to this caller in the budget of the call. Each is returned once. */
  takeNews(): readonly WriteStatus[] {
    if (!this.#session || !this.#budget) return [];
    return this.#session.writes.pending.takeNews(this.#options.caller ?? '', this.#budget.id).map(statusOf);
  }

  /** The replica, updated if the freshness policy requires it. Undefined if the budget is not cached. */
  replica(): Promise<CallReplica | undefined> {
    return this.#replicaFrom((view) => view.fresh());
  }

  /** The replica after an update because a name was not found in it (`FreshnessPolicy.searchAgain`). */
  searchAgain(): Promise<CallReplica | undefined> {
    return this.#replicaFrom((view) => view.searchAgain(this.#begunAt));
  }

  /** After `replica` found none. It may read the list of budgets. */
  async whyNotCached(): Promise<BudgetError | undefined> {
    return this.#view?.whyNotCached();
  }

  /** The budget for an answer that is computed from it. The parts that are read are noted. */
  observed(budget: BudgetReplica): BudgetReplica {
    if (budget.isWhole) return budget;
    const { replica, lacks } = budget.observed();
    this.#computed.push(lacks);
    return replica;
  }

  /** The parts that are missing from what was computed from the budget and, with `isShown`, of what operations have read. */
  lacks(isShown: boolean): readonly Lacks[] {
    return [...this.#computed.map((each) => each()), ...(isShown ? this.#shown : [])];
  }

  /** The replica of any age, without a request. */
  get cachedReplica(): BudgetReplica | undefined {
    return this.#cached?.replica;
  }

  /** Updates the replica now. With `full`, loads the whole budget again. */
  async refresh(full: boolean): Promise<CallReplica> {
    const refreshed = await this.#replicaFrom((view) => view.refresh(full));
    if (refreshed) return refreshed;
    throw invalidInput('There is no cache. Every result comes from the service.');
  }

  /** `read` from a replica of any age, without a request. Undefined without one, `data` if it lacks the entity. */
  readCached<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: DataOf<Input>,
  ): { readonly data: Immutable<DataOf<Output>> | undefined } | undefined {
    const cached = this.#cached;
    if (!cached || cached.lacksWrite || !operation.readLocally) return undefined;
    return { data: foundBy(() => operation.readLocally?.(cached.replica, input)) };
  }

  /** What the caller has written in the budget, or with `isOfAll` in any, newest first. Sends no request. */
  async journal(isOfAll = false): Promise<readonly JournalEntry[]> {
    const { session, caller, budgetId } = await this.#own();
    return session.writes.journal.list({ caller, ...(!isOfAll && { budgetId }) });
  }

  /** Who calls, where several share a sign-in. */
  get caller(): string {
    return this.#options.caller ?? '';
  }

  /** A record with this name that all processes of the sign-in share. Its feature knows what is in it. */
  async record<Schema extends z.ZodType<StoredValue>>(
    name: string,
    schema: Schema,
    initial: z.output<Schema>,
  ): Promise<CallRecord<Schema>> {
    return (await this.#open()).record(name, schema, initial);
  }

  async watching() {
    return (await this.#open()).watching();
  }

  /** The files of banks that this caller has chosen in a view, and those in the folder of this machine. */
  async statements() {
    return (await this.#open()).statements.of(this.#options.caller ?? '', this.#deps.statementFiles);
  }

  status(): Promise<ClientStatus> {
    return this.#deps.status(this.#options.caller);
  }

  get #cached() {
    return this.#budget && this.#session?.replicas?.entries.peek(this.#budget.id);
  }

  async #own() {
    const { id: budgetId } = await this.resolveBudget(undefined);
    return { session: await this.#open(), caller: this.#options.caller ?? '', budgetId };
  }

  async #write<Data>(
    entry: WriteEntry,
    input: JsonObject,
    send: (writes: CallWrites, view: CallBudget) => Promise<SettledWrite<Data>>,
  ): Promise<CallResult<Data>> {
    const session = await this.#open();
    this.#deps.checkWritable(entry.title);
    const view = await this.#viewOf(session, input);
    // Another process may have found out that nothing can be written.
    const { writes: known } = await view.look();
    this.#deps.checkWritable(entry.title);
    try {
      const { signal, caller, request } = this.#options;
      const waitedMs = this.#deps.clock.monotonic() - this.#waitsSince;
      const host = { signal, caller, waitedMs, answered: request?.answered, known };
      const writes = new CallWrites(this.#deps, session, view.summary.id, host);
      const { asOf, changed, ...result } = await send(writes, view);
      const freshness = session.freshness({ asOf, source: 'service' });
      const inMonth = changed && { changed: view.changedInMonth(changed) };
      return { budget: view.summary, ...result, ...inMonth, freshness };
    } catch (error) {
      throw await view.explained(error);
    } finally {
      view.waited();
    }
  }

  async #viewOf(session: UserSession, { budget_id }: JsonObject): Promise<CallBudget> {
    if (this.#budget && budget_id !== undefined && budget_id !== this.#budget.id)
      throw new TypeError('A call is about one budget.');
    const budget = await this.resolveBudget(budget_id);
    this.#view ??= new CallBudget(session, budget, this.#options, firstOfMonth(this.today));
    return this.#view;
  }

  async #replicaFrom(read: (view: CallBudget) => Promise<FreshBudget | undefined>, input: JsonObject = {}) {
    const session = await this.#open();
    const view = await this.#viewOf(session, input);
    try {
      const found = await read(view);
      if (!found) return undefined;
      const { replica, asOf, staleReason } = found;
      const freshness = session.freshness({ asOf: asOf.wall, source: 'replica', staleReason });
      return { replica, freshness };
    } catch (error) {
      throw await view.explained(error);
    }
  }

  /** Throws `sign_in_changed` if this is not the session with which the call began. */
  async #open(): Promise<UserSession> {
    const current = await this.#deps.openSession(this.#options.signal);
    this.#session ??= current;
    if (current === this.#session) return current;
    throw new BudgetError('sign_in_changed', 'Another person has signed in during this call.');
  }
}
