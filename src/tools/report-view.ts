/** What the view of `report` draws: the whole report, what was budgeted, and months around it to pick. */
import { addMonths, firstOfMonth, lastOfMonth } from '../platform/calendar.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import { budgetedByCategory } from '../reports/budgeted-by-category.ts';
import { periodsOf, rangeOf } from '../reports/periods.ts';
import type { ContentOf } from '../view-data/view-data.ts';
import type { Report } from './report-answer.ts';
import { type FiguresQuery, figuresOf } from './report-figures.ts';
import { fittingRows, shownName } from './view-texts.ts';

export interface ReportToDraw {
  /** With all rows. */
  readonly report: Report;
  readonly replica: BudgetReplica;
  readonly query: FiguresQuery;
  readonly monthly: boolean;
}

/** The rest of the data of a view is for the months and the names of the limits. */
const ROWS_CHARACTERS = 80_000;

export function reportContent({ report, replica, query, monthly }: ReportToDraw): ContentOf<'report'> {
  const { only, text, rows: all, periods, more: _, names_with_words: __, ...figures } = report;
  const budgeted = isBudgeted(report, replica, query)
    ? budgetedByCategory(replica, report.since.slice(0, 7), report.until.slice(0, 7))
    : undefined;
  const shown = fittingRows(
    all.map(({ id, name, total, transactions }) => ({
      id,
      name: shownName(name),
      total,
      transactions,
      ...(budgeted && id !== null && { budgeted: budgeted.get(id) ?? 0 }),
    })),
    ROWS_CHARACTERS,
  );
  const rest = all.slice(shown.length);
  return {
    kind: 'report',
    ...figures,
    monthly,
    only: only.map((each) => ({ ...each, name: shownName(each.name) })),
    ...(text !== undefined && { text: shownName(text) }),
    periods: monthly
      ? periods.map((each) => ({ ...each, isShown: true }))
      : monthsAround(report, replica, query),
    rows: [...shown],
    ...(rest.length > 0 && {
      more: { rows: rest.length, total: rest.reduce((sum, { total }) => sum + total, 0) },
    }),
  };
}

/** Budgeted amounts are those of whole categories in whole months. The last month may still be going on. */
const isBudgeted = (
  { of, by, since, until }: Report,
  replica: BudgetReplica,
  { payee, account, text }: FiguresQuery,
) =>
  of === 'spending' &&
  (by === 'category' || by === 'group') &&
  since.endsWith('-01') &&
  (until === lastOfMonth(until) || until >= newestDay(replica, until)) &&
  (payee ?? account ?? text) === undefined;

/** The day of the newest transaction. */
const newestDay = (replica: BudgetReplica, otherwise: string) =>
  replica.transactions.list({})[0]?.date ?? otherwise;

/** Twelve months that end with the newest one, or with the last one of the report if that is long ago. */
function monthsAround(
  { since, until }: Report,
  replica: BudgetReplica,
  query: FiguresQuery,
): ContentOf<'report'>['periods'] {
  const transactions = replica.transactions.list({});
  const first = transactions.at(-1)?.date ?? until;
  const newest = newestDay(replica, until);
  const last = until > newest ? until : newest;
  const isRecent = since >= addMonths(last, -11);
  const end = isRecent ? last : lastOfMonth(until);
  const range = rangeOf({ since: addMonths(firstOfMonth(end), -11), until: end, monthly: true }, first, end);
  const months = periodsOf(range);
  return figuresOf(replica, months, { ...query, by: 'none' }).periods.map((each) => ({
    ...each,
    isShown: each.period >= since.slice(0, 7) && each.period <= until.slice(0, 7),
  }));
}
