/** What the view of `find_transactions` draws: a page of rows that is larger than one for a model, and what was searched for. */

import type { TransactionQuery } from '../base/schema/transaction-query.ts';
import type { BudgetReplica } from '../model/replica/budget-replica.ts';
import type { FoundTransaction } from '../model/sums/found-transactions.ts';
import type { RowMark, TransactionsContent } from './view-data/transactions-content.ts';
import { shownName } from './view-texts.ts';

type Row = TransactionsContent['rows'][number];

/** A page of the list, in milliunits, with the number and the sum of all rows. */
interface TransactionsPage extends Pick<TransactionsContent, 'total' | 'sum' | 'next_cursor'> {
  readonly rows: readonly FoundTransaction[];
}

interface TransactionsToDraw {
  readonly replica: BudgetReplica;
  readonly query: TransactionQuery;
  readonly isContinued: boolean;
  /** What a review has found, by the ids of rows. */
  readonly flags: ReadonlyMap<string, readonly RowMark[]>;
  page(limit: number): TransactionsPage;
}

/** The most that is left for it in the data of a view. */
const CHARACTERS = 95_000;
const ROWS = 500;
const MAX_MEMO = 120;

/** Long names may not leave room for all rows of a page. */
export function transactionsContent(found: TransactionsToDraw): TransactionsContent {
  for (let limit = ROWS; ; limit = Math.ceil(limit / 2)) {
    const content = contentOf(found, limit);
    if (limit === 1 || JSON.stringify(content).length <= CHARACTERS) return content;
  }
}

function contentOf(found: TransactionsToDraw, limit: number): TransactionsContent {
  const { rows, ...page } = found.page(limit);
  const { since, until } = found.query;
  const [accounts, payees, categories] = [new Names(), new Names(), new Names()];
  return {
    kind: 'transactions',
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    conditions: conditionsOf(found),
    isContinued: found.isContinued,
    ...page,
    rows: rows.map((row): Row => {
      const { date, amount, matching_amount = amount, memo, flag_color } = row;
      const marks = [...(found.flags.get(row.id) ?? []), ...marksOf(row)];
      return {
        date,
        amount: matching_amount,
        account: accounts.positionOf(row.account_id, row.account_name) ?? 0,
        payee: payees.positionOf(row.payee_id, row.payee_name),
        category:
          row.subtransactions.length > 0
            ? undefined
            : categories.positionOf(row.category_id, row.category_name),
        ...(memo && { memo: shownName(memo, MAX_MEMO) }),
        ...(flag_color && { flag: shownName(flag_color) }),
        ...(marks.length > 0 && { marks }),
      };
    }),
    accounts: accounts.list,
    payees: payees.list,
    categories: categories.list,
  };
}

function marksOf(row: FoundTransaction): RowMark[] {
  const { cleared, approved, subtransactions, matching_amount, transfer_account_id } = row;
  const marks: (RowMark | false)[] = [
    subtransactions.length > 0 && 'split',
    matching_amount !== undefined && 'part',
    transfer_account_id !== null && 'transfer',
    cleared === 'uncleared' && 'uncleared',
    !approved && 'unapproved',
  ];
  return marks.filter((mark) => mark !== false);
}

function conditionsOf({ replica, query }: TransactionsToDraw): TransactionsContent['conditions'] {
  const { text, min_amount, max_amount, cleared, approved, flag_color, type } = query;
  const { account = [], category = [], payee = [] } = query;
  const { accounts, categories, groups, payees } = replica;
  const categoryName = (id: string) => (groups.has(id) ? groups : categories).get(id).name;
  const named = (label: string, name: string | undefined) =>
    name === undefined ? [] : [{ label, value: shownName(name) }];
  const sized = (label: string, amount: number | undefined) =>
    amount === undefined ? [] : [{ label, amount: Math.abs(amount) }];
  return [
    ...named('Words', text),
    ...sized('At least', min_amount),
    ...sized('At most', max_amount),
    ...account.flatMap((id) => named('Account', accounts.get(id).name)),
    ...category.flatMap((id) => named('Category', categoryName(id))),
    ...payee.flatMap((id) => named('Payee', payees.get(id).name)),
    ...named('Status', cleared),
    ...named('Approved', approved === undefined ? undefined : approved ? 'yes' : 'no'),
    ...named('Flag', flag_color),
    ...named('Type', type),
  ];
}

/** Names with their positions in a list. */
export class Names {
  readonly list: { id: string; name: string }[] = [];
  readonly #positions = new Map<string, number>();

  positionOf(id: string | null, name: string | null): number | undefined {
    if (id === null) return undefined;
    const known = this.#positions.get(id);
    if (known !== undefined) return known;
    this.#positions.set(id, this.list.length);
    return this.list.push({ id, name: shownName(name ?? '') }) - 1;
  }
}
