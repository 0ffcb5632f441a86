/** The result of a call: the data, its budget, its freshness and, for a write, its outcome. */
import type { BudgetError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { BudgetExport, BudgetSummary } from '../base/schema/budget.ts';
import type { ReconciledMove } from '../model/bookkeeping/reconciled.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import type { Simulation } from '../operations/simulation.ts';

/** The age and source of a result, as in the output of every tool. */
export interface Freshness {
  /** The data is as it was at this moment or later, in ISO 8601. */
  readonly as_of: string;
  readonly source: 'service' | 'replica';
  /** The number of requests that are left in this hour, as far as it is known. */
  readonly requests_left: number;
  /** Why the data is older than it should be. */
  readonly stale_reason?: string;
  /** When the sign-in ends, in ISO 8601. Present if that is soon and only the user can renew it. */
  readonly sign_in_ends?: string;
  /** How the clock of this machine, by which all times are, differs from that of the service. */
  readonly clock?: string;
}

export interface Source {
  /** In milliseconds since the epoch. */
  readonly asOf: number;
  readonly source: Freshness['source'];
  /** Why the data is older than it should be. */
  readonly staleReason?: string | undefined;
}

export interface CallResult<Data> extends Partial<Omit<WriteResult<Data>, 'data'>> {
  readonly data: Data;
  /** The budget of the data. Undefined for data about the user. */
  readonly budget?: BudgetSummary;
  readonly freshness: Freshness;
  /** For a write: when the earlier equal call began that wrote it, in ISO 8601. This call then sent nothing. */
  readonly earlier_call?: string;
  /** With `earlier_call`: what has written the same things since, in a sentence. The data is from before that. */
  readonly overtaken?: string;
}

export interface CallReplica {
  readonly replica: BudgetReplica;
  readonly freshness: Freshness;
}

export interface SimulatedWrite extends Simulation {
  readonly freshness: Freshness;
}

export interface StaleCauses {
  readonly error?: BudgetError | undefined;
  readonly isLagging?: boolean;
  /** The end of the known write that may be missing, in milliseconds since the epoch. */
  readonly writeAt?: number | undefined;
}

/** Undefined if there is no cause. */
export function formatStaleReason({ error, isLagging = false, writeAt }: StaleCauses): string | undefined {
  const reasons = [
    error?.message,
    !error && isLagging && 'The service answered from an older state than before.',
    writeAt !== undefined && `A write of ${new Date(writeAt).toISOString()} may be missing from it.`,
  ].filter(Boolean);
  return reasons.length > 0 ? reasons.join(' ') : undefined;
}

/** The entities that a write changed in its budget, with all their fields. */
export type ChangedEntities = Pick<
  BudgetExport['budget'],
  'accounts' | 'categories' | 'transactions' | 'scheduled_transactions'
> &
  Partial<Pick<BudgetExport['budget'], 'payees' | 'months'>>;

export interface WriteResult<Data = JsonObject> {
  /** The response's `data`, amounts in milliunits. */
  readonly data: Data;
  /** `confirmed_afterwards`: the response was lost, but a later read of the budget shows that the write happened. */
  readonly outcome: 'written' | 'confirmed_afterwards';
  /** Undefined if it could not be read. The write itself has succeeded. */
  readonly changed?: ChangedEntities;
  /** How it has moved the reconciled balances of accounts, as far as that is known. */
  readonly reconciled?: readonly ReconciledMove[] | undefined;
  /** For a creation: the ids of other entities that equal it, as if it was delivered twice or called before. */
  readonly possibleDuplicates?: readonly string[] | undefined;
}
