/** Draws a report: its sums, the months around it, and its rows. */
import type { ReportContent } from '../features/report/report-schema.ts';
import { figure, figures, leftOutRemark, name, note, remark } from './element.ts';
import { signed } from './money.ts';
import type { Drawing, Drawn, Question } from './page.ts';
import { type PeriodOfChart, periodChart } from './period-chart.ts';
import { groupingIn, reportTable } from './report-table.ts';

const titles: Readonly<Record<ReportContent['of'], string>> = {
  spending: 'Spending',
  income: 'Income',
  both: 'Income and spending',
  net_worth: 'Net worth',
};

export function drawReport(content: ReportContent, drawing: Drawing): Drawn {
  const { of, by, only, since, until } = content;
  const { dates } = drawing;
  const when =
    of === 'net_worth' && !content.monthly ? `End of ${dates.day(until)}` : dates.range(since, until);
  return {
    title: by === 'none' ? titles[of] : `${titles[of]} by ${groupingIn(content)}`,
    subtitle: [
      when,
      ...only.flatMap((each) => [' · ', name(each.name)]),
      ...(content.flag_color === undefined ? [] : [` · ${content.flag_color} flag`]),
      ...(content.text === undefined ? [] : [' · “', name(content.text), '”']),
    ],
    body: [
      totalsOf(content, drawing),
      content.periods.length > 1 && chartOf(content, drawing),
      content.rows.length > 0 && reportTable(content, drawing),
      content.rows.length === 0 && by !== 'none' && remark('Nothing in these days.'),
      leftOutRemark(content.leftOut),
    ],
  };
}

function totalsOf(content: ReportContent, { money, count, dates }: Drawing) {
  const { of, total, transactions, income = 0, spending = 0, owned = 0, owed = 0, change } = content;
  const { to_tracking_accounts: tracking, versus, since, starting_balances, adjustments } = content;
  const set = [
    starting_balances !== undefined && note(`of which ${money(starting_balances)} starting balances`),
    adjustments !== undefined && note(`of which ${money(adjustments)} adjustments of balances`),
    content.is_income_unknown === true && note('its category was not recognised'),
  ];
  const before = versus && note(`${money(versus.total)} in ${dates.range(versus.since, versus.until)}`);
  const toTracking = tracking !== undefined && note(`of which ${money(tracking)} to tracking accounts`);
  const counted =
    transactions !== undefined && note(`${count(transactions)} transaction${transactions === 1 ? '' : 's'}`);
  const figuresOf = {
    spending: () => [figure('Spent', money(total), 'main', counted, before, toTracking)],
    income: () => [figure('Earned', money(total), 'main', counted, before, ...set)],
    both: () => [
      figure('Difference', money(total), total < 0 ? 'main bad' : 'main good', before),
      figure('Income', money(income), '', ...set),
      figure('Spending', money(spending), '', toTracking),
    ],
    net_worth: () => [
      figure('Net worth', money(total), 'main'),
      change !== undefined &&
        figure(`Change since ${dates.day(since)}`, signed(money, change), change < 0 ? 'bad' : 'good'),
      figure('Owned', money(owned)),
      figure('Owed', money(owed)),
    ],
  };
  return figures(...figuresOf[of]());
}

function chartOf(content: ReportContent, drawing: Drawing) {
  const { of, periods } = content;
  const { money, ask } = drawing;
  const columns = periods.map(({ period, isShown, total, income = 0, spending = 0, owned = 0, owed = 0 }) => {
    const forms: Readonly<Record<ReportContent['of'], Omit<PeriodOfChart, 'period' | 'isShown'>>> = {
      spending: { bars: [{ kind: 'spending', amount: total }], text: money(total) },
      income: { bars: [{ kind: 'income', amount: total }], text: money(total) },
      both: {
        bars: [
          { kind: 'income', amount: income },
          { kind: 'spending', amount: spending },
        ],
        text: `income ${money(income)}, spending ${money(spending)}`,
      },
      net_worth: {
        bars: [
          { kind: 'owned', amount: owned },
          { kind: 'owed', amount: -owed },
        ],
        text: money(total),
        line: total,
      },
    };
    return { period, isShown: isShown && !content.monthly, ...forms[of] };
  });
  return periodChart(
    columns,
    { caption: columns[0]?.period.length === 4 ? 'By year' : 'By month', isOpen: content.by === 'none' },
    drawing,
    ask && ((period) => ask(inPeriod(content, drawing.question, period))),
  );
}

/** The same report for one month, or for the months of a year. */
function inPeriod(content: ReportContent, { tool, args }: Question, period: string): Question {
  const isYear = period.length === 4;
  const { cursor: _, top: __, monthly: ___, versus: ____, ...rest } = args;
  const by = content.by === 'none' && content.of === 'spending' ? 'category' : content.by;
  return {
    tool,
    args: {
      ...rest,
      by,
      since: isYear ? `${period}-01` : period,
      until: isYear ? `${period}-12` : period,
      ...(isYear && { monthly: true }),
    },
  };
}
