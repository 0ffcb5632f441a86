/** The result of a write for its caller. */
import type { JsonObject } from '../../base/json.ts';
import type { BudgetExport } from '../../base/schema/budget.ts';

/** The entities that a write changed in its budget, with all their fields. */
export type ChangedEntities = Pick<
  BudgetExport['budget'],
  'accounts' | 'categories' | 'transactions' | 'scheduled_transactions'
> &
  Partial<Pick<BudgetExport['budget'], 'payees' | 'months'>>;

export interface WriteResult<Data> {
  /** The response's `data`, amounts in milliunits. */
  readonly data: Data;
  /** `confirmed_afterwards`: the response was lost, but a later read of the budget shows that the write happened. */
  readonly outcome: 'written' | 'confirmed_afterwards';
  /** Undefined if it could not be read. The write itself has succeeded. */
  readonly changed?: ChangedEntities;
  /**
   * For a creation: the ids of other entities that equal it, as if the request was delivered twice, or as if an earlier equal
   * call was carried out.
   */
  readonly possibleDuplicates?: readonly string[];
}

export type AnyWriteResult = WriteResult<JsonObject>;
