/**
 * Asks `forecast` on days of the past of invented households, and compares the answer with what happened: how often the range
 * was right, how wrong the middle was, and how wrong two simple forecasts are that know the same schedule.
 */
import { addDays, addMonths, dayOfMonth, onDay } from '../../../src/base/calendar.ts';
import type { Transaction } from '../../../src/model/replica/entities.ts';
import { balanceForecast } from '../../../src/model/sums/balance-forecast.ts';
import { dueDates } from '../../../src/model/sums/scheduled-changes.ts';
import { account, scheduled, transaction } from '../../answers/samples.helper.ts';
import type { Row } from '../table.ts';
import { generateHousehold } from './generate-household.ts';
import type { ForecastHousehold } from './household.ts';

const HORIZONS = [30, 90];
const CUT_OFFS = 24;

/** The figures of `count` households by seeds from `first` on. */
export function backtest(count: number, first: number): Row[] {
  const seeds = Array.from({ length: count }, (_, at) => first + at);
  return rowsOf(seeds.flatMap((seed) => outcomesOf(generateHousehold(seed))));
}

/** How wrong the forecasts of one household on one day were. Amounts are in cents. */
interface Outcome {
  readonly days: number;
  readonly isInRange: boolean;
  readonly width: number;
  readonly error: number;
  /** As much as in the last month without what was scheduled. */
  readonly asLastMonth: number;
  /** As much as in the same days of the year before, without what was scheduled. */
  readonly asLastYear: number;
}

function outcomesOf(household: ForecastHousehold): Outcome[] {
  const rows = household.events.map(transactionOf).reverse();
  const lastCutOff = addDays(household.ends, -Math.max(...HORIZONS));
  const cutOffs = Array.from({ length: CUT_OFFS }, (_, back) => {
    // Days of the month differ, so that no forecast is helped by always beginning on the same one.
    const month = addMonths(lastCutOff, -back);
    return onDay(month, 1 + ((back * 11) % 28));
  }).filter((day) => day <= lastCutOff);
  return cutOffs.flatMap((today) => HORIZONS.map((days) => outcomeOn(household, rows, today, days)));
}

function outcomeOn(
  household: ForecastHousehold,
  newestFirst: readonly Transaction[],
  today: string,
  days: number,
): Outcome {
  const until = addDays(today, days);
  const known = household.schedules.filter(
    ({ knownFrom, knownUntil }) => knownFrom <= today && (knownUntil === undefined || knownUntil > today),
  );
  const change = (from: string, to: string, isCounted = (_: Event) => true) =>
    household.events
      .filter((event) => event.date > from && event.date <= to && isCounted(event))
      .reduce((sum, { amount }) => sum + amount, 0);
  const opening = household.accounts.reduce((sum, each) => sum + each.opening, 0);
  const balance = opening + change('', today);
  const { total } = balanceForecast({
    accounts: household.accounts.map(({ id, type, opening: first }) =>
      account({ id, type, balance: 10 * (first + change('', today, (event) => event.account === id)) }),
    ),
    transactions: newestFirst.filter(({ date }) => date <= today),
    scheduled: known.flatMap((schedule) => scheduledOf(schedule, today)),
    changes: [],
    today,
    until,
    smallestUnit: 10,
    spending: true,
  });
  const actual = 10 * (balance + change(today, until));
  const certain = total.certain.at(-1) ?? 0;
  const ids = new Set(known.map(({ id }) => id));
  const isUnscheduled = ({ schedule }: Event) => schedule === undefined || !ids.has(schedule);
  const lastMonth = 10 * change(onDay(addMonths(today, -1), dayOfMonth(today)), today, isUnscheduled);
  const yearAgo = addDays(today, -365);
  const lastYear = 10 * change(yearAgo, addDays(yearAgo, days), isUnscheduled);
  const { middle, range } = total.likely ?? {};
  const low = range?.low.at(-1) ?? Number.NaN;
  const high = range?.high.at(-1) ?? Number.NaN;
  return {
    days,
    isInRange: low <= actual && actual <= high,
    width: (high - low) / 10,
    error: Math.abs((middle?.at(-1) ?? certain) - actual) / 10,
    asLastMonth: Math.abs(certain + (lastMonth * days) / 30 - actual) / 10,
    asLastYear: Math.abs(certain + lastYear - actual) / 10,
  };
}

type Event = ForecastHousehold['events'][number];

const transactionOf = ({ date, account: account_id, amount, payee, transferAccount }: Event, at: number) =>
  transaction({
    id: `trx-${at}`,
    date,
    account_id,
    amount: 10 * amount,
    payee_id: payee,
    payee_name: payee,
    transfer_account_id: transferAccount ?? null,
  });

function scheduledOf(schedule: ForecastHousehold['schedules'][number], today: string) {
  const { id, account: account_id, amount, payee, transferAccount, frequency, first } = schedule;
  const row = {
    id,
    account_id,
    amount: 10 * amount,
    payee_id: payee,
    transfer_account_id: transferAccount ?? null,
    frequency,
    date_first: first,
  };
  // The service has entered what was due until today.
  const next = dueDates({ frequency, date_first: first, date_next: first }, '', addDays(today, 800)).find(
    (date) => date > today,
  );
  return next === undefined ? [] : [scheduled({ ...row, date_next: next })];
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** The bounds that the figures have to meet. */
const COVERED = [0.75, 0.85] as const;
const MAX_ERROR = 0.9;

const amount = (cents: number) => Math.round(cents / 100).toLocaleString('en');

function rowsOf(outcomes: readonly Outcome[]): Row[] {
  return HORIZONS.flatMap((days) => {
    const of = outcomes.filter((each) => each.days === days);
    const covered = of.filter(({ isInRange }) => isInRange).length / of.length;
    const error = median(of.map((each) => each.error));
    const month = median(of.map((each) => each.asLastMonth));
    const year = median(of.map((each) => each.asLastYear));
    const better = Math.min(month, year);
    return [
      {
        what: `the range of a balance in ${days} days was right, of ${of.length.toLocaleString('en')}`,
        measured: `${(100 * covered).toFixed(1)} %, half of the ranges wider than ${amount(median(of.map((each) => each.width)))}`,
        beside: '80 % is meant',
        target: `${100 * COVERED[0]} to ${100 * COVERED[1]} %`,
        met: covered >= COVERED[0] && covered <= COVERED[1],
      },
      {
        what: `the median error of the middle in ${days} days`,
        measured: `${(error / better).toFixed(2)} times: ${amount(error)}`,
        beside: `as last month ${amount(month)}, as last year ${amount(year)}`,
        target: `at most ${MAX_ERROR} times the better one`,
        met: error <= MAX_ERROR * better,
      },
    ];
  });
}
