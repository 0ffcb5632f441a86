/** Draws a report: rows with bars, and the months around it. */
import type { ReportContent } from '../view-data/report-content.ts';
import { amountBar, amountCell, columnHead, firstRows, rowName } from './amount-bar.ts';
import { type Child, el, name, phrase } from './element.ts';
import type { Drawing, Drawn, Question } from './page.ts';
import { type Bar, type PeriodOfChart, periodChart } from './period-chart.ts';

const titles: Readonly<Record<ReportContent['of'], string>> = {
  spending: 'Spending',
  income: 'Income',
  both: 'Income and spending',
  net_worth: 'Net worth',
};

const columns: Readonly<Record<ReportContent['by'], string>> = {
  category: 'Category',
  group: 'Group',
  payee: 'Payee',
  account: 'Account',
  none: 'Month',
};

export function drawReport(content: ReportContent, drawing: Drawing): Drawn {
  const { of, by, only, since, until } = content;
  const { dates } = drawing;
  const when =
    of === 'net_worth' && !content.monthly ? `End of ${dates.day(until)}` : dates.range(since, until);
  return {
    title: by === 'none' ? titles[of] : `${titles[of]} by ${columns[by].toLowerCase()}`,
    subtitle: [when, ...only.flatMap((each) => [' · ', name(each.name)])],
    body: [
      totalsOf(content, drawing),
      content.periods.length > 1 && chartOf(content, drawing),
      content.rows.length > 0 && tableOf(content, drawing),
      content.rows.length === 0 && by !== 'none' && el('p', { class: 'empty' }, 'Nothing in these days.'),
    ],
  };
}

function totalsOf(content: ReportContent, { money, dates }: Drawing) {
  const { of, total, transactions, income = 0, spending = 0, owned = 0, owed = 0, change } = content;
  const { to_tracking_accounts: tracking } = content;
  const toTracking =
    tracking !== undefined && el('small', {}, phrase(`of which ${money(tracking)} to tracking accounts`));
  const figure = (label: string, amount: number, kind = '', notes: readonly Child[] = []) =>
    el(
      'div',
      { class: kind },
      el('dt', {}, label),
      el('dd', {}, el('span', { class: 'money' }, money(amount)), ...notes),
    );
  const counted =
    transactions !== undefined &&
    el('small', {}, phrase(`${dates.count(transactions)} transaction${transactions === 1 ? '' : 's'}`));
  const figures = {
    spending: () => [figure('Spent', total, 'main', [counted, toTracking])],
    income: () => [figure('Earned', total, 'main', [counted])],
    both: () => [
      figure('Difference', total, total < 0 ? 'main bad' : 'main good'),
      figure('Income', income),
      figure('Spending', spending, '', [toTracking]),
    ],
    net_worth: () => [
      figure('Net worth', total, 'main', [
        change !== undefined &&
          change !== 0 &&
          el('small', {}, phrase(`${change > 0 ? '+' : ''}${money(change)} in this time`)),
      ]),
      figure('Owned', owned),
      figure('Owed', owed),
    ],
  };
  return el('dl', { class: 'figures' }, ...figures[of]());
}

function chartOf(content: ReportContent, drawing: Drawing) {
  const { of, periods } = content;
  const { money } = drawing;
  const bars = ({
    total,
    income = 0,
    spending = 0,
    owned = 0,
    owed = 0,
  }: ReportContent['periods'][number]): Bar[] => {
    if (of === 'both')
      return [
        { kind: 'income', amount: income },
        { kind: 'spending', amount: spending },
      ];
    if (of === 'net_worth')
      return [
        { kind: 'owned', amount: owned },
        { kind: 'owed', amount: -owed },
      ];
    return [{ kind: of, amount: total }];
  };
  const text = ({ total, income = 0, spending = 0 }: ReportContent['periods'][number]) =>
    of === 'both' ? `income ${money(income)}, spending ${money(spending)}` : money(total);
  const columns = periods.map(
    (each): PeriodOfChart => ({
      period: each.period,
      isShown: each.isShown && !content.monthly,
      bars: bars(each),
      text: text(each),
      ...(of === 'net_worth' && { line: each.total }),
    }),
  );
  const { ask } = drawing;
  const options = {
    caption: columns[0]?.period.length === 4 ? 'By year' : 'By month',
    isOpen: content.by === 'none',
    ...(of === 'net_worth' && { line: 'Net worth' }),
  };
  return periodChart(
    columns,
    options,
    drawing,
    ask && ((period) => ask(inPeriod(content, drawing.question, period))),
  );
}

/** The same report for one month, or for the months of a year. */
function inPeriod(content: ReportContent, { tool, args }: Question, period: string): Question {
  const isYear = period.length === 4;
  const { cursor: _, top: __, monthly: ___, ...rest } = args;
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

function tableOf(content: ReportContent, drawing: Drawing) {
  const { of, by, rows, more, total } = content;
  const { money, dates } = drawing;
  const hasBudgeted = rows.some(({ budgeted }) => budgeted !== undefined);
  const largest = Math.max(...rows.flatMap((row) => [Math.abs(row.total), row.budgeted ?? 0]), 1);
  const head = { spending: 'Spent', income: 'Earned', both: '', net_worth: 'Balance' }[of];
  const share = (amount: number) => (total > 0 && amount > 0 ? dates.percent(amount / total) : '');
  const row = (each: ReportContent['rows'][number], index: number) => {
    const { id, budgeted, total } = each;
    const over = budgeted !== undefined && budgeted > 0 ? total - budgeted : 0;
    return el(
      'tr',
      {},
      el(
        'th',
        { scope: 'row' },
        rowName(each.name, `${by} ${id ?? index}`, questionAbout(content, id, drawing)),
        amountBar(Math.abs(total) / largest, {
          mark: budgeted ? budgeted / largest : undefined,
          kind: over > 0 || (of === 'net_worth' && total < 0) ? 'over' : of,
        }),
      ),
      of !== 'net_worth' && el('td', { class: 'amount share' }, share(total)),
      el(
        'td',
        { class: 'amount' },
        el('span', { class: over > 0 ? 'money bad' : 'money' }, money(total)),
        over > 0 && el('small', { class: 'bad' }, phrase(`${money(over)} over`)),
      ),
      hasBudgeted && amountCell(budgeted === undefined ? '' : money(budgeted), 'quiet'),
    );
  };
  return firstRows(
    rows.map(row),
    drawing,
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        columnHead(columns[by]),
        of !== 'net_worth' && columnHead('Share', 'amount share'),
        columnHead(head, 'amount'),
        hasBudgeted && columnHead('Budgeted', 'amount'),
      ),
    ),
    more &&
      el(
        'tfoot',
        {},
        el(
          'tr',
          {},
          el('th', { scope: 'row' }, `${dates.count(more.rows)} more`),
          of !== 'net_worth' && el('td', { class: 'amount share' }, share(more.total)),
          amountCell(money(more.total)),
          hasBudgeted && el('td'),
        ),
      ),
  );
}

/** What a press on a row asks: the payees of a category, the categories of a group, or the transactions. */
function questionAbout(
  { of, by, since, until }: ReportContent,
  id: string | null,
  { ask, question }: Drawing,
): (() => void) | undefined {
  if (!ask || of === 'net_worth') return undefined;
  const { category, payee, account } = question.args;
  const others = {
    since,
    until,
    ...(payee !== undefined && { payee }),
    ...(account !== undefined && { account }),
  };
  const limits = { ...others, ...(category !== undefined && { category }) };
  if (of === 'spending' && id === null && by === 'category')
    return () => ask({ tool: 'find_transactions', args: { ...others, type: 'uncategorized' } });
  if (id === null) return undefined;
  if (of === 'spending' && by === 'group')
    return () => ask({ tool: 'report', args: { ...limits, of, by: 'category', category: id } });
  if (of === 'spending' && by === 'category')
    return () => ask({ tool: 'report', args: { ...limits, of, by: 'payee', category: id } });
  if (by === 'payee' || by === 'account')
    return () => ask({ tool: 'find_transactions', args: { ...limits, [by]: id } });
  return undefined;
}
