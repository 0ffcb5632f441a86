/**
 * The budget of one call, and what it reads there: from the cache or from the service. A call looks once at the shared state, by
 * one request to the store, and uses what it has seen for the names in its arguments and for its reads, until it has waited
 * for something else: a person, a lock, a write. If a response comes from a lagging copy of the service, the read is repeated.
 * If that does not help, the result says how old it may be.
 */
import type { z } from 'zod';
import { throwCancelled, withCancellation } from '../base/abort.ts';
import { type Moment, momentOf } from '../base/clock.ts';
import { BudgetError, foundBy, undefinedIfNotFound } from '../base/errors.ts';
import type { HostRequest } from '../base/host-request.ts';
import { canonicalJson, type JsonObject } from '../base/json.ts';
import type { BudgetSummary } from '../base/schema/budget.ts';
import type { Immutable } from '../base/schema/immutable.ts';
import { knowledgeOf } from '../base/schema/knowledge.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import { type Lacks, withoutGaps } from '../model/replica/lacks.ts';
import { carriedOver, categoriesOf, type InMonth } from '../model/sums/categories-of-month.ts';
import { monthIn } from '../model/sums/month-to-come.ts';
import { getMonth } from '../operations/months.ts';
import type { DataOf, Operation } from '../operations/operation.ts';
import { type ChangedEntities, formatStaleReason, type Source } from './call-result.ts';
import type { FreshBudget } from './freshness/freshness-policy.ts';
import type { Waiting } from './freshness/shared-request.ts';
import { DELAYS_WHEN_LAGGING_MS, LAG_MS } from './freshness/watermarks.ts';
import { isOfBudget, type KeptAnswer } from './kept-answers.ts';
import type { CallSnapshot, UserSession } from './session.ts';

/** The progress is that of the load of a large budget. */
export interface CallOptions extends Waiting {
  /** Distinguishes the callers if the server has several. Only the caller of a write gets its outcome. */
  readonly caller?: string | undefined;
  readonly request?: HostRequest | undefined;
}

export interface ReadResult<Data> extends Source {
  readonly data: Data;
  /** The parts that the data lacks. Undefined if there are none. */
  readonly lacks?: Lacks | undefined;
}

export class CallBudget {
  readonly summary: BudgetSummary;
  readonly #session: UserSession;
  readonly #options: CallOptions;
  /** The first day of the person's month. */
  readonly #month: string;
  #snapshot: Promise<CallSnapshot> | undefined;
  #fresh: Promise<FreshBudget | undefined> | undefined;

  constructor(session: UserSession, summary: BudgetSummary, options: CallOptions, month: string) {
    this.#session = session;
    this.summary = summary;
    this.#options = options;
    this.#month = month;
  }

  /** What was seen since the call has waited last. What other processes did until then is taken over. */
  look(): Promise<CallSnapshot> {
    this.#snapshot ??= this.#session.look([this.summary.id]);
    this.#snapshot.catch(() => this.waited());
    return this.#snapshot;
  }

  /** The call has waited: what it has seen may be old. */
  waited(): void {
    this.#snapshot = undefined;
    this.#fresh = undefined;
  }

  /** The cached budget, updated if the freshness policy requires it. Undefined if it is not cached. */
  fresh(): Promise<FreshBudget | undefined> {
    this.#fresh ??= this.#readFresh();
    this.#fresh.catch(() => this.waited());
    return this.#fresh;
  }

  async searchAgain(since: Moment): Promise<FreshBudget | undefined> {
    const { signal } = this.#options;
    const found = await this.#session.freshnessPolicy?.searchAgain(this.summary.id, since, { signal });
    if (found) this.#fresh = Promise.resolve(found);
    return found;
  }

  /** Updates the cached budget now. With `full`, loads all of it. Undefined if the cache is disabled. */
  async refresh(full: boolean): Promise<FreshBudget | undefined> {
    this.waited();
    await this.look();
    return this.#session.freshnessPolicy?.refresh(this.summary.id, full, this.#options);
  }

  async revalidate(): Promise<void> {
    await this.look();
    await this.#session.freshnessPolicy?.revalidate(this.summary.id, { signal: this.#options.signal });
    this.waited();
  }

  async whyNotCached(): Promise<BudgetError> {
    const { replicas } = this.#session;
    const reason = replicas
      ? replicas.entries.whyNotCached(this.summary.id)
      : notCached('and the cache is off. The user can start the server with a larger --cache-mb.');
    if (!reason) return notCached('which does not have it.');
    const explained = await this.explained(reason);
    const isExplained = reason.code !== 'resource_not_found' || explained !== reason;
    if (explained instanceof BudgetError && isExplained) return explained;
    return notCached(`but the service lists the budget and does not give it. ${reason.message}`);
  }

  /** After `resource_not_found`: an `unknown_budget` error if the budget itself was deleted, else the same error. */
  async explained(error: unknown): Promise<unknown> {
    if (!(error instanceof BudgetError) || error.code !== 'resource_not_found') return error;
    return this.#session.directory.recheck(this.summary, this.#options.signal).then(
      () => error,
      (unknownBudget: unknown) => unknownBudget,
    );
  }

  async read<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: DataOf<Input>,
  ): Promise<ReadResult<Immutable<DataOf<Output>>>> {
    await this.look();
    if (operation.isCachedByKnowledge) return this.#readByKnowledge(operation, input);
    const requestedAt = momentOf(this.#session.clock);
    let cached = operation.readLocally && (await this.fresh());
    let lacks: Lacks | undefined;
    const read = ({ replica }: FreshBudget) => {
      if (replica.isWhole) return this.#readLocally(operation, input, replica);
      const observed = replica.observed(true);
      const data = this.#readLocally(operation, input, observed.replica);
      lacks = observed.lacks();
      return data;
    };
    const dataIn = (budget: FreshBudget) => foundBy(() => read(budget));
    let data = cached && dataIn(cached);
    if (cached && !data) {
      cached = (await this.searchAgain(requestedAt)) ?? cached;
      // Only a budget that is older than it should be leaves open whether there is such a thing.
      data = cached.staleReason === undefined ? read(cached) : dataIn(cached);
    }
    if (!cached || !data) {
      const read = await this.#readFromService(operation, input);
      return { ...read, data: await this.inMonth(operation, read.data) };
    }
    this.#countHit(cached);
    return { data, lacks, asOf: cached.asOf.wall, source: 'replica', staleReason: cached.staleReason };
  }

  #readLocally<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: DataOf<Input>,
    replica: BudgetReplica,
  ): Immutable<DataOf<Output>> | undefined {
    const data = operation.readLocally?.(replica, input);
    if (!data || !operation.inMonth) return data;
    return operation.inMonth(data, categoriesOf(monthIn(replica, this.#month)));
  }

  /** What the service has answered, with amounts of the person's month. */
  async inMonth<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    data: Immutable<DataOf<Output>>,
  ): Promise<Immutable<DataOf<Output>>> {
    if (!operation.inMonth || this.#session.isMonthOfService(this.#month)) return data;
    const replica = this.#cached;
    const of = replica ? categoriesOf(monthIn(replica, this.#month)) : await this.#readMonth();
    return operation.inMonth(data, of);
  }

  /** What a write has changed, with the categories as they are in the person's month. */
  changedInMonth(changed: ChangedEntities): ChangedEntities {
    const month = this.#month;
    if (this.#session.isMonthOfService(month)) return changed;
    const sent = changed.months?.find((each) => each.month === month);
    const isToCome = !sent && this.#cached?.months.list().every((each) => each.month < month);
    return {
      ...changed,
      categories: sent?.categories ?? (isToCome ? changed.categories.map(carriedOver) : []),
    };
  }

  get #cached() {
    return this.#session.replicas?.entries.peek(this.summary.id)?.replica;
  }

  async #readMonth(): Promise<InMonth> {
    const input = { budget_id: this.summary.id, month: this.#month };
    const read = await this.#readFromService(getMonth, input).catch(undefinedIfNotFound);
    return !read && this.#month > this.#session.month ? carriedOver : categoriesOf(read?.data.month);
  }

  /** Reads data that exports and deltas lack. An earlier response is used as long as the budget has not changed since. */
  async #readByKnowledge<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: JsonObject,
  ): Promise<ReadResult<Immutable<DataOf<Output>>>> {
    const { answers, marks, clock } = this.#session;
    let cached = await this.fresh();
    const request = canonicalJson([operation.name, input]);
    const isUsable = (kept: Pick<KeptAnswer, 'knowledge'>) =>
      cached !== undefined && isOfBudget(kept, cached, marks.mark(this.summary.id).knowledge);
    const kept = cached && (await answers.find(request, operation.output, isUsable));
    // The store may have answered late.
    if (kept) {
      this.waited();
      cached = await this.fresh();
    }
    if (cached && kept && isUsable(kept)) {
      this.#countHit(cached);
      const asOf = Math.max(kept.asOf.wall, cached.asOf.wall);
      return { data: kept.data, asOf, source: 'replica', staleReason: cached.staleReason };
    }
    const asOf = momentOf(clock);
    const result = await this.#readFromService(operation, input);
    const { data, staleReason, lacks } = result;
    const knowledge = knowledgeOf(data);
    if (knowledge !== undefined && staleReason === undefined && lacks === undefined)
      await answers.set(request, { data, knowledge, asOf });
    return result;
  }

  async #readFromService<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: JsonObject,
  ): Promise<ReadResult<DataOf<Output>>> {
    const { requests, marks, clock } = this.#session;
    const { id } = this.summary;
    const { signal } = this.#options;
    let laggingResult: ReadResult<DataOf<Output>> | undefined;
    for (let attempt = 0; ; attempt += 1) {
      const mark = marks.mark(id);
      const writeAt = (knowledge?: number) =>
        marks.mayLackWrite(id, mark, knowledge) ? marks.lastWriteAt(id) : undefined;
      try {
        // The first read after a write may use the requests reserved for writes, so that the user can see the change.
        const spending = marks.takeReserve(id) ? 'write' : 'read';
        const read = await requests.read(operation, input, { signal, spending });
        const { data, lacks } = withoutGaps(read);
        const result = { data, lacks, asOf: mark.at.wall, source: 'service' } as const;
        const knowledge = knowledgeOf(data);
        if (knowledge === undefined || !marks.isLower(id, knowledge, mark))
          return { ...result, staleReason: formatStaleReason({ writeAt: writeAt(knowledge) }) };
        const staleReason = formatStaleReason({ isLagging: true, writeAt: writeAt() });
        laggingResult = { ...result, asOf: result.asOf - LAG_MS, staleReason };
      } catch (error) {
        if (!(error instanceof BudgetError)) throw error;
        if (laggingResult && error.isTransient) return laggingResult;
        throw withStaleReason(error, writeAt());
      }
      const delay = DELAYS_WHEN_LAGGING_MS[attempt];
      if (delay === undefined) return laggingResult;
      await clock.sleep(delay, signal).catch(throwCancelled);
    }
  }

  #countHit({ isHit }: FreshBudget): void {
    const { freshnessPolicy } = this.#session;
    if (isHit && freshnessPolicy) freshnessPolicy.hits += 1;
  }

  async #readFresh(): Promise<FreshBudget | undefined> {
    const { left } = await this.look();
    return this.#session.freshnessPolicy?.getFresh(this.summary.id, left, this.#options);
  }
}

/** Reads data about the user. */
export async function readWithoutBudget<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  session: UserSession,
  operation: Operation<Input, Output>,
  input: DataOf<Input>,
  signal?: AbortSignal,
): Promise<ReadResult<Immutable<DataOf<Output>>>> {
  const requestedAt = momentOf(session.clock);
  const cached = session.reads && operation.readFromSession?.(session.reads, input, signal);
  if (cached) {
    const { data, asOf } = await withCancellation(cached, signal);
    const source = asOf.monotonic < requestedAt.monotonic ? 'replica' : 'service';
    return { ...withoutGaps(data), asOf: asOf.wall, source };
  }
  const data = await session.requests.read(operation, input, { signal });
  return { ...withoutGaps(data), asOf: requestedAt.wall, source: 'service' };
}

/** Adds that a recent write may be missing, because not every copy of the service may contain it yet. */
function withStaleReason(error: BudgetError, writeAt: number | undefined): BudgetError {
  const reason = formatStaleReason({ writeAt });
  return reason === undefined || error.code !== 'resource_not_found'
    ? error
    : new BudgetError(error.code, `${error.message} ${reason}`);
}

const notCached = (reason: string) =>
  new BudgetError('budget_not_cached', `This needs the whole budget in the cache, ${reason}`);
