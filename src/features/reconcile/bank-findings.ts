/** What a comparison of an account with its bank finds: by its balance, or by its list of rows. */
import { z } from 'zod';
import { MAX_SHOWN, rowLines } from '../../answers/row-lines.ts';
import { counted, firstOf, quote, type TextContext, type TextPart } from '../../answers/text.ts';
import type { TransactionsContent } from '../../answers/view-data/transactions-content.ts';
import { integer, milliunits, text } from '../../base/schema/fields.ts';
import { sumOf } from '../../model/sums/sum.ts';
import { countEntries, countedEntries, countedRows, countRows, entryLines } from './bank-lines.ts';
import { type BankRow, datesOf } from './bank-list.ts';
import { bankThread } from './bank-thread.ts';
import { isCounted, otherSignText, searchUncleared } from './cleared-balance.ts';
import { comparisonContent, searchContent } from './comparison-view.ts';
import type { BankComparison } from './comparisons.ts';
import { type AccountRegister, planReconciliation } from './reconciliation.ts';
import type { FoundStatement } from './statements/find-statement.ts';

/** How a list is read, and what it has that was not compared: rows after the date, and lines of a file that are no rows. */
export const listFacts = z.object({
  later_rows: integer.optional(),
  left_out: integer.optional(),
  read_as: text.optional(),
});

export const findingFields = {
  /** For a balance: whether a set of uncleared transactions makes up the difference. */
  result: z.enum(['agrees', 'one_set', 'several_sets', 'no_set']).optional(),
  /** The balance with the other sign, if that agrees or a set makes up its difference, and the given one does not. */
  other_sign: milliunits.optional(),
  /** The number of uncleared transactions, and of those that were searched. */
  uncleared: integer.optional(),
  searched: integer.optional(),
  /** The transactions that the bank has and that the cleared balance does not contain. */
  found: countedEntries.optional(),
  missing_in_account: countedRows.optional(),
  missing_in_list: countedEntries.optional(),
  /** Transactions that are perhaps a row of the bank with two digits swapped. */
  perhaps_mistyped: countedEntries.optional(),
  ...listFacts.shape,
  /** The cleared balance after the missing rows are entered, amounts corrected, and what was found is marked. */
  cleared_balance_afterwards: milliunits.optional(),
};

export interface Finding {
  readonly data: z.output<z.ZodObject<typeof findingFields>>;
  readonly comparison: BankComparison;
  lines(context: TextContext): readonly TextPart[];
  view(): TransactionsContent;
}

type Entry = AccountRegister['transactions'][number];
type Search = ReturnType<typeof searchUncleared<Entry>>;

/**
 * Looks for the uncleared transactions that make up the difference of the balance of the bank. Without a difference nothing is
 * searched, although some of them may cancel each other out.
 */
export function searchDifference(
  { account, transactions }: AccountRegister,
  { balance, difference }: { readonly balance: number; readonly difference: number },
  date: string,
): Finding {
  const search = searchUncleared(difference, date, transactions);
  const { uncleared, searched, sets } = search;
  const result = difference === 0 ? 'agrees' : (resultsBySets[sets.length] ?? 'several_sets');
  const found = result === 'one_set' ? sets.flat() : [];
  const ofOtherSign = difference - 2 * balance;
  const fitsOtherSign =
    (ofOtherSign === 0 && difference !== 0) ||
    (result === 'no_set' && searchUncleared(ofOtherSign, date, transactions).sets.length > 0);
  return {
    comparison: { date, transactions: idsOf(found), rows: [], missing: [] },
    data: {
      result,
      ...(fitsOtherSign && { other_sign: 0 - balance }),
      uncleared,
      searched: searched.length,
      found: countEntries(found),
    },
    lines: (context) => [
      fitsOtherSign && `${otherSignText(balance, context.money)}.`,
      // Then nothing is missing.
      ...(fitsOtherSign && result === 'no_set' ? [] : searchLines[result](search, context)),
    ],
    view: () => searchContent(account, found.length > 0 ? found : searched),
  };
}

const resultsBySets = ['no_set', 'one_set'] as const;

/** What update_transactions needs to mark only some of them. */
export function idsIn(ids: readonly string[], context: TextContext): string {
  // Those that are not shown need no short form, which takes longer to make.
  const shown = ids.map((id, index) => (index < MAX_SHOWN ? context.id('transaction', id) : id));
  return firstOf(shown, MAX_SHOWN).join(', ');
}

const idsOf = (entries: readonly Entry[]) => entries.map(({ id }) => id);

const searchedWords = ({ uncleared, searched }: Search) =>
  uncleared > searched.length
    ? `the newest ${searched.length} of ${uncleared} uncleared transactions`
    : `the ${uncleared} uncleared transactions`;

/** Fewer than the default, since they are no answer. */
const MAX_CANDIDATES = 10;

const searchLines = {
  agrees: ({ uncleared, searched }: Search, context: TextContext) => [
    `The cleared balance agrees with the bank. ${counted(uncleared, 'transaction')} ${uncleared === 1 ? 'is' : 'are'} uncleared${uncleared > 0 ? ':' : '.'}`,
    ...entryLines(searched, context, MAX_CANDIDATES),
    'apply_reconciliation with this balance marks the cleared ones as reconciled.',
  ],
  one_set: (search: Search, context: TextContext) => [
    `Exactly one set of ${searchedWords(search)} makes up the difference:`,
    ...entryLines(search.sets.flat(), context),
    'apply_reconciliation with this balance marks these and the cleared ones as reconciled.',
  ],
  several_sets: (search: Search, context: TextContext) => {
    const [one = [], other = []] = search.sets;
    const both = one.filter((each) => other.includes(each));
    const first = one.filter((each) => !other.includes(each));
    const second = other.filter((each) => !one.includes(each));
    return [
      `Several sets of ${searchedWords(search)} make up the difference, so none is chosen. Two of them:`,
      ...section('In both:', both, context),
      ...section('In the first only:', first, context),
      ...section('In the second only:', second, context),
      'apply_reconciliation takes the right ones as transactions. rows compares the list of the bank.',
    ];
  },
  no_set: (search: Search, context: TextContext) => [
    `No set of ${searchedWords(search)} makes up the difference. A transaction may be missing, entered twice or have another amount: rows compares the list of the bank.`,
    ...entryLines(search.searched, context, MAX_CANDIDATES),
  ],
};

const section = (heading: string, entries: readonly Entry[], context: TextContext) =>
  entries.length === 0 ? [] : [heading, ...entryLines(entries, context)];

interface ComparedRows {
  readonly date: string;
  readonly balance?: number | undefined;
  /** The file that has the rows. No model reads them, unless they were pasted. */
  readonly statement?: string | undefined;
  readonly table?: string | undefined;
  readonly file?: FoundStatement | undefined;
}

export const listLines = (
  date: string,
  { later_rows = 0, left_out = 0, read_as }: z.output<typeof listFacts>,
): TextPart[] => [
  read_as !== undefined &&
    `Read as ${quote(read_as)}, as you said before. enter_statement with forget: true asks again.`,
  later_rows > 0 && `${later_rows} rows after ${date} were not compared.`,
  left_out > 0 &&
    `Left out of the file: ${counted(left_out, 'line')} without a readable date or amount, or not booked.`,
];

/** Rows after the date are not compared, because the balance on that date does not contain them. */
export async function compareRows(
  register: AccountRegister,
  all: readonly BankRow[],
  { date, balance, statement: named, table, file }: ComparedRows,
): Promise<Finding> {
  const rows = all.filter((row) => row.date <= date);
  const compared = await bankThread.compare(rows, register.transactions);
  const { matched, missing, unlisted, mistyped } = compared;
  const missingRows = missing.flatMap((index) => rows[index] ?? []);
  const found = [...matched.values()].filter((entry) => !isCounted(entry, date));
  const chosen = idsOf(found);
  const pairs = [...mistyped].map(([index, entry]) => ({ ...entry, amount_at_bank: rows[index]?.amount }));
  const planned = planReconciliation(register, {
    date,
    chosen: [...chosen, ...idsOf(pairs)],
    entered: missingRows,
  });
  const corrections = sumOf(pairs, ({ amount, amount_at_bank = amount }) => amount_at_bank - amount);
  const clearedAfter = planned.clearedAfter + corrections;
  const later = all.length - rows.length;
  const statement = table === undefined ? named : undefined;
  const isHidden = statement !== undefined;
  const facts = {
    ...(later > 0 && { later_rows: later }),
    ...(file && file.skipped > 0 && { left_out: file.skipped }),
    ...(file?.readAs !== undefined && { read_as: file.readAs }),
  };
  return {
    comparison: {
      date,
      transactions: chosen,
      rows,
      missing: [...missing, ...mistyped.keys()],
      statement,
      facts,
      reading: file?.given,
    },
    data: {
      found: countEntries(found),
      missing_in_account: { ...countRows(missingRows), ...(isHidden && { rows: [] }) },
      missing_in_list: countEntries(unlisted),
      ...(pairs.length > 0 && {
        perhaps_mistyped: { ...countEntries(pairs), ...(isHidden && { transactions: [] }) },
      }),
      ...facts,
      cleared_balance_afterwards: clearedAfter,
    },
    view: () => comparisonContent(register.account, rows, compared, statement),
    lines: (context) => {
      const { money } = context;
      const rest = balance === undefined ? undefined : balance - clearedAfter;
      /** Of a file, only the ids. */
      const listed = (entries: readonly Entry[], inFile: string, heading: string) =>
        isHidden && entries.length > 0
          ? [`${inFile}: ${idsIn(idsOf(entries), context)}.`]
          : section(heading, entries, context);
      return [
        `The list has ${rows.length} rows${rows.length > 0 ? ` from ${datesOf(rows).first} to ${datesOf(rows).last}` : ''}: in the account ${matched.size} (not cleared ${found.length}), missing ${missing.length}.`,
        ...listed(found, 'Not cleared', 'Not cleared, but in the list:'),
        ...listLines(date, facts),
        missing.length > 0 &&
          `Missing in the account, sum ${money(countRows(missingRows).sum)}${isHidden ? '. enter_statement enters them. The user sees the rows in the view, if the host shows one.' : ':'}`,
        ...(isHidden ? [] : rowLines(missingRows, context)),
        ...listed(
          unlisted,
          `In the account in these days but not in the file: ${unlisted.length}`,
          `In the account in these days but not in the list: ${unlisted.length}, sum ${money(countEntries(unlisted).sum)}:`,
        ),
        ...listed(
          pairs,
          `Perhaps mistyped in the account, or there with another day: ${pairs.length}`,
          `Perhaps mistyped, or there with another day: ${pairs.length}. update_transaction corrects it. If both are right, create_transactions enters the one at the bank:`,
        ),
        `With the missing rows entered${pairs.length > 0 ? ', amounts corrected' : ''} and the ${found.length} marked, the cleared balance is ${money(clearedAfter)}${rest === undefined ? '' : rest === 0 ? ', as the bank says' : `; the balance of the bank differs by ${money(rest)}`}.`,
        rest !== undefined &&
          rest !== 0 &&
          balance !== undefined &&
          clearedAfter === -balance &&
          `${otherSignText(balance, money)}.`,
        `apply_reconciliation with the balance of the bank${pairs.length > 0 ? ', once corrected,' : ''} and enter: true does both; without a balance it marks and enters them as cleared, not reconciled.`,
      ];
    },
  };
}
