/** How the answer of `forecast` reads: today, then what is certain, then what is likely, then what it rests on. */
import { leftOutLine } from '../../answers/left-out.ts';
import {
  counted,
  type FormattedText,
  joinParts,
  type TextContext,
  type TextPart,
  word,
} from '../../answers/text.ts';
import type { Balances, CategoryRow, Forecast } from './forecast-schema.ts';

export function forecastText(forecast: Forecast, context: TextContext): FormattedText {
  const { total, accounts = [], categories = [], until } = forecast;
  const named = (row: Balances) =>
    row.account_id === null
      ? `${accounts.length} accounts together`
      : `Account ${context.withId('account', row.account_id, row.name ?? '')}`;
  return {
    heading: [total ? named(total) : 'what categories will have left', `until ${word(until)}`],
    lines: [
      ...(total ? totalLines(total, until, context) : []),
      ...accounts.map(
        (row) =>
          `${context.withId('account', row.account_id ?? '', row.name ?? '')}: ${inOneLine(row, context)}`,
      ),
      ...categories.flatMap((row) => categoryLines(row, context)),
      ...restsOn(forecast, context),
    ],
  };
}

function totalLines(
  { balance, certain, likely }: Balances,
  until: string,
  { money }: TextContext,
): TextPart[] {
  const on = word(until);
  return [
    `today ${money(balance)}`,
    `certain, by what is scheduled: ${money(certain.balance)} on ${on} · lowest ${money(certain.lowest.balance)} on ${word(certain.lowest.date)}`,
    likely &&
      `likely, with recurring and usual payments too: about ${money(likely.middle)}${rangeOf(likely, money)}, on ${on} · lowest about ${money(likely.lowest.balance)} on ${word(likely.lowest.date)}`,
  ];
}

function inOneLine({ balance, certain, likely }: Balances, { money }: TextContext): string {
  const lowest = (balance: number, date: string) => `(lowest ${money(balance)} on ${word(date)})`;
  return joinParts(
    `today ${money(balance)}`,
    `certain ${money(certain.balance)} ${lowest(certain.lowest.balance, certain.lowest.date)}`,
    likely &&
      `likely about ${money(likely.middle)}${rangeOf(likely, money)} ${lowest(likely.lowest.balance, likely.lowest.date)}`,
  );
}

const rangeOf = ({ low, high }: NonNullable<Balances['likely']>, money: TextContext['money']) =>
  low === null || high === null ? '' : `, 8 times of 10 from ${money(low)} to ${money(high)}`;

function categoryLines(
  { category_id, name, left, months, below_zero: { certain, likely } }: CategoryRow,
  context: TextContext,
): string[] {
  const { money } = context;
  return [
    `Category ${context.withId('category', category_id, name)} has ${money(left)} left. ${belowZero(certain, likely)}`,
    'month, budgeted, scheduled, usual, left for certain, left likely',
    ...months.map((row) =>
      [
        row.month.slice(0, 7),
        ...[row.budgeted, row.scheduled, row.usual, row.certain, row.likely].map((amount) => money(amount)),
      ].join(' · '),
    ),
  ];
}

function belowZero(certain: string | null, likely: string | null): string {
  const month = (day: string) => word(day.slice(0, 7));
  if (certain === null)
    return likely === null
      ? 'It does not go below zero.'
      : `It is likely to go below zero in ${month(likely)}.`;
  const sooner = likely !== null && likely < certain ? `, likely in ${month(likely)}` : '';
  return `By what is scheduled alone it goes below zero in ${month(certain)}${sooner}.`;
}

function restsOn(
  { history, scheduled, supposed, total, left_out = [] }: Forecast,
  context: TextContext,
): TextPart[] {
  const { money } = context;
  const facts = joinParts(
    history && `${counted(history.months, 'month')}, ${counted(history.transactions, 'transaction')}`,
    history &&
      history.recurring > 0 &&
      `${counted(history.recurring, 'recurring payment')} without a schedule`,
    `${scheduled} scheduled`,
  );
  return [
    `Rests on ${facts}.`,
    leftOutLine(left_out, context),
    history && total && history.months < 3 && 'There is no range: that takes three months of history.',
    supposed &&
      `Supposed: ${counted(supposed.changes, 'change')} of ${money(supposed.amount)} in all, in both parts.`,
  ];
}
