/** A budget with some rows, as far as sums read it. Lists of transactions have the order in which they are given. */
import type {
  Account,
  Category,
  ScheduledTransaction,
  Transaction,
} from '../../../src/model/replica/entities.ts';
import { EntityTable } from '../../../src/model/replica/entity-table.ts';
import type { TransactionFilter } from '../../../src/model/replica/transaction-lists.ts';

interface Rows {
  readonly accounts: readonly Account[];
  readonly categories: readonly Category[];
  readonly transactions?: readonly Transaction[];
  readonly scheduled?: readonly ScheduledTransaction[];
}

function tableOf<Row extends { readonly id: string; readonly deleted: boolean }>(rows: readonly Row[]) {
  const table = new EntityTable<Row>('row');
  table.merge(rows);
  return table;
}

export const budgetOf = ({ accounts, categories, transactions = [], scheduled = [] }: Rows) => ({
  accounts: tableOf(accounts),
  categories: tableOf(categories),
  groups: tableOf<never>([]),
  transactions: {
    list: ({ since_date: since = '', until_date: until = '9999' }: TransactionFilter) =>
      transactions.filter(({ date }) => since <= date && date <= until),
  },
  scheduledTransactions: { list: () => scheduled },
});
