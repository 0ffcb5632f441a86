/** The answer of `report`, and how it reads: one line for each name with the periods as columns, or one for each period. */
import { z } from 'zod';
import { type FormattedText, joinWords, type TextContext } from '../format/text.ts';
import { addDays, lastOfMonth } from '../platform/calendar.ts';
import { integer, milliunits, orNull, text } from '../schema/fields.ts';

export const reportKinds = z.enum(['spending', 'income', 'both', 'net_worth']);
export const groupings = z.enum(['category', 'group', 'payee', 'account', 'none']);

/** `total` is what was spent or earned, income less spending, or the net worth at the end. */
const totals = {
  total: milliunits,
  transactions: integer.optional(),
  income: milliunits.optional(),
  spending: milliunits.optional(),
  owned: milliunits.optional(),
  owed: milliunits.optional(),
};

/** One amount for each period. */
const amounts = z.array(milliunits);

const reportRow = z.object({
  /** Null for lines without a category, or without a payee. */
  id: orNull(text),
  name: text,
  total: milliunits,
  transactions: integer.optional(),
  amounts,
});

const limit = z.object({
  kind: z.enum(['account', 'category', 'category_group', 'payee']),
  id: text,
  name: text,
});

export const reportSchema = z.object({
  of: reportKinds,
  by: groupings,
  since: text,
  until: text,
  /** What the report is limited to. */
  only: z.array(limit),
  ...totals,
  /** The change of the net worth within the range. */
  change: milliunits.optional(),
  /** The part of the spending that is transfers to tracking accounts, less those from them. */
  to_tracking_accounts: milliunits.optional(),
  periods: z.array(z.object({ period: text, ...totals })),
  rows: z.array(reportRow),
  /** The rows that were cut. */
  more: z.object({ rows: integer, total: milliunits, amounts }).optional(),
  /** Set if the range was to begin before the first transaction. */
  first_transaction: text.optional(),
});

export type Report = z.output<typeof reportSchema>;
export type ReportRow = Report['rows'][number];
export type Totals = Pick<Report, keyof typeof totals>;

export function reportText(report: Report, context: TextContext): FormattedText {
  const { of, by, since, until, only, first_transaction } = report;
  return {
    heading: [
      joinWords(subjects[of], by !== 'none' && `by ${by}`),
      of === 'net_worth' && report.periods.length === 1 ? `end of ${until}` : rangeText(since, until),
      ...only.map(({ kind, id, name }) => `${kind.replace('_', ' ')} ${context.withId(kind, id, name)}`),
      ...totalParts(report, context),
    ],
    lines: [
      ...(by === 'none' ? periodLines(report, context) : rowLines(report, context)),
      ...(first_transaction === undefined ? [] : [`The first transaction is of ${first_transaction}.`]),
    ],
  };
}

const subjects: Readonly<Record<Report['of'], string>> = {
  spending: 'spending',
  income: 'income',
  both: 'income and spending',
  net_worth: 'net worth',
};

/** Whole months are written as months. */
function rangeText(since: string, until: string): string {
  const [from, to] = [since.slice(0, 7), until.slice(0, 7)];
  const isWhole = since.endsWith('-01') && until === lastOfMonth(to);
  const [first, last] = isWhole ? [from, to] : [since, until];
  return first === last ? first : `${first} to ${last}`;
}

const counted = (transactions = 0) => `${transactions} transaction${transactions === 1 ? '' : 's'}`;

function totalParts(report: Report, { money }: TextContext): string[] {
  const { of, since, total, transactions, income = 0, spending = 0, owned = 0, owed = 0, change } = report;
  const { to_tracking_accounts: tracking } = report;
  const ofWhich = tracking === undefined ? '' : `, of which ${money(tracking)} to tracking accounts`;
  if (of === 'both')
    return [`income ${money(income)}`, `spending ${money(spending)}${ofWhich}`, `difference ${money(total)}`];
  if (of !== 'net_worth') return [`total ${money(total)} (${counted(transactions)})${ofWhich}`];
  const changed = change === undefined ? [] : [`change ${money(change)} since ${addDays(since, -1)}`];
  return [`${money(total)}: owned ${money(owned)}, owed ${money(owed)}`, ...changed];
}

/** Without names: one line for each period. */
function periodLines({ of, periods }: Report, { money }: TextContext): string[] {
  if (periods.length === 1) return [];
  const first = periods[0]?.period.length === 4 ? 'year' : 'month';
  if (of === 'both')
    return [
      `${first} income spending difference`,
      ...periods.map(
        ({ period, income = 0, spending = 0, total }) =>
          `${period} ${money(income)} ${money(spending)} ${money(total)}`,
      ),
    ];
  if (of === 'net_worth')
    return [
      `${first} owned owed net`,
      ...periods.map(
        ({ period, owned = 0, owed = 0, total }) =>
          `${period} ${money(owned)} ${money(owed)} ${money(total)}`,
      ),
    ];
  return [
    `${first} amount (transactions)`,
    ...periods.map(({ period, total, transactions }) => `${period} ${money(total)} (${transactions})`),
  ];
}

function rowLines(report: Report, context: TextContext): string[] {
  const { of, by, periods, rows, more, total } = report;
  const isTable = periods.length > 1;
  const cells = (row: Omit<ReportRow, 'id' | 'name'>) => cellsOf(report, row, context);
  const head = isTable
    ? [
        joinWords(by, of !== 'net_worth' && 'total', ...columnNames(periods.map(({ period }) => period))),
        `all: ${cells({ total, amounts: periods.map((each) => each.total) })}`,
      ]
    : [];
  const rest = more ? [`${more.rows} more: ${cells(more)}`] : [];
  return [...head, ...rows.map((row) => rowLine(report, row, context)), ...rest];
}

/** The line of one row. */
export const rowLine = (report: Pick<Report, 'of' | 'by'>, row: ReportRow, context: TextContext) =>
  `${nameOf(report, row, context)} ${cellsOf(report, row, context)}`;

function nameOf({ by }: Pick<Report, 'by'>, { id, name }: ReportRow, context: TextContext): string {
  if (id === null || by === 'none') return name;
  return context.withId(by === 'group' ? 'category_group' : by, id, name);
}

/** Balances of several months do not add up to anything. */
function cellsOf(
  { of }: Pick<Report, 'of'>,
  { total, transactions, amounts }: Omit<ReportRow, 'id' | 'name'>,
  { money }: TextContext,
): string {
  if (amounts.length > 1) return (of === 'net_worth' ? amounts : [total, ...amounts]).map(money).join(' ');
  return joinWords(money(total), transactions !== undefined && `(${transactions})`);
}

/** Months leave out a year that is the same as before: `2025-12 2026-01 02 03`. */
const columnNames = (names: readonly string[]) =>
  names.map((name, index) => {
    const year = names[index - 1]?.slice(0, 4);
    return name.length > 4 && name.slice(0, 4) === year ? name.slice(5) : name;
  });
