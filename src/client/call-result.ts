/** What a call gives besides the data: which budget, how fresh, and of a write what has become of it. */
import type { BudgetSummary } from '../schema/budget.ts';
import type { WriteResult } from '../writes/write-result.ts';
import type { Freshness } from './freshness.ts';

export interface CallResult<Data> extends Partial<Omit<WriteResult<Data>, 'data'>> {
  /** The response's `data`, amounts in milliunits. */
  readonly data: Data;
  /** The budget that the answer is about; none for questions about the user. */
  readonly budget?: BudgetSummary;
  readonly freshness: Freshness;
  /** Of a write: when an equal call was made that has written it, as ISO 8601. Then nothing was sent now. */
  readonly earlier_call?: string;
}
