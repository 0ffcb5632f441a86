/** What the view of `report` draws: the whole report, what was budgeted, and months around it to pick. */

import { namesOf } from '../../answers/left-out.ts';
import { fittingRows, shownName } from '../../answers/view-texts.ts';
import { addMonths, lastOfMonth } from '../../base/calendar.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { budgetedBy, isBudgeted, newestDay } from './budgeted-categories.ts';
import { groupingOf } from './groupings.ts';
import { periodsOf, rangeOf } from './periods.ts';
import { type FiguresQuery, figuresOf } from './report-figures.ts';
import type { Report, ReportContent } from './report-schema.ts';

/** The rest of the data of a view is for the months and the names of the limits. */
const ROWS_CHARACTERS = 80_000;

/** `report` has all rows. */
export function reportContent(
  report: Report,
  replica: BudgetReplica,
  query: FiguresQuery,
  monthly: boolean,
): ReportContent {
  const { only, text, rows: all, periods } = report;
  const hasBudget =
    report.of === 'spending' &&
    groupingOf(report.by).ofCategory !== undefined &&
    isBudgeted(replica, report, query);
  const budgeted = hasBudget ? budgetedBy(replica, report, query) : undefined;
  const shown = fittingRows(
    all.map(({ id, name, total, transactions }) => ({
      id,
      name: shownName(name),
      total,
      transactions,
      ...(budgeted && id !== null && { budgeted: budgeted.get(id)?.budgeted ?? 0 }),
    })),
    ROWS_CHARACTERS,
  );
  const rest = all.slice(shown.length);
  return {
    ...report,
    kind: 'report',
    leftOut: namesOf(report.left_out ?? []),
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

/** Twelve months that end with the newest one, or with the last one of the report if that is long ago. */
function monthsAround(
  { since, until }: Report,
  replica: BudgetReplica,
  query: FiguresQuery,
): ReportContent['periods'] {
  const transactions = replica.transactions.list({});
  const first = transactions.at(-1)?.date ?? until;
  const newest = newestDay(replica, until);
  const last = until > newest ? until : newest;
  const isRecent = since >= addMonths(last, -11);
  const end = isRecent ? last : lastOfMonth(until);
  const months = periodsOf(rangeOf({ until: end, monthly: true }, first, end));
  return figuresOf(replica, months, { ...query, by: 'none' }).periods.map((each) => ({
    ...each,
    isShown: each.period >= since.slice(0, 7) && each.period <= until.slice(0, 7),
  }));
}
