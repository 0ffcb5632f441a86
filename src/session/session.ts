/**
 * Everything that belongs to one sign-in: requests, the list of budgets, cached budgets and writes. Each sign-in gets its
 * own session, so one user never gets data of another.
 */
import { z } from 'zod';
import type { Credential } from '../auth/token-provider.ts';
import { firstOfMonth } from '../base/calendar.ts';
import { ageOf, type Clock, dateOf, type Moment, momentOf } from '../base/clock.ts';
import { describeClock, TOLERATED_MS } from '../base/clock-difference.ts';
import { undefinedIfNotFound } from '../base/errors.ts';
import type { BudgetSummary } from '../base/schema/budget.ts';
import { getBudget, getUser, listBudgets } from '../operations/budgets.ts';
import type { SessionReads } from '../operations/operation.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { SharedStore, StoredValue } from '../store/shared-store.ts';
import type { StateStatus } from '../store/shared-stores.ts';
import { BudgetDirectory, type ReadBudgetList } from './budget-directory.ts';
import { CallRecord } from './call-record.ts';
import type { Freshness, Source } from './call-result.ts';
import { FreshnessPolicy } from './freshness/freshness-policy.ts';
import { ReplicaCache } from './freshness/replica-cache.ts';
import { Watermarks } from './freshness/watermarks.ts';
import { Requests, type RequestsOptions } from './http/requests.ts';
import { ServiceInterface } from './http/service-interface.ts';
import { KeptAnswers } from './kept-answers.ts';
import { RATE_LEDGER, RateBudget } from './rate-budget/rate-budget.ts';
import type { RateStatus } from './rate-budget/rate-usage.ts';
import { SessionWrites, type SessionWritesDeps } from './session-writes.ts';
import { type TakeRoom, UploadedStatements } from './uploaded-statements.ts';
import { Watches } from './watches.ts';
import type { SentWrite } from './writes/pending-write.ts';

export interface UserSessionOptions
  extends Pick<RequestsOptions, 'tokens' | 'sender' | 'clock' | 'onRequest'> {
  /** The id or name of the budget for calls that name none. */
  readonly budget?: string;
  /** Creates the rate budget of a sign-in, whose processes share the store. */
  readonly rateBudget?: (store: SharedStore) => RateBudget;
  /** The maximum size of all cached budgets. 0 disables the cache. */
  readonly cacheBytes?: number;
  /** Opens what the processes of a sign-in share: the same store each time. By default there are no others. */
  readonly store?: (credential: Credential) => Promise<SharedStore>;
  /** Whether all processes of a sign-in are one server for its callers, as on several machines. */
  readonly isOneServer?: boolean;
  /** Called after a watch was ended by a client or by the person. */
  readonly onWatchEnded?: (watches: Watches) => Promise<void>;
  /** For files that are chosen in a view. By default there is always room. */
  readonly takeRoom?: TakeRoom | undefined;
}

/** The default budget where the person has chosen none (`BudgetDirectory`). */
const FIRST_BUDGET = 'first budget';
const firstBudget = z.object({ id: z.string() });

/** The share of the hour's requests that is never used for what is watched. */
const KEPT_FOR_QUESTIONS = 0.25;

export function createRateBudget(
  { rateBudget, clock }: UserSessionOptions,
  store: SharedStore = new MemoryStore(clock),
): RateBudget {
  return rateBudget?.(store) ?? new RateBudget({ clock, store });
}

interface SessionListeners {
  /** Called with the id of a budget when its replica has changed. */
  readonly onChange: (budgetId: string) => void;
  /** Called when the service has refused a write of any process, because the token may only read. */
  readonly onReadOnly: () => void;
  /** Called when the operations that the service is known to lack have changed. */
  readonly onInterfaceChange: () => void;
}

/** The store, and whether other processes use it too. */
type SessionState = Pick<SessionWritesDeps, 'store' | 'status'>;

/** What a call has seen of the shared state of its sign-in, by one request to the store. */
export interface CallSnapshot {
  readonly left: RateStatus;
  readonly writes: readonly SentWrite[];
}

export class UserSession {
  readonly signIn: string;
  readonly clock: Clock;
  readonly rateBudget: RateBudget;
  readonly requests: Requests;
  readonly directory: BudgetDirectory;
  readonly marks: Watermarks;
  readonly serviceInterface: ServiceInterface;
  readonly answers: KeptAnswers;
  readonly statements: UploadedStatements;
  readonly #watches: Watches;
  readonly writes: SessionWrites;
  /** `replicas`, `freshnessPolicy` and `reads` are undefined if the cache is disabled. */
  readonly replicas: ReplicaCache | undefined;
  readonly freshnessPolicy: FreshnessPolicy | undefined;
  readonly reads: SessionReads | undefined;
  /** Milliseconds since the epoch. Undefined unless the sign-in ends soon. */
  signInEndsAt: number | undefined;
  readonly stateStatus: () => StateStatus;
  readonly #store: SharedStore;
  readonly #listeners: SessionListeners;

  constructor(options: UserSessionOptions, signIn: string, state: SessionState, listeners: SessionListeners) {
    const { clock, budget, cacheBytes = 0, isOneServer } = options;
    const { store, status } = state;
    this.signIn = signIn;
    this.clock = clock;
    this.stateStatus = status;
    this.#store = store;
    this.#listeners = listeners;
    this.rateBudget = createRateBudget(options, store);
    this.marks = new Watermarks(clock);
    this.serviceInterface = new ServiceInterface(listeners.onInterfaceChange);
    const { rateBudget, marks, serviceInterface } = this;
    const recordKnowledge = (budgetId: string) => marks.beginRequest(budgetId);
    this.requests = new Requests({ ...options, rateBudget, signIn, serviceInterface, recordKnowledge });
    this.replicas = cacheBytes === 0 ? undefined : this.#createCache(cacheBytes);
    this.writes = new SessionWrites({
      ...state,
      service: this.requests,
      clock,
      marks,
      cache: this.replicas,
      isOneServer,
      look: (budgetIds) => this.look(budgetIds),
    });
    this.answers = new KeptAnswers(store, clock);
    this.statements = new UploadedStatements(store, clock, options.takeRoom);
    this.#watches = new Watches(store, clock, options.onWatchEnded);
    this.directory = new BudgetDirectory({
      clock,
      ...(budget !== undefined && { configured: budget }),
      list: (maxAgeMs) => this.#listBudgets(maxAgeMs),
      first: {
        read: async () => (await this.answers.find(FIRST_BUDGET, firstBudget, () => true))?.data.id,
        write: (id) => this.answers.set(FIRST_BUDGET, { data: { id }, asOf: momentOf(clock) }),
      },
      identify: async (literal) => (await this.requests.read(getBudget, { budget_id: literal })).budget.id,
    });
    const { replicas } = this;
    this.freshnessPolicy = replicas && new FreshnessPolicy({ clock, replicas, marks, status });
    this.reads = this.freshnessPolicy && cachedReadsOf(this, this.freshnessPolicy);
  }

  /** By one request to the store, takes over what other processes did. `isKeeping` loads no budget that is not cached. */
  async look(budgetIds: readonly string[], isKeeping = false): Promise<CallSnapshot> {
    const { writes, rateBudget, clock } = this;
    const { records, logs } = writes.wantedOf(budgetIds);
    const seen = await this.#store.look({ records: [RATE_LEDGER, ...records], logs });
    if (writes.isReadOnlyIn(seen)) this.#listeners.onReadOnly();
    for (const budgetId of await writes.others.takeOver(seen, budgetIds, isKeeping))
      this.#listeners.onChange(budgetId);
    const left = rateBudget.statusOf(seen.records.get(RATE_LEDGER), momentOf(clock));
    return { left, writes: writes.pending.writesIn(seen) };
  }

  /** Checks no sign-in and asks no store: a write must be reported as written also after another sign-in. */
  freshness({ asOf, source, staleReason }: Source): Freshness {
    const clock = describeClock(this.requests.clockAheadMs);
    return {
      as_of: new Date(asOf).toISOString(),
      source,
      requests_left: this.rateBudget.left,
      ...(staleReason !== undefined && { stale_reason: staleReason }),
      ...(this.signInEndsAt !== undefined && { sign_in_ends: new Date(this.signInEndsAt).toISOString() }),
      ...(clock !== undefined && { clock }),
    };
  }

  record<Schema extends z.ZodType<StoredValue>>(name: string, schema: Schema, initial: z.output<Schema>) {
    return new CallRecord(this.#store, this.clock, name, schema, initial);
  }

  /** What is watched, and whether more requests are left than people need for their questions. */
  async watching(): Promise<{ readonly watches: Watches; readonly maySpend: boolean }> {
    const { leftForReads, limit } = await this.rateBudget.status();
    return { watches: this.#watches, maySpend: leftForReads > limit * KEPT_FOR_QUESTIONS };
  }

  /** The first day of the present month of the service, which counts in UTC. */
  get month(): string {
    return this.#monthIn(0);
  }

  /** Whether the service means this month where a request names none. False if it is not certain, around the end of a month. */
  isMonthOfService(month: string): boolean {
    return [-TOLERATED_MS, TOLERATED_MS].every((difference) => this.#monthIn(difference) === month);
  }

  #monthIn(milliseconds: number): string {
    const now = this.clock.now() - (this.requests.clockAheadMs ?? 0);
    return firstOfMonth(dateOf(now + milliseconds));
  }

  #createCache(maxBytes: number): ReplicaCache {
    const { clock, marks, requests } = this;
    return new ReplicaCache({
      clock,
      marks,
      maxBytes,
      source: (budget_id, since, signal, onProgress) => {
        // The first sync after a write may use the requests reserved for writes, so that the user can see the change.
        const spending = marks.takeReserve(budget_id) ? 'write' : 'read';
        return requests.read(getBudget, { budget_id }, { signal, since, onProgress, spending });
      },
      alone: (wanted, request) => this.writes.others.of(wanted.budgetId).alone(wanted, request),
      onRead: (read) => this.writes.others.of(read.budgetId).share(read),
      onChange: this.#listeners.onChange,
    });
  }

  async #listBudgets(maxAgeMs: number): Promise<ReadBudgetList> {
    const { clock, answers, requests } = this;
    const isUsable = (asOf: Moment) => ageOf(clock, asOf) < maxAgeMs;
    const read = () => requests.read(listBudgets, {});
    const { data, asOf } = await answers.findOrRead('budgets', listBudgets.output, isUsable, read);
    return { list: data, readAt: asOf };
  }
}

/** Cached reads about the user: the user's id, which never changes, and the list of budgets, which rarely changes. */
function cachedReadsOf(session: UserSession, freshness: FreshnessPolicy): SessionReads {
  const { requests, answers, directory } = session;
  /** With newer values of the budgets that are cached. Undefined if a sync shows that one of these was deleted. */
  const withCachedHeads = async (
    { list, readAt }: ReadBudgetList,
    left: RateStatus,
    signal?: AbortSignal,
  ): Promise<readonly BudgetSummary[] | undefined> => {
    const withHead = async (budget: BudgetSummary) => {
      if (!freshness.has(budget.id)) return budget;
      try {
        const cached = await freshness.getFresh(budget.id, left, { signal });
        const isNewer = cached && cached.asOf.monotonic >= readAt.monotonic;
        return isNewer ? { ...budget, ...cached.replica.head } : budget;
      } catch (error) {
        return undefinedIfNotFound(error);
      }
    };
    const heads = await Promise.all(list.budgets.map(withHead));
    return heads.includes(undefined) ? undefined : heads.flatMap((head) => head ?? []);
  };
  return {
    async user() {
      await session.look([]);
      const read = () => requests.read(getUser, {});
      return answers.findOrRead('user', getUser.output, () => true, read);
    },
    async budgets(signal) {
      let read = await directory.current(signal);
      const { left } = await session.look(read.list.budgets.map(({ id }) => id));
      let budgets = await withCachedHeads(read, left, signal);
      if (!budgets) {
        // A sync showed that one of the budgets was deleted.
        read = await directory.reload(signal);
        budgets = (await withCachedHeads(read, left, signal)) ?? read.list.budgets;
      }
      const { default_budget: known } = read.list;
      const default_budget = budgets.find(({ id }) => id === known?.id) ?? known;
      return { asOf: read.readAt, data: { budgets, default_budget } };
    },
  };
}
