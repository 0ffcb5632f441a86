/**
 * Everything that belongs to one sign-in: requests, the list of budgets, cached budgets and writes. Each sign-in gets its
 * own session, so one user never gets data of another.
 */
import type { Credential, TokenProvider } from '../auth/token-provider.ts';
import { ageOf, type Clock, type Moment, momentOf } from '../base/clock.ts';
import { BudgetError } from '../base/errors.ts';
import { getBudget, listBudgets } from '../operations/budgets.ts';
import type { SessionReads } from '../operations/operation.ts';
import { LaterChanges } from '../store/later-changes.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { SharedStore } from '../store/shared-store.ts';
import { BudgetDirectory } from './budget-directory.ts';
import { Comparisons } from './comparisons.ts';
import { FreshnessPolicy } from './freshness/freshness-policy.ts';
import { ReplicaCache } from './freshness/replica-cache.ts';
import { Watermarks } from './freshness/watermarks.ts';
import type { HttpSender } from './http/http-sender.ts';
import { type RequestLogEntry, Requests } from './http/requests.ts';
import { ServiceInterface } from './http/service-interface.ts';
import { KeptAnswers } from './kept-answers.ts';
import { RATE_LEDGER, type RateBudget, RollingRateBudget } from './rate-budget/rate-budget.ts';
import type { RateStatus } from './rate-budget/rate-usage.ts';
import { CachedSessionReads } from './session-reads.ts';
import { SharedSession } from './sync/shared-session.ts';
import { CurrentReads, type ServicePort } from './writes/current-reads.ts';
import { evidenceOf } from './writes/evidence.ts';
import { ExactlyOnceWriter } from './writes/exactly-once-writer.ts';
import { StoredJournal, type WriteJournal } from './writes/journal.ts';
import { LostWrites } from './writes/lost-write.ts';

export interface UserSessionOptions {
  readonly tokens: TokenProvider;
  readonly sender: HttpSender;
  readonly clock: Clock;
  /** The id or name of the budget for calls that name none. */
  readonly budget?: string;
  /** Creates the rate budget of a sign-in, whose processes share the store. */
  readonly rateBudget?: (store: SharedStore) => RateBudget;
  /** The maximum size of all cached budgets. 0 disables the cache. */
  readonly cacheBytes?: number;
  /**
   * Opens what the processes of a sign-in share, the same store for the same sign-in. By default there are no other
   * processes.
   */
  readonly store?: (credential: Credential) => Promise<SharedStore>;
  /** Whether all processes of a sign-in are one server for its callers, as on several machines. */
  readonly isOneServer?: boolean;
  /** Called after every request. */
  readonly onRequest?: (entry: RequestLogEntry) => void;
}

/** What a call has seen of the shared state of its sign-in, by one request to the store. */
export interface CallSnapshot {
  /** The requests that are left. */
  readonly left: RateStatus;
}

export interface UserSession {
  readonly signIn: string;
  readonly rateBudget: RateBudget;
  readonly requests: Requests;
  readonly directory: BudgetDirectory;
  readonly writer: ExactlyOnceWriter;
  readonly marks: Watermarks;
  readonly serviceInterface: ServiceInterface;
  readonly comparisons: Comparisons;
  readonly answers: KeptAnswers;
  readonly journal: WriteJournal;
  /**
   * Reads what the other processes did, also to these budgets, by one request to the store, and takes it over. With
   * `isKeeping`, budgets that are not cached are not loaded.
   */
  look(budgetIds: readonly string[], isKeeping?: boolean): Promise<CallSnapshot>;
  /** The writes of all processes of the sign-in. */
  readonly shared: SharedSession;
  /** `replicas`, `freshnessPolicy` and `reads` are undefined if the cache is disabled. */
  readonly replicas?: ReplicaCache;
  readonly freshnessPolicy?: FreshnessPolicy;
  readonly reads?: SessionReads;
}

/** The rate budget of a new sign-in. */
export function createRateBudget(
  { rateBudget, clock }: UserSessionOptions,
  store: SharedStore = new MemoryStore(clock),
): RateBudget {
  return rateBudget?.(store) ?? new RollingRateBudget({ clock, store });
}

interface SessionListeners {
  /** Called with the id of a budget when its replica has changed. */
  readonly onChange: (budgetId: string) => void;
  /** Called when the service has refused a write of any process, because the token may only read. */
  readonly onReadOnly: () => void;
  /** Called when the operations that the service is known to lack have changed. */
  readonly onInterfaceChange: () => void;
}

export interface SessionStores {
  readonly own: SharedStore;
  /** The store of the writes, which several sign-ins share if there are no other processes. */
  readonly ofWrites: SharedStore;
}

export function createUserSession(
  options: UserSessionOptions,
  signIn: string,
  { own: store, ofWrites }: SessionStores,
  { onChange, onReadOnly, onInterfaceChange }: SessionListeners,
): UserSession {
  const { tokens, sender, clock, budget, cacheBytes = 0, isOneServer, onRequest } = options;
  const rateBudget = createRateBudget(options, store);
  const marks = new Watermarks(clock);
  const serviceInterface = new ServiceInterface(onInterfaceChange);
  const later = new LaterChanges(clock);
  const journal = new StoredJournal(ofWrites, later, isOneServer);
  const requests = new Requests({
    tokens,
    sender,
    clock,
    rateBudget,
    signIn,
    serviceInterface,
    recordKnowledge: (budgetId) => marks.beginRequest(budgetId),
    onRequest,
  });
  const service: ServicePort = {
    send: async (operation, input, check) => {
      const budgetId = String(input['budget_id']);
      const before = marks.mark(budgetId);
      try {
        const data = await requests.send(operation, input, { spending: 'write', check });
        marks.recordWrite(budgetId, evidenceOf(operation.kind, data), before);
        return data;
      } catch (error) {
        // A refused write and a request that was not sent changed nothing.
        if (error instanceof BudgetError && error.outcomeUncertain) {
          marks.recordWrite(budgetId);
          await shared.addWrite(budgetId, operation.kind);
        }
        throw error;
      }
    },
    // The writer passes `spending: 'read'` for optional reads, which must not use the requests reserved for writes.
    read: (operation, input, options) => requests.read(operation, input, { spending: 'write', ...options }),
  };
  const reads = new CurrentReads(service, marks, clock);
  const lostWrites = new LostWrites(reads, clock);
  const shared = new SharedSession({
    store: ofWrites,
    access: store,
    clock,
    later,
    journal,
    lostWrites,
    look: (budgetIds) => look(budgetIds),
    // Others of one server have nothing to end.
    program: isOneServer ? undefined : `process ${process.pid}`,
    marks,
  });
  const writer = new ExactlyOnceWriter({
    service,
    reads,
    watermarks: marks,
    lostWrites,
    clock,
    journal,
    signIn: shared,
    others: shared,
  });
  const answers = new KeptAnswers(store, clock);
  const directory = new BudgetDirectory({
    clock,
    ...(budget !== undefined && { configured: budget }),
    list: async (maxAgeMs) => {
      const isUsable = (asOf: Moment) => ageOf(clock, asOf) < maxAgeMs;
      const { data, asOf } = await answers.findOrRead('budgets', listBudgets.output, isUsable, async () => ({
        asOf: momentOf(clock),
        data: await requests.read(listBudgets, {}),
      }));
      return { list: data, readAt: asOf };
    },
    identify: async (literal) => (await requests.read(getBudget, { budget_id: literal })).budget.id,
  });
  const replicas =
    cacheBytes === 0
      ? undefined
      : new ReplicaCache({
          clock,
          marks,
          // The first sync after a write may use the requests reserved for writes, so that the user can see the change.
          source: (budget_id, since, signal, onProgress) => {
            const spending = marks.takeReserve(budget_id) ? 'write' : 'read';
            return requests.read(getBudget, { budget_id }, { signal, since, onProgress, spending });
          },
          maxBytes: cacheBytes,
          sharing: store.isShared ? shared.sync : undefined,
          onChange,
        });
  const look: UserSession['look'] = async (budgetIds, isKeeping = false) => {
    const { records, logs } = shared.lookFor(budgetIds);
    const seen = await store.look({ records: [RATE_LEDGER, ...records], logs });
    if (shared.isReadOnlyIn(seen)) onReadOnly();
    const changed = await shared.sync.sync(replicas, budgetIds, { seen, isKeeping });
    for (const budgetId of changed) onChange(budgetId);
    return { left: rateBudget.statusOf(seen.records.get(RATE_LEDGER), momentOf(clock)) };
  };
  const session = {
    signIn,
    rateBudget,
    requests,
    directory,
    writer,
    marks,
    serviceInterface,
    comparisons: new Comparisons(store, clock),
    answers,
    journal,
    shared,
    look,
  };
  if (!replicas) return session;
  const freshnessPolicy = new FreshnessPolicy({ clock, replicas, marks });
  return {
    ...session,
    replicas,
    freshnessPolicy,
    reads: new CachedSessionReads({ clock, requests, directory, freshness: freshnessPolicy, answers, look }),
  };
}
