/**
 * What usually changes the balance of accounts, without what is scheduled: recurring payments that no scheduled transaction
 * stands for, at their next dates; and of all the rest the median of the last twelve months, by the day of the month, so that
 * rent stays where it is. Pure.
 *
 * The range is a prediction interval. The same forecast is made for each month of the past from what was known then (a
 * rolling backtest). The root mean square of its errors after as many days is multiplied by Student's t, with as many degrees
 * of freedom as periods of that length were compared.
 */
import { daysBetween } from '../../base/calendar.ts';
import { type AccountHistory, type Amounts, type Days, MAX_MONTHS } from './account-history.ts';

export interface UsualChanges {
  /** The number of whole months of history, at most two years. */
  readonly months: number;
  readonly transactions: number;
  /** How many recurring payments were found. */
  readonly recurring: number;
  /** The change that is expected from today until each day, in milliunits. The first is today, with no change. */
  readonly middle: readonly number[];
  /** Undefined with less than three months of history. */
  readonly range: { readonly low: readonly number[]; readonly high: readonly number[] } | undefined;
}

const MIN_MONTHS = 3;
const YEAR = 12;
/** A month that begins on any day has a place for each day of the month. */
const PLACES = 31;

/** The 90 % quantiles of Student's t for 1 degree of freedom and more: 80 % lie between each and its negative. */
const STUDENTS_T = [
  3.078, 1.886, 1.638, 1.533, 1.476, 1.44, 1.415, 1.397, 1.383, 1.372, 1.363, 1.356, 1.35, 1.345, 1.341,
  1.337, 1.333, 1.33, 1.328, 1.325, 1.323, 1.321, 1.319, 1.318,
];

/** Of these accounts together. Transfers between them cancel out. `smallestUnit` is that of the currency, in milliunits. */
export function usualChanges(
  histories: readonly AccountHistory[],
  days: Days,
  smallestUnit: number,
): UsualChanges {
  const [today = ''] = days.monthsAgo;
  const [since = today] = histories.map((each) => each.since).sort();
  const months = days.monthsAgo.findLastIndex((date) => date >= since);
  const past: Past = { histories, days, months };
  const isSeasonal =
    months === MAX_MONTHS && squareOf(backtest(past, YEAR, true)) < squareOf(backtest(past, YEAR, false));
  const middle = expectedOn(0, past, isSeasonal);
  const width = months < MIN_MONTHS ? undefined : widthOf(past);
  const rounded = (sign: number) =>
    Array.from(
      middle,
      (each, day) => smallestUnit * Math.round((each + sign * (width?.[day] ?? 0)) / smallestUnit),
    );
  return {
    months,
    transactions: histories.reduce((sum, { transactions }) => sum + transactions, 0),
    recurring: histories.reduce((sum, history) => sum + history.on(today).recurring, 0),
    middle: rounded(0),
    range: width && { low: rounded(-1), high: rounded(1) },
  };
}

interface Past {
  readonly histories: readonly AccountHistory[];
  readonly days: Days;
  /** Whole months of history. */
  readonly months: number;
}

/** How far the ends of the range are from the middle. */
function widthOf(past: Past): Amounts {
  const { months, days } = past;
  const compared = months - Math.min(MIN_MONTHS, months >> 1);
  const errors = backtest(past, compared, false);
  // Beyond half of what was compared, the range grows as the days do.
  const measured = Math.floor((compared * PLACES) / 2);
  return Float64Array.from(
    stepsFrom(daysBetween(days.first, days.monthsAgo[0] ?? days.first), days),
    (step) => {
      const nearest = Math.min(step, measured);
      if (nearest === 0) return 0;
      const periods = Math.min(compared, Math.floor((compared * PLACES) / nearest));
      const t = STUDENTS_T[Math.max(0, periods - 2)] ?? 1.3;
      return (step / nearest) * t * Math.sqrt(1 + 1 / periods) * (errors[nearest] ?? 0);
    },
  );
}

/** By step, the root mean square of the errors of the forecasts of the last months. */
function backtest(past: Past, months: number, isSeasonal: boolean): Amounts {
  const { monthsAgo, first, ahead } = past.days;
  const today = daysBetween(first, monthsAgo[0] ?? first);
  const changes = past.histories.map((each) => each.changes);
  const balances = cumulated(sumOf(today + 1, changes));
  const squares = new Float64Array(PLACES * (2 + Math.ceil(ahead / 28)));
  const counts = new Float64Array(squares.length);
  for (let back = 1; back <= months; back += 1) {
    const from = daysBetween(first, monthsAgo[back] ?? first);
    const expected = expectedOn(back, past, isSeasonal);
    const steps = stepsFrom(from, past.days);
    for (let day = 1; day <= Math.min(ahead, today - from); day += 1) {
      const error = (balances[from + day] ?? 0) - (balances[from] ?? 0) - (expected[day] ?? 0);
      // A short month goes more than one step ahead on a day.
      for (let step = (steps[day - 1] ?? 0) + 1; step <= (steps[day] ?? 0); step += 1) {
        squares[step] = (squares[step] ?? 0) + error ** 2;
        counts[step] = (counts[step] ?? 0) + 1;
      }
    }
  }
  let last = 0;
  return squares.map((sum, step) => {
    const count = counts[step] ?? 0;
    if (count > 0) last = Math.sqrt(sum / count);
    return last;
  });
}

const squareOf = (errors: Amounts) => errors.reduce((sum, error) => sum + error ** 2, 0);

/** The change from a day on, `back` months ago. */
function expectedOn(back: number, { histories, days, months }: Past, isSeasonal: boolean): Amounts {
  const { monthsAgo, first, ahead } = days;
  const date = monthsAgo[back] ?? first;
  const from = daysBetween(first, date);
  const outlooks = histories.map((each) => each.on(date));
  const expected = outlooks.map((each) => each.expected);
  const rests = outlooks.map((each) => each.rest);
  const line = cumulated(sumOf(ahead + 1, expected));
  const rest = sumOf(from + 1, rests);
  const lines = pastMonths(rest, Math.min(months - back, YEAR), days);
  const middle = Float64Array.from({ length: PLACES }, (_, place) =>
    median(lines.map((each) => each[place] ?? 0)),
  );
  const usualOf = (month: number, place: number) => {
    const sameSeason = isSeasonal ? lines[YEAR - 1 - (month % YEAR)] : undefined;
    const usual = middle[place] ?? 0;
    return sameSeason ? (usual + (sameSeason[place] ?? 0)) / 2 : usual;
  };
  let month = 0;
  let before = 0;
  for (const [day, step] of stepsFrom(from, days).entries()) {
    if (day === 0) continue;
    for (; month < Math.floor((step - 1) / PLACES); month += 1) before += usualOf(month, PLACES - 1);
    line[day] = (line[day] ?? 0) + before + usualOf(month, (step - 1) % PLACES);
  }
  return line;
}

/**
 * How many steps each later day is after a day. A month has 31 of them: the same day of each month is the same step, and the
 * last day of a month the last one of its days.
 */
function stepsFrom(from: number, { dayOfMonth, ahead }: Days): Uint16Array {
  const steps = new Uint16Array(ahead + 1);
  for (let day = 1, month = 0; day <= ahead; day += 1) {
    const place = placeOf(from + day, from, dayOfMonth);
    if (day > 1 && place < placeOf(from + day - 1, from, dayOfMonth)) month += 1;
    steps[day] = month * PLACES + place + 1;
  }
  return steps;
}

/** The place of a day in a month that begins on the day after another one. */
const placeOf = (day: number, begin: number, dayOfMonth: Uint8Array) =>
  ((dayOfMonth[day] ?? 0) - (dayOfMonth[begin] ?? 0) + PLACES - 1) % PLACES;

/** The last months, the last one first: by place, what had changed until then. */
function pastMonths(rest: Amounts, months: number, { dayOfMonth }: Days): Amounts[] {
  const past = Array.from({ length: months }, () => new Float64Array(PLACES));
  const end = rest.length - 1;
  for (let day = end, month = 0; day >= 0; day -= 1) {
    const place = placeOf(day, end, dayOfMonth);
    if (day < end && place > placeOf(day + 1, end, dayOfMonth)) month += 1;
    const amounts = past[month];
    if (!amounts) break;
    amounts[place] = (amounts[place] ?? 0) + (rest[day] ?? 0);
  }
  return past.map(cumulated);
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  return ((sorted[half] ?? 0) + (sorted[sorted.length % 2 ? half : half - 1] ?? 0)) / 2;
}

function sumOf(length: number, each: readonly Amounts[]): Amounts {
  const sums = new Float64Array(length);
  for (const amounts of each)
    for (let at = 0; at < length; at += 1) sums[at] = (sums[at] ?? 0) + (amounts[at] ?? 0);
  return sums;
}

function cumulated(amounts: Amounts): Amounts {
  let sum = 0;
  return amounts.map((amount) => (sum += amount));
}
