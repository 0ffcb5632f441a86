/** How the answer of `report` reads: one line for each name with the periods as columns, or one for each period. */
import { leftOutLine } from '../../answers/left-out.ts';
import {
  counted,
  type FormattedText,
  joinWords,
  present,
  quote,
  type TextContext,
  type TextPart,
  word,
} from '../../answers/text.ts';
import { addDays, lastOfMonth } from '../../base/calendar.ts';
import { groupingOf } from './groupings.ts';
import { factLines } from './report-facts.ts';
import type { Report, ReportRow, Totals } from './report-schema.ts';

export function reportText(report: Report, context: TextContext): FormattedText {
  const {
    of,
    by,
    since,
    until,
    is_default_range,
    only,
    text,
    flag_color,
    versus,
    periods,
    first_transaction,
  } = report;
  const isByYear = periods.length > 1 && periods[0]?.period.length === 4;
  const range = of === 'net_worth' && periods.length === 1 ? `end of ${until}` : rangeText(since, until);
  const before = versus && {
    range: rangeText(versus.since, versus.until),
    totals: totalParts({ ...versus, of }, context).join(', '),
  };
  return {
    heading: [
      joinWords(subjects[of], by !== 'none' && `by ${by}`),
      is_default_range === true ? `${range} (no dates were given)` : range,
      ...only.map(({ kind, id, name }) => `${kind.replace('_', ' ')} ${context.withId(kind, id, name)}`),
      text !== undefined && `text ${quote(text)}`,
      flag_color !== undefined && `${flag_color} flag`,
      ...totalParts(report, context),
      ...partsAtEnd(report, context),
      before && `${before.range}: ${before.totals}`,
      versus && `change ${context.money(report.total - versus.total)}`,
    ],
    lines: [
      report.is_income_unknown === true && INCOME_UNKNOWN,
      ...(by === 'none' || isOfOneCategory(report)
        ? periodLines(report, context)
        : rowLines(report, context)),
      isByYear && 'By year, because the range has more than 24 months.',
      ...factLines(report, context),
      leftOutLine(report.left_out ?? [], context),
      first_transaction !== undefined && `The first transaction is of ${first_transaction}.`,
    ],
  };
}

/** Its row by category would repeat its months. */
const isOfOneCategory = ({ by, only: [first, second], periods }: Report) =>
  by === 'category' && first?.kind === 'category' && !second && periods.length > 1;

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

type ReportTotals = Totals & Pick<Report, 'of' | 'since' | 'change' | 'to_tracking_accounts' | 'refunds'>;

function totalParts(report: ReportTotals, { money }: TextContext): string[] {
  const { of, since, total, transactions, income = 0, spending = 0, owned = 0, owed = 0, change } = report;
  const { to_tracking_accounts: tracking } = report;
  const ofWhich = tracking === undefined ? '' : `, of which ${money(tracking)} to tracking accounts`;
  if (of === 'both')
    return [
      `income ${money(income)}${balanceText(report, money)}`,
      `spending ${money(spending)}${ofWhich}`,
      `difference ${money(total)}`,
    ];
  if (of !== 'net_worth')
    return [
      `total ${money(total)} (${counted(transactions ?? 0, 'transaction')})${refundText(report, money)}${ofWhich}${balanceText(report, money)}`,
    ];
  const changed = change === undefined ? [] : [`change ${money(change)} since ${addDays(since, -1)}`];
  return [`${money(total)}: owned ${money(owned)}, owed ${money(owed)}`, ...changed];
}

/** Says also that there were none, because the number of purchases is asked for. */
function refundText({ refunds, total, transactions }: ReportTotals, money: TextContext['money']): string {
  if (!refunds || transactions === 0) return '';
  if (refunds.transactions === 0) return ', no refunds';
  return `, ${money(total + refunds.amount)} less refunds of ${money(refunds.amount)} (${refunds.transactions})`;
}

/** The parts of an income that only set the balances of accounts. */
function balanceText({ starting_balances, adjustments }: Totals, money: TextContext['money']): string {
  const parts = present([
    starting_balances !== undefined && `${money(starting_balances)} starting balances`,
    adjustments !== undefined && `${money(adjustments)} adjustments of balances`,
  ]);
  return parts.length > 0 ? `, of which ${parts.join(' and ')}` : '';
}

const INCOME_UNKNOWN =
  'The category that income has could not be recognised in this budget, so no income was found: what came in is not known.';

function partsAtEnd(report: Report, { money }: TextContext): TextPart[] {
  const { until, budgeted, left, balance, transferred_in = 0, transferred_out = 0 } = report;
  return [
    budgeted !== undefined &&
      left !== undefined &&
      `budgeted ${money(budgeted)}, left on ${until} ${money(left)}`,
    balance !== undefined && `transferred in ${money(transferred_in)}, out ${money(transferred_out)}`,
    balance !== undefined && `balance on ${until} ${money(balance)}`,
  ];
}

/** Without names: one line for each period. */
function periodLines({ of, periods, budgeted }: Report, { money }: TextContext): string[] {
  if (periods.length === 1) return [];
  const first = periods[0]?.period.length === 4 ? 'year' : 'month';
  const table = (columns: string, cellsOf: (period: Totals) => string) => [
    `${first} ${columns}`,
    ...periods.map((each) => `${each.period} ${cellsOf(each)}${balanceText(each, money)}`),
  ];
  const cells = (...amounts: readonly number[]) => amounts.map(money).join(' ');
  if (of === 'both')
    return table('income spending difference', ({ income = 0, spending = 0, total }) =>
      cells(income, spending, total),
    );
  if (of === 'net_worth')
    return table('owned owed net', ({ owned = 0, owed = 0, total }) => cells(owned, owed, total));
  const columns = budgeted === undefined ? '' : BUDGET_COLUMNS;
  return table(
    `amount (transactions)${columns}`,
    (each) => `${money(each.total)} (${each.transactions})${budgetCells(each, { money })}`,
  );
}

const BUDGET_COLUMNS = ' budgeted left';

const budgetCells = (
  { budgeted, left }: Pick<Totals, 'budgeted' | 'left'>,
  { money }: Pick<TextContext, 'money'>,
) => (budgeted === undefined || left === undefined ? '' : ` ${money(budgeted)} ${money(left)}`);

function rowLines(report: Report, context: TextContext): string[] {
  const { of, by, periods, rows, more, total, versus } = report;
  const isTable = periods.length > 1;
  const cells = (row: Omit<ReportRow, 'id' | 'name'>) => cellsOf(report, row, context);
  const head = isTable
    ? [
        joinWords(by, of !== 'net_worth' && 'total', ...columnNames(periods.map(({ period }) => period))),
        `all: ${cells({ total, amounts: periods.map((each) => each.total) })}`,
      ]
    : versus
      ? [`${by} amount before change`]
      : rows.some(({ budgeted }) => budgeted !== undefined)
        ? [`${by} amount (transactions)${BUDGET_COLUMNS}`]
        : [];
  const rest = more ? [`${more.rows} more: ${cells(more)}; with cursor ${more.next_cursor}`] : [];
  return [...head, ...rows.map((row) => rowLine(report, row, context)), ...rest];
}

/** The line of one row. */
export const rowLine = (report: Pick<Report, 'of' | 'by'>, row: ReportRow, context: TextContext) =>
  `${nameOf(report, row, context)} ${cellsOf(report, row, context)}`;

function nameOf({ by }: Pick<Report, 'by'>, { id, name }: ReportRow, context: TextContext): string {
  const { kind } = groupingOf(by);
  if (id === null) return name;
  return kind === undefined ? word(name) : context.withId(kind, id, name);
}

/** Balances of several months do not add up to anything. */
function cellsOf(
  { of }: Pick<Report, 'of'>,
  row: Omit<ReportRow, 'id' | 'name'>,
  context: TextContext,
): string {
  const { total, transactions, before, amounts } = row;
  const { money } = context;
  if (before !== undefined) return [total, before, total - before].map(money).join(' ');
  if (amounts.length > 1) return (of === 'net_worth' ? amounts : [total, ...amounts]).map(money).join(' ');
  return (
    joinWords(money(total), transactions !== undefined && `(${transactions})`) + budgetCells(row, context)
  );
}

/** Months leave out a year that is the same as before: `2025-12 2026-01 02 03`. */
const columnNames = (names: readonly string[]) =>
  names.map((name, index) => {
    const year = names[index - 1]?.slice(0, 4);
    return name.length > 4 && name.slice(0, 4) === year ? name.slice(5) : name;
  });
