/**
 * What there is for one sign-in: its requests, the budgets it may see, what is held of them, and its writes. Another
 * sign-in gets another session, so that nothing of one is ever told to the other.
 */
import type { TokenProvider } from '../auth/token-provider.ts';
import { BudgetError } from '../errors.ts';
import { getBudget, listBudgets } from '../operations/budgets.ts';
import type { SessionReads } from '../operations/operation.ts';
import type { Clock } from '../platform/clock.ts';
import { ReplicaCache } from '../replica/replica-cache.ts';
import { Watermarks } from '../replica/watermarks.ts';
import type { ServicePort } from '../writes/current-reads.ts';
import { evidenceOf } from '../writes/evidence.ts';
import { ExactlyOnceWriter } from '../writes/exactly-once-writer.ts';
import { KnowledgeWatermarks } from '../writes/knowledge-watermarks.ts';
import { BudgetDirectory } from './budget-directory.ts';
import { FreshnessPolicy } from './freshness-policy.ts';
import type { HttpSender } from './http-sender.ts';
import { type RateBudget, RollingRateBudget } from './rate-budget.ts';
import { type RequestLogEntry, Requests } from './requests.ts';
import { CachedSessionReads } from './session-reads.ts';

export interface AccountSessionOptions {
  readonly tokens: TokenProvider;
  readonly sender: HttpSender;
  readonly clock: Clock;
  /** The id or name of the budget to use where a call names none. */
  readonly budget?: string;
  /** Makes the count of an hour's requests for a sign-in; by default one of this client alone. */
  readonly rateBudget?: () => RateBudget;
  /** How much may be held of budgets; 0 to ask the service each time. */
  readonly cacheBytes?: number;
  /** Told of every request once it has ended. */
  readonly onRequest?: (exchange: RequestLogEntry) => void;
}

export interface AccountSession {
  readonly signIn: string;
  readonly rateBudget: RateBudget;
  readonly requests: Requests;
  readonly directory: BudgetDirectory;
  readonly writer: ExactlyOnceWriter;
  readonly marks: Watermarks;
  /** Both only where something may be held. */
  readonly replicas?: ReplicaCache;
  readonly freshness?: FreshnessPolicy;
  /** Only where something may be cached. */
  readonly reads?: SessionReads;
}

/** The count of an hour's requests for a sign-in that begins now. */
export const createRateBudget = ({ rateBudget, clock }: AccountSessionOptions): RateBudget =>
  rateBudget?.() ?? new RollingRateBudget({ clock });

/** `onChange` is told of a budget when what is held of it has changed. */
export function createAccountSession(
  options: AccountSessionOptions,
  signIn: string,
  onChange: (budgetId: string) => void,
): AccountSession {
  const { tokens, sender, clock, budget, cacheBytes = 0, onRequest } = options;
  const rateBudget = createRateBudget(options);
  const baselines = new KnowledgeWatermarks(clock);
  const marks = new Watermarks(clock);
  const requests = new Requests({
    tokens,
    sender,
    clock,
    rateBudget,
    signIn,
    recordKnowledge: (budgetId) => {
      const learn = baselines.recordKnowledge(budgetId);
      return (knowledge) => {
        learn(knowledge);
        marks.recordKnowledge(budgetId, knowledge);
      };
    },
    onRequest,
  });
  const send: ServicePort['send'] = async (operation, input) => {
    const budgetId = String(input['budget_id']);
    const before = marks.mark(budgetId);
    try {
      const data = await requests.send(operation, input, { spending: 'write' });
      marks.recordWrite(budgetId, evidenceOf(operation.kind, data), before);
      return data;
    } catch (error) {
      // A refusal and a request that never left have changed nothing.
      if (error instanceof BudgetError && error.outcomeUncertain) marks.recordWrite(budgetId);
      throw error;
    }
  };
  const writer = new ExactlyOnceWriter(
    {
      send,
      // What is only told beside a write is not worth what is held back for writes.
      read: (operation, input, options) => requests.read(operation, input, { spending: 'write', ...options }),
    },
    baselines,
    clock,
  );
  const directory = new BudgetDirectory({
    clock,
    ...(budget !== undefined && { configured: budget }),
    list: () => requests.read(listBudgets, {}),
    identify: async (literal) => (await requests.read(getBudget, { budget_id: literal })).budget.id,
  });
  const session = { signIn, rateBudget, requests, directory, writer, marks };
  if (cacheBytes === 0) return session;
  const replicas = new ReplicaCache({
    clock,
    marks,
    // A sync after a write may take what is held back for writes: whoever has changed something wants to see it.
    source: (budget_id, since, signal, onBytes) => {
      const spending = marks.takeReserve(budget_id) ? 'write' : 'read';
      return requests.read(getBudget, { budget_id }, { signal, since, onBytes, spending });
    },
    maxBytes: cacheBytes,
    onChange,
  });
  const freshness = new FreshnessPolicy({ clock, rateBudget, replicas, marks });
  return {
    ...session,
    replicas,
    freshness,
    reads: new CachedSessionReads({ clock, requests, directory, freshness }),
  };
}
