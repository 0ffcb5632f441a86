/** Random books in the embedded service, with splits, refunds, transfers, cards, deleted and hidden things, and their replica. */
import fc from 'fast-check';
import { lastOfMonth } from '../../../src/base/calendar.ts';
import { BudgetReplica } from '../../../src/model/replica/budget-replica.ts';
import type { MonthDetail } from '../../../src/model/replica/entities.ts';
import { getMonth } from '../../../src/operations/months.ts';
import { apply, type Change, changes, smallLedger } from '../../service/ledger/random-changes.helper.ts';
import { directReader } from '../replica/service-reader.helper.ts';

export interface Book {
  readonly replica: BudgetReplica;
  /** As the service shows them, oldest first. */
  readonly months: readonly MonthDetail[];
  /** The range of days of each month. */
  readonly periods: readonly { readonly since: string; readonly until: string }[];
}

/** Most changes are transactions, since the sums are made of them. At the end, some accounts are closed. */
export const bookChanges = fc
  .tuple(changes(25), changes(25), changes(4))
  .map(([some, others, last]) => [
    ...some.map((change): Change => ({ ...change, kind: 'add transaction' })),
    ...others,
    ...last.map((change): Change => ({ ...change, kind: 'rename account' })),
  ]);

export async function bookAfter(changed: readonly Change[]): Promise<Book> {
  const ledger = smallLedger();
  for (const change of changed) apply(ledger, change);
  const service = directReader(ledger);
  const replica = BudgetReplica.load(await service.export(), ledger.state.today);
  const months: MonthDetail[] = [];
  for (const { month } of replica.months.list().toSorted((a, b) => (a.month < b.month ? -1 : 1)))
    months.push((await service.data(getMonth, { month })).month);
  const periods = months.map(({ month }) => ({ since: month, until: lastOfMonth(month) }));
  return { replica, months, periods };
}
