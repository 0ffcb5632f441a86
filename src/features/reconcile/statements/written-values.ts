/**
 * Dates and amounts as files of banks write them. One value may mean two things (03/04, 1.234), so both are read in a given
 * way, and `waysToRead` finds the ways that fit all values of a file. Pure.
 */
import { addDays } from '../../../base/calendar.ts';

export const dateOrders = ['day first', 'month first', 'year first'] as const;
export type DateOrder = (typeof dateOrders)[number];
export const decimalSigns = ['decimal point', 'decimal comma'] as const;
export type DecimalSign = (typeof decimalSigns)[number];

/** No date or amount is longer. */
const MAX_LENGTH = 40;
/** 1.2.26 */
const MIN_DATE = 6;
const YEAR_FIRST = /^(\d{4})([-/.:]?)(\d{1,2})\2(\d{1,2})\.?$/;
const YEAR_LAST = /^(\d{1,2})(?:([-/. ])(\d{1,2})[-/. ']\s?(\d{4}|\d{2})|(:)(\d{1,2}):(\d{4}))$/;
const DIGITS_ONLY = /^(\d\d)(\d\d)(\d{4})$/;
const DAY_AND_NAME = /^(\d{1,2})[-. /]*([\p{L}]{3,12})[-. /,]*(\d{4}|\d{2})$/u;
const NAME_AND_DAY = /^([\p{L}]{3,12})[-. /]*(\d{1,2})[-. /,]+(\d{4}|\d{2})$/u;
/** QIF has blanks within dates, and one digit for a year of this century after an apostrophe: 1/31' 6. */
export const readableDate = (written: string): string =>
  written.length > MAX_LENGTH ? written : written.replace(/\s{1,40}(?=\d)/g, '').replace(/'(\d)$/, "'0$1");

/** A time after the date, and a weekday before it. */
const AROUND_DATE = /^\p{L}{2,3}[.,]?\s+(?=\d)|[T ,]{1,40}\d{1,2}:\d\d.*$/gu;

/** The beginnings of the names of months in English, German, French, Spanish, Italian, Dutch, Portuguese and Polish. */
const monthNames = [
  'jan ene gen sty led янв oca',
  'feb fév fev lut úno фев şub',
  'mar mär mrt maa mrz bře мар',
  'apr avr abr kwi dub апр nis',
  'may mai mag mei maj květ май мая',
  'jun juin giu cze июн haz',
  'jul juil lug lip čvc июл tem',
  'aug aoû aou ago sie srp авг ağu',
  'sep set wrz zář сен eyl',
  'oct okt ott out paź říj окт eki',
  'nov lis ноя kas',
  'dec dez déc dic gru pro дек ara',
].map((names) => names.split(' '));

function monthNamed(text: string): number | undefined {
  const name = text.toLowerCase();
  const index = monthNames.findIndex((names) => names.some((each) => name.startsWith(each)));
  return index === -1 ? undefined : index + 1;
}

/** The date as `2026-11-21`. Undefined if there is no such day in that order. Dots always mean that the day is first. */
export function readDate(written: string, order: DateOrder): string | undefined {
  if (written.length > MAX_LENGTH || written.length < MIN_DATE || !/\d/.test(written)) return undefined;
  const text = written.trim().replaceAll(AROUND_DATE, '').trim();
  const iso = YEAR_FIRST.exec(text);
  const isoDay = iso && dayOf(iso[1], iso[3], iso[4]);
  if (isoDay) return isoDay;
  const [, day, named, year] = DAY_AND_NAME.exec(text) ?? [];
  if (named !== undefined) return dayOf(year, monthNamed(named), day);
  const [, before, dayAfter, yearAfter] = NAME_AND_DAY.exec(text) ?? [];
  if (before !== undefined) return dayOf(yearAfter, monthNamed(before), dayAfter);
  const parts = YEAR_LAST.exec(text);
  const [first, second, third] = parts
    ? [parts[1], parts[3] ?? parts[6], parts[4] ?? parts[7]]
    : (DIGITS_ONLY.exec(text)?.slice(1) ?? []);
  if (order === 'day first') return dayOf(third, second, first);
  if (parts?.[2] === '.') return undefined;
  if (order === 'month first') return dayOf(third, first, second);
  return third?.length === 2 && !text.includes("'") ? dayOf(first, second, third) : undefined;
}

export const looksLikeDate = (written: string): boolean =>
  written.length <= MAX_LENGTH && dateOrders.some((order) => readDate(written, order) !== undefined);

/** Made without `Date`, since a file may have many thousands of them. */
function dayOf(year = '', month: string | number = '', day = ''): string | undefined {
  const full = year.length === 2 ? `20${year}` : year;
  const [inMonth, inYear] = [Number(day), Number(month)];
  // No year from 1970 to 2099 is an exception.
  const length = inYear === 2 ? (Number(full) % 4 === 0 ? 29 : 28) : SHORT_MONTHS.has(inYear) ? 30 : 31;
  const isDay = inMonth >= 1 && inMonth <= length && inYear >= 1 && inYear <= 12;
  if (!isDay || full < '1970' || full >= '2100') return undefined;
  return `${full}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const SHORT_MONTHS = new Set([4, 6, 9, 11]);

/** Numbers in groups, as `1,234.56`, `1'234.56`, `1 234.56` or `1,23,456.78`, with a point as the decimal sign. */
const GROUPED = /^(\d+|\d{1,3}(?:,\d{2,3})*,\d{3})?(?:\.(\d*))?$/;
const SPACES = /[\s'’\u00a0\u202f]/gu;
/** A currency before or after the amount, and the word for a debit or a credit. */
const CURRENCY = /^(\p{Sc}|[A-Z]{1,3}\$|[A-Z]{3}|kr|zł|Kč|Rs)\.?|(\p{Sc}|[A-Z]{3}|kr|zł|Kč)\.?$/giu;
const MARK = /(CR|DR|DB)$/i;

const PLAIN = {
  'decimal point': /^[-+]?\d{1,12}(?:\.\d{1,3})?$/,
  'decimal comma': /^[-+]?\d{1,12}(?:,\d{1,3})?$/,
} as const;

/** A date, a time or a word, which is no currency. */
const NO_AMOUNT = /\d[-/:]\d|\p{L}{4}/u;

/** In milliunits. Undefined if it is no amount with that decimal sign, or has parts of a thousandth. */
export function readAmount(written: string, sign: DecimalSign): number | undefined {
  if (written.length > MAX_LENGTH) return undefined;
  // Most amounts need no more.
  if (PLAIN[sign].test(written)) return Math.round(Number(written.replace(',', '.')) * 1_000) || 0;
  if (NO_AMOUNT.test(written)) return undefined;
  let text = written
    .trim()
    .replace(/^="?|"$/g, '')
    .replaceAll(SPACES, '')
    .replaceAll('\u2212', '-');
  let isNegative = false;
  const mark = MARK.exec(text)?.[1]?.toUpperCase();
  if (mark !== undefined && /^[^\p{L}]/u.test(text)) {
    isNegative = mark !== 'CR';
    text = text.slice(0, -2);
  }
  if (/^\(.*\)$/.test(text)) text = `-${text.slice(1, -1)}`;
  // The sign may be before the currency, after it, or at the end.
  for (let round = 0; round < 2; round += 1) {
    const signs = /^([+-])|([+-])$/.exec(text);
    if (signs) {
      if ((signs[1] ?? signs[2]) === '-') isNegative = !isNegative;
      text = signs[1] === undefined ? text.slice(0, -1) : text.slice(1);
    }
    text = text.replaceAll(CURRENCY, '');
  }
  const pointed =
    sign === 'decimal point' ? text : text.replace(/[.,]/g, (each) => (each === ',' ? '.' : ','));
  const [, whole = '', decimals = ''] = GROUPED.exec(pointed) ?? [];
  if (whole + decimals === '' || /[1-9]/.test(decimals.slice(3))) return undefined;
  const amount = Number(`${whole.replaceAll(',', '')}${decimals.slice(0, 3).padEnd(3, '0')}`);
  if (!Number.isSafeInteger(amount)) return undefined;
  return isNegative && amount !== 0 ? -amount : amount;
}

export const looksLikeAmount = (written: string): boolean =>
  written.length <= MAX_LENGTH &&
  /\d/.test(written) &&
  decimalSigns.some((sign) => readAmount(written, sign) !== undefined);

/** A number with more decimals than any amount, such as a rate: it shows what the decimal sign of its file is. */
export const rateSign = (written: string): DecimalSign | undefined =>
  /^-?\d{1,6}\.\d{4,}$/.test(written)
    ? 'decimal point'
    : /^-?\d{1,6},\d{4,}$/.test(written)
      ? 'decimal comma'
      : undefined;

/** A way to read all values, and what one of them means in it. */
export interface WayToRead<Way> {
  readonly way: Way;
  readonly written: string;
  readonly means: string | number;
}

/** Several ways only if they give other values. Empty if none fits. */
export function waysToRead<Way>(
  values: readonly string[],
  ways: readonly Way[],
  read: (written: string, way: Way) => string | number | undefined,
): readonly WayToRead<Way>[] {
  const fitting = ways.filter((way) => values.every((written) => read(written, way) !== undefined));
  const [first] = fitting;
  if (first === undefined) return [];
  const differing = (way: Way) => values.find((written) => read(written, way) !== read(written, first));
  const different = fitting.filter((way) => way === first || differing(way) !== undefined);
  const [, second] = different;
  const written = (second === undefined ? values[0] : differing(second)) ?? '';
  return different.map((way) => ({ way, written, means: read(written, way) ?? '' }));
}

/** The service takes days since then (docs/interface.md, Transaction). */
export const fiveYearsBefore = (today: string) => `${Number(today.slice(0, 4)) - 5}${today.slice(4)}`;

/** The orders of dates that fit. A day that the service refuses decides against an order, unless all orders have one. */
export function ordersOf(values: readonly string[], today: string): readonly WayToRead<DateOrder>[] {
  // The day after today has begun in the east.
  const last = addDays(today, 1);
  const fitting = dateOrders.flatMap((order) => {
    const days = values.map((written) => readDate(written, order));
    return days.includes(undefined) ? [] : [{ order, days: days.map((day = '') => day) }];
  });
  const within = (first: string) =>
    fitting.filter(({ days }) => days.every((day) => day >= first && day <= last)).map(({ order }) => order);
  const [past, recent] = [within(''), within(fiveYearsBefore(today))];
  return waysToRead(values, recent.length > 0 ? recent : past.length > 0 ? past : dateOrders, readDate);
}
