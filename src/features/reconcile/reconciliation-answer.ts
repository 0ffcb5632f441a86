/** The outcome and the preview of a reconciliation, as data, as lines and as what their view draws. */
import { z } from 'zod';
import { MAX_SHOWN, rowLines } from '../../answers/row-lines.ts';
import { firstOf, quote, type TextContext, type TextPart, word } from '../../answers/text.ts';
import type { WriteContent } from '../../answers/view-data/write-content.ts';
import { outcomeShape, type WriteReport } from '../../answers/write-report.ts';
import { writeFields } from '../../answers/write-result.ts';
import { changeOf, type NameOf, writeContent } from '../../answers/write-view.ts';
import type { JsonObject } from '../../base/json.ts';
import { integer, milliunits, text } from '../../base/schema/fields.ts';
import type { CallResult } from '../../session/call-result.ts';
import { countKnown, newPayeesIn } from './bank-entries.ts';
import { idsIn, listFacts, listLines } from './bank-findings.ts';
import { countEntries, countedEntries, countedRows, countRows, entryLines } from './bank-lines.ts';
import { notEntered, type PreparedReconciliation } from './prepare-reconciliation.ts';

const summary = z.object({
  account_id: text,
  account_name: text,
  date: text,
  /** Missing if transactions were marked as cleared only. */
  balance: milliunits.optional(),
  /** Read after the write. Missing if it could not be read. */
  cleared_balance: milliunits.optional(),
  marked: integer,
  marked_uncleared: integer,
  entered: integer,
  /** Missing rows that the account perhaps has with a mistyped amount. */
  not_entered: integer.optional(),
  ...listFacts.shape,
  /** How many of the entered rows have a payee and its category, and how many a person has to look at. */
  known: z.object({ with_payee: integer, with_category: integer, need_look: integer }).optional(),
  /** The names of those that the rows name, and that are new. */
  new_payees: z.array(text).optional(),
  /** The ids of the rows to look at. */
  need_look: z.array(text).optional(),
});

export type ReconciliationSummary = z.output<typeof summary>;

const { possible_duplicates, problems } = writeFields;

export const reconciliationFields = {
  ...outcomeShape,
  possible_duplicates,
  problems,
  ...summary.shape,
  /** For a dry run: what would be marked and entered, and the cleared balance after it. */
  uncleared: countedEntries.optional(),
  rows: countedRows.optional(),
  cleared_balance_afterwards: milliunits.optional(),
};

/** The fields that an outcome and a preview have in common. */
export const commonFields = ({ account, date, balance, mistyped, facts }: PreparedReconciliation) => ({
  account_id: account.id,
  account_name: account.name,
  date,
  ...(balance !== undefined && { balance }),
  ...(mistyped > 0 && { not_entered: mistyped }),
  ...facts,
});

const notEnteredLines = ({
  date,
  not_entered = 0,
  ...rest
}: Pick<ReconciliationSummary, 'date' | 'not_entered' | keyof typeof listFacts.shape>): TextPart[] => [
  not_entered > 0 && `Rows ${notEntered(not_entered)}.`,
  ...listLines(date, rest),
];

/** `prepared` is undefined for the outcome of an earlier call. */
export function writtenReport(
  result: CallResult<JsonObject>,
  prepared: PreparedReconciliation | undefined,
  nameOf: NameOf,
): WriteReport {
  const done = summary.parse(result.data);
  const { possibleDuplicates = [] } = result;
  const { date, balance, cleared_balance, marked, entered, known, need_look = [], new_payees = [] } = done;
  const balanceLine = ({ money }: TextContext) =>
    cleared_balance === undefined
      ? 'The cleared balance could not be read afterwards.'
      : balance === undefined
        ? `The cleared balance on ${date} is ${money(cleared_balance)}.`
        : cleared_balance === balance
          ? `The cleared balance on ${date} is ${money(balance)}, as the bank says.`
          : `The cleared balance on ${date} is ${money(cleared_balance)}, but the bank says ${money(balance)}: the account has been changed meanwhile. reconcile_account compares them again.`;
  return {
    data: {
      ...done,
      ...(possibleDuplicates.length > 0 && { possible_duplicates: possibleDuplicates }),
    },
    ...(prepared && { view: () => reconciliationContent(prepared, 'written', nameOf) }),
    heading: (context) => [context.withId('account', done.account_id, done.account_name)],
    lines: (context) => [
      balance === undefined
        ? `Marked as cleared: ${marked}. Entered as cleared: ${entered}.`
        : `Marked as reconciled: ${marked}, of which ${done.marked_uncleared} were uncleared. Entered: ${entered}.`,
      marked + entered === 0 && 'Nothing is left to enter.',
      ...notEnteredLines(done),
      balanceLine(context),
      known && knownLine(known, idsIn(need_look, context)),
      newPayeesLine(new_payees),
      possibleDuplicates.length > 0 &&
        `Possible duplicates of what was entered: ${possibleDuplicates.map(word).join(', ')}.`,
      prepared?.inParts,
    ],
  };
}

const newPayeesLine = (names: readonly string[]): TextPart =>
  names.length > 0 && `New payees: ${firstOf(names.map(quote), MAX_SHOWN).join(', ')}.`;

/** `ids` are the transactions to look at, once they are entered. */
const knownLine = (
  { with_payee, with_category, need_look }: NonNullable<ReconciliationSummary['known']>,
  ids = '',
) =>
  `Of what is entered, ${with_payee} have a payee, as given or as earlier rows, and ${with_category} a category. Without one, for the user to look at: ${need_look}${ids && ` (${ids})`}. None is approved.`;

export function plannedReport(
  prepared: PreparedReconciliation,
  { title }: { readonly title: string },
  problems: readonly string[],
  nameOf: NameOf,
): WriteReport {
  const { account, date, entries, rows, state, isHidden, inParts } = prepared;
  const { marked, clearedBefore, clearedAfter } = prepared.reconciliation;
  const uncleared = marked.filter(({ cleared }) => cleared === 'uncleared');
  const cleared = marked.length - uncleared.length;
  return {
    asked: `${title} of ${quote(account.name)}`,
    view: () =>
      reconciliationContent(
        { ...prepared, problems: [...problems] },
        problems.length > 0 ? 'refused' : 'preview',
        nameOf,
      ),
    data: {
      ...commonFields(prepared),
      cleared_balance: clearedBefore,
      cleared_balance_afterwards: clearedAfter,
      marked: marked.length,
      marked_uncleared: uncleared.length,
      entered: rows.length,
      ...(rows.length > 0 && { known: countKnown(entries, account) }),
      uncleared: countEntries(uncleared),
      rows: { ...countRows(rows), ...(isHidden && { rows: [] }) },
    },
    heading: (context) => [context.withId('account', account.id, account.name)],
    lines: (context) => [
      `To be marked as ${state}: ${cleared} cleared and ${uncleared.length} uncleared transactions.`,
      ...entryLines(uncleared, context),
      rows.length > 0 &&
        `To be entered as ${state}: ${rows.length}, sum ${context.money(countRows(rows).sum)}${isHidden ? '. The rows are in the file, and in the view.' : ':'}`,
      ...(isHidden ? [] : rowLines(rows, context)),
      rows.length > 0 && knownLine(countKnown(entries, account)),
      newPayeesLine(newPayeesIn(entries)),
      ...notEnteredLines(commonFields(prepared)),
      `Cleared balance on ${date}: now ${context.money(clearedBefore)}, afterwards ${context.money(clearedAfter)}.`,
      inParts,
    ],
  };
}

/** What the view draws of a reconciliation. */
export function reconciliationContent(
  { account, balance, date, entries, problems, reconciliation, state }: PreparedReconciliation,
  outcome: 'preview' | 'written' | 'refused',
  nameOf: NameOf,
): WriteContent {
  const { marked } = reconciliation;
  const uncleared = marked.filter(({ cleared }) => cleared === 'uncleared');
  const isRefused = outcome === 'refused';
  return writeContent({
    title: [
      'Reconcile ',
      account.name,
      ...(balance === undefined ? [] : [' at ', { amount: balance }]),
      ', ',
      date,
    ],
    state: outcome,
    changes: [
      ...entries.map((entry) => changeOf(undefined, undefined, { ...entry }, nameOf)),
      ...uncleared.map(({ payee_name, date: day, amount }) =>
        changeOf({ payee_name, date: day, amount }, { status: 'uncleared' }, { status: state }),
      ),
    ],
    balances: isRefused ? [] : [{ kind: 'account', name: account.name, after: reconciliation.clearedAfter }],
    notes: isRefused ? problems : [`${marked.length} transactions until ${date} are marked as ${state}.`],
  });
}
