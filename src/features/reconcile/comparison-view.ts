/** What the view of a comparison draws: the rows of the bank and the transactions that it lacks, newest first. */
import { Names } from '../../answers/transactions-view.ts';
import type { RowMark, TransactionsContent } from '../../answers/view-data/transactions-content.ts';
import { fittingRows, shownName } from '../../answers/view-texts.ts';
import type { Account, Transaction } from '../../model/replica/entities.ts';
import type { BankRow, ListComparison } from './bank-list.ts';
import { sumOfAmounts } from './cleared-balance.ts';

/** A view has room for 100,000 characters, and texts are in it twice. */
const CHARACTERS = 40_000;
const MAX_TEXT = 120;

interface ComparedRow {
  readonly date: string;
  readonly amount: number;
  readonly text?: string | null | undefined;
  readonly category?: string | null | undefined;
  readonly marks: RowMark[];
}

const ofEntry = (entry: Transaction, mark?: RowMark): ComparedRow => ({
  date: entry.date,
  amount: entry.amount,
  text: entry.payee_name,
  category: entry.category_name,
  marks: mark ? [mark] : entry.cleared === 'uncleared' ? ['uncleared'] : [],
});

/** Without a list of the bank: the transactions that were searched. */
export const searchContent = (account: Account, entries: readonly Transaction[]): TransactionsContent =>
  contentOf(
    account,
    entries.map((each) => ofEntry(each)),
    [],
  );

/** If there is no room for all, those that agree are left out first. */
export function comparisonContent(
  account: Account,
  rows: readonly BankRow[],
  { matched, missing, mistyped, unlisted }: ListComparison<Transaction>,
  statement?: string,
): TransactionsContent {
  const listed = (indexes: Iterable<number>, mark?: RowMark) =>
    [...indexes].flatMap((index): ComparedRow[] => {
      const [row, entry] = [rows[index], matched.get(index)];
      return row ? [{ ...(entry ? ofEntry(entry) : { marks: mark ? [mark] : [] }), ...row }] : [];
    });
  return contentOf(
    account,
    [
      ...listed(missing, 'missing_in_account'),
      ...listed(mistyped.keys(), 'perhaps_mistyped'),
      ...unlisted.map((each) => ofEntry(each, 'not_at_bank')),
      ...listed(matched.keys()),
    ],
    [
      ...(statement === undefined ? [] : [{ label: 'Statement', value: shownName(statement) }]),
      { label: 'Missing', value: String(missing.length) },
    ],
  );
}

function contentOf(
  account: Account,
  all: readonly ComparedRow[],
  conditions: TransactionsContent['conditions'],
): TransactionsContent {
  const [payees, categories] = [new Names(), new Names()];
  const shown = fittingRows(all, CHARACTERS).toSorted((a, b) => (a.date < b.date ? 1 : -1));
  const title = shownName(account.name);
  return {
    kind: 'transactions',
    title,
    conditions,
    total: all.length,
    sum: sumOfAmounts(all),
    isContinued: false,
    next_cursor: null,
    accounts: [{ id: account.id, name: title }],
    rows: shown.map(({ date, amount, text, category, marks }) => {
      const name = text ? shownName(text, MAX_TEXT) : null;
      return {
        date,
        amount,
        account: 0,
        payee: payees.positionOf(name, name),
        category: categories.positionOf(category ?? null, category ?? null),
        ...(marks.length > 0 && { marks }),
      };
    }),
    payees: payees.list,
    categories: categories.list,
  };
}
