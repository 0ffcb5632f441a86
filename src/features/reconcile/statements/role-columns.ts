/** Which columns of a table have the day, the currency and the account of its rows. */
import { invalidInput } from '../../../base/errors.ts';
import { says } from './column-words.ts';
import type { Line } from './table-lines.ts';
import type { Column } from './table-shape.ts';
import { dateOrders, readDate } from './written-values.ts';

/** Names no column: a line that is taken for the names may be a row. */
export const refusal = (what: string) =>
  invalidInput(
    `${what} Name the columns in the first line, such as Date, Payee, Amount, or export OFX, QIF, CAMT or MT940.`,
  );

/** By the first and the last day, if all orders of day and month agree. */
export function isOldestFirst(days: readonly string[]): boolean | undefined {
  const found = dateOrders.flatMap((order) => {
    const read = [days[0] ?? '', days.at(-1) ?? ''].map((day) => readDate(day, order));
    const [first, last] = read;
    return first === undefined || last === undefined || first === last ? [] : [first < last];
  });
  return new Set(found).size === 1 ? found[0] : undefined;
}

const RANKS = [
  ['booked', 3],
  ['valued', -1],
] as const;

/** The day of booking, and else the first column of days. One that is the same in all rows says nothing if another differs. */
export function dateColumn(columns: readonly Column[], count: number) {
  const dates = columns.filter(({ kind }) => kind === 'date');
  const varying = dates.filter(({ distinct }) => distinct > 1);
  const possible = varying.length > 0 ? varying : dates;
  const rankOf = ({ name, filled }: Column) => {
    const [, rank] = RANKS.find(([word]) => says(name, word)) ?? ['', 1];
    return (says(name, 'valued') ? -1 : rank) + (filled * 2 < count ? -5 : 0);
  };
  const [date] = possible.toSorted((one, other) => rankOf(other) - rankOf(one));
  if (!date) throw refusal('It is not clear which column has the date.');
  return { date, others: dates.filter((each) => each !== date) };
}

export const currencyColumn = (columns: readonly Column[], sample: readonly Line[]) =>
  columns.find(
    ({ at, name, filled }) =>
      filled > 0 && says(name, 'currency') && sample.every((row) => /^([A-Z]{3})?$/.test(row[at] ?? '')),
  );

/** That of the owner: the same in all rows, or few that come again. A column that differs by rows may have the other side. */
export function accountColumn(columns: readonly Column[], sample: readonly Line[]): Column | undefined {
  const complete = columns.filter(({ filled, kind }) => filled === sample.length && kind !== 'date');
  const named = complete.filter(({ name }) => says(name, 'ownAccount') || says(name, 'account'));
  return (
    named.find(({ name }) => says(name, 'ownAccount')) ??
    named.find(({ distinct }) => distinct === 1 && sample.length > 1) ??
    named.find(({ distinct }) => distinct * 3 <= sample.length * 2)
  );
}
