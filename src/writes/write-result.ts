/** What a write gives besides the service's answer. */
import type { BudgetExport } from '../schema/budget.ts';

/** What a write has changed in its budget, each whole. */
export type ChangedEntities = Pick<
  BudgetExport['budget'],
  'accounts' | 'categories' | 'transactions' | 'scheduled_transactions'
>;

export interface WriteResult<Data> {
  /** The response's `data`, amounts in milliunits. */
  readonly data: Data;
  /** `confirmed_afterwards`: the service did not say so, but the budget shows that the write has happened. */
  readonly outcome: 'written' | 'confirmed_afterwards';
  /** Missing where it could not be read, since the write itself has succeeded. */
  readonly changed?: ChangedEntities;
  /** Of a creation: ids of other new entries that look just like it, as a request makes them that arrives twice. */
  readonly possibleDuplicates?: readonly string[];
}
