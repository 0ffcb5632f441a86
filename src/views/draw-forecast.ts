/** Draws a forecast: the balance day by day with the range of what is likely, and a table; or the months of categories. */
import type { ForecastContent } from '../features/forecast/forecast-schema.ts';
import { legend } from './amount-bar.ts';
import {
  amountText,
  el,
  figure,
  figures,
  leftOutRemark,
  name,
  note,
  path,
  phrase,
  picture,
  section,
} from './element.ts';
import type { Drawing, Drawn } from './page.ts';
import { amountCell, type Column, table, tableRow } from './table.ts';

type Days = NonNullable<ForecastContent['days']>;
type Balances = NonNullable<ForecastContent['total']>;

export function drawForecast(content: ForecastContent, drawing: Drawing): Drawn {
  const { total, accounts, days, categories, today, until } = content;
  return {
    title: total
      ? total.name === null
        ? phrase(`${drawing.count(accounts.length)} accounts together`)
        : name(total.name)
      : 'What categories will have left',
    subtitle: [drawing.dates.range(today, until)],
    body: [
      total && figuresOf(total, drawing),
      days && chartOf(content, days, drawing),
      accounts.length > 0 && accountsOf(accounts, drawing),
      ...categories.map((each) => categoryOf(each, drawing)),
      leftOutRemark(content.leftOut),
    ],
  };
}

function figuresOf({ balance, certain, likely }: Balances, { money, dates }: Drawing): HTMLElement {
  const kindOf = (amount: number, kind = '') => (amount < 0 ? `${kind} bad` : kind);
  const lowest = ({ balance: least, date }: Balances['certain']['lowest']) =>
    note(`lowest ${money(least)} on ${dates.day(date)}`);
  const range =
    likely &&
    likely.low !== null &&
    likely.high !== null &&
    note(`8 times of 10 from ${money(likely.low)} to ${money(likely.high)}`);
  return figures(
    figure('Today', money(balance), kindOf(balance)),
    figure(
      'Certain, by what is scheduled',
      money(certain.balance),
      kindOf(certain.balance, 'main'),
      lowest(certain.lowest),
    ),
    likely &&
      figure('Likely, about', money(likely.middle), kindOf(likely.middle), range, lowest(likely.lowest)),
  );
}

function chartOf(content: ForecastContent, days: Days, { money, dates }: Drawing): HTMLElement {
  const { certain, middle, low, high } = days;
  const all = [...certain, ...(middle ?? []), ...(low ?? []), ...(high ?? [])];
  const [top, bottom] = [Math.max(...all), Math.min(...all)];
  const points = (line: readonly number[]) =>
    line.map((each, day) => `${day} ${Math.round(((top - each) / (top - bottom || 1)) * 10_000) / 10_000}`);
  const lowest = dayNumber(content.today, (content.total?.likely ?? content.total?.certain)?.lowest.date);
  return el(
    'section',
    { class: 'chart', 'aria-label': 'By day' },
    legend(
      middle ? ['certain', 'likely', ...(low ? (['range'] as const) : []), 'lowest'] : ['certain', 'lowest'],
      'By day',
    ),
    el(
      'div',
      { class: 'plot days' },
      el('span', { class: 'axis' }, amountText(money(top))),
      el('span', { class: 'axis' }, amountText(money(bottom))),
      picture(
        Math.max(1, certain.length - 1),
        low && high && path(`M${points(high).join('L')}L${points(low).toReversed().join('L')}Z`, 'range'),
        path(`M${lowest} 0L${lowest} 1`, 'lowest'),
        middle && path(`M${points(middle).join('L')}`, 'likely'),
        path(`M${points(certain).join('L')}`, 'certain'),
      ),
      el('span', { class: 'label' }, dates.shortDay(content.today)),
      el('span', { class: 'label' }, dates.shortDay(content.until)),
    ),
    daysTable(content, days, { money, dates }),
  );
}

/** The last day of each month, and the last day of all. */
function daysTable(
  { today, until }: ForecastContent,
  { certain, middle, low, high }: Days,
  { money, dates }: Pick<Drawing, 'money' | 'dates'>,
): HTMLElement {
  const columns = [
    { head: 'Certain', line: certain },
    { head: 'Likely', line: middle },
    { head: 'From', line: low, isExtra: true },
    { head: 'To', line: high, isExtra: true },
  ].filter(({ line }) => line !== undefined);
  const rows = certain.flatMap((_, day) => {
    const date = dayAfter(today, day);
    if (date !== until && !dayAfter(today, day + 1).endsWith('-01')) return [];
    return [{ name: dates.shortDay(date), amounts: columns.map(({ line }) => line?.[day] ?? 0) }];
  });
  return tableOf('Day', columns, rows, money);
}

function accountsOf(accounts: ForecastContent['accounts'], { money }: Drawing): HTMLElement {
  const columns = [{ head: 'Today', isExtra: true }, { head: 'Certain' }, { head: 'Likely' }];
  const rows = accounts.map(({ name: account, balance, certain, likely }) => ({
    name: name(account ?? ''),
    amounts: [balance, certain.balance, ...(likely ? [likely.middle] : [])],
  }));
  const width = Math.max(...rows.map(({ amounts }) => amounts.length));
  return tableOf('Account', columns.slice(0, width), rows, money);
}

function categoryOf(
  { name: category, left, months }: ForecastContent['categories'][number],
  { money, dates }: Drawing,
): HTMLElement {
  const columns = [
    { head: 'Budgeted', isExtra: true },
    { head: 'Scheduled', isExtra: true },
    { head: 'Usual', isExtra: true },
    { head: 'Left, certain' },
    { head: 'Left, likely' },
  ];
  const rows = months.map(({ month, budgeted, scheduled, usual, certain, likely }) => ({
    name: dates.month(month),
    amounts: [budgeted, scheduled, usual, certain, likely],
  }));
  const heading = [name(category), phrase(` has ${money(left)} left`)];
  return section(heading, tableOf('Month', columns, rows, money));
}

/** In columns that are not extra, what is below zero is marked. */
function tableOf(
  first: string,
  columns: readonly { readonly head: string; readonly isExtra?: boolean }[],
  rows: readonly { readonly name: string | HTMLElement; readonly amounts: readonly number[] }[],
  money: Drawing['money'],
): HTMLElement {
  const cell = (amount: number, column: number) => {
    const isExtra = columns[column]?.isExtra === true;
    return amountCell(money(amount), isExtra ? 'extra' : amount < 0 ? 'bad' : '');
  };
  const headings = columns.map(({ head, isExtra }): Column => [head, isExtra ? 'amount extra' : 'amount']);
  return table(
    [[first], ...headings],
    rows.map((row) => tableRow(row.name, ...row.amounts.map(cell))),
  );
}

const DAY_MS = 86_400_000;

const dayNumber = (today: string, date = today) =>
  Math.round((Date.parse(date) - Date.parse(today)) / DAY_MS);

const dayAfter = (today: string, days: number) =>
  new Date(Date.parse(today) + days * DAY_MS).toISOString().slice(0, 10);
