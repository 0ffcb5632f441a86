/** The state of a client, known without a request: cache, rate budget, token and writes. */
import type { TokenStatus } from '../auth/token-provider.ts';
import type { DefaultBudget } from '../base/default-budget.ts';
import { BudgetError } from '../base/errors.ts';
import type { StateStatus } from '../store/shared-stores.ts';
import type { CacheStatus } from './freshness/cache-entries.ts';
import type { Requests } from './http/requests.ts';
import type { RateStatus } from './rate-budget/rate-usage.ts';
import type { WriteStatus } from './writes/pending-write.ts';

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
  /** Undefined as long as no list of the budgets was read. */
  readonly default_budget: DefaultBudget | undefined;
  readonly token: TokenStatus | BudgetError;
}

export const NO_CACHE: CacheStatus = { cached: [], syncs: 0, loads: 0, bytes: 0, too_large: [], failing: [] };

/** Why the service refuses the token. Undefined if it does not. */
export function refusalOf({ kind, place }: TokenStatus, requests?: Requests): BudgetError | undefined {
  if (requests?.refusedAt === undefined) return undefined;
  const at = new Date(requests.refusedAt).toISOString();
  const next = kind === 'given' ? `It is from ${place}.` : 'The user can run `budget-mcp login`.';
  return new BudgetError('not_authorized', `The service refused the token at ${at}. ${next}`);
}
