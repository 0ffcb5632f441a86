/**
 * What equals in the cached budget what was just written. An earlier call can have made it without a trace in the state, such
 * as in a state that was lost.
 */

import type { JsonObject } from '../../base/json.ts';
import { equalEntriesOf, possibleDuplicatesOf } from '../../model/bookkeeping/matching.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { rowsOf } from './delta-after-write.ts';

/**
 * The ids of the transactions that equal a created one in account, date, amount and payee, and of the accounts and scheduled
 * transactions that equal one in all that distinguishes them. `data` is from the response.
 */
export function equalEntriesIn(replica: BudgetReplica, data: JsonObject): string[] {
  const written = rowsOf(data).filter(({ amount, balance }) => amount !== undefined || balance !== undefined);
  const dates = written.flatMap(({ date }) => (typeof date === 'string' ? [date] : [])).toSorted();
  if (dates.length === 0)
    return possibleDuplicatesOf(written, [
      ...replica.accounts.list(),
      ...replica.scheduledTransactions.list(),
    ]);
  return equalEntriesOf(
    written,
    replica.transactions.list({ since_date: dates[0], until_date: dates.at(-1) }),
  );
}
