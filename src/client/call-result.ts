/** What a call gives besides the data: which budget, how fresh, and of a write what has become of it. */
import type { BudgetExport, BudgetSummary } from '../operations/budgets.ts';
import type { WriteOutcome } from './exactly-once-writer.ts';

/** What a write has changed in its budget, each whole. */
export type ChangedEntities = Pick<
  BudgetExport['budget'],
  'accounts' | 'categories' | 'transactions' | 'scheduled_transactions'
>;

export interface CallResult<Data> {
  /** The response's `data`, amounts in milliunits. */
  readonly data: Data;
  /** The budget that the answer is about; none for questions about the user. */
  readonly budget?: BudgetSummary;
  readonly freshness: Freshness;
  /** Of a write, as of those below. */
  readonly outcome?: WriteOutcome<Data>['outcome'];
  readonly changed?: ChangedEntities;
  readonly possibleDuplicates?: readonly string[];
  /** When an equal call was made that has written it, as ISO 8601: nothing was sent now. */
  readonly earlier_call?: string;
}

export interface Freshness {
  /** The answer held at this moment, as ISO 8601, or changed after it. */
  readonly as_of: string;
  /** Asked of the service just now, or taken from the replica that is held. */
  readonly source: 'service' | 'replica';
  /** How many requests the service still allows in this hour, as far as is known. */
  readonly requests_left: number;
  /** Why the answer is older than it should be. */
  readonly stale_reason?: string;
  /** When the sign-in ends, as ISO 8601, where that is soon and only the user can renew it. */
  readonly sign_in_ends?: string;
}
