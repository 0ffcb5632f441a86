/** The result of a call: the data, its budget, its freshness and, for a write, its outcome. */

import type { BudgetSummary } from '../base/schema/budget.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import type { Freshness } from './freshness/freshness.ts';
import type { Simulation } from './writes/simulation.ts';
import type { WriteResult } from './writes/write-result.ts';

export interface CallResult<Data> extends Partial<Omit<WriteResult<Data>, 'data'>> {
  /** The response's `data`, amounts in milliunits. */
  readonly data: Data;
  /** The budget of the data. Undefined for data about the user. */
  readonly budget?: BudgetSummary;
  readonly freshness: Freshness;
  /** For a write: when the earlier equal call began that wrote it, in ISO 8601. This call then sent nothing. */
  readonly earlier_call?: string;
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
