/** Which columns of a table have the day, the currency and the account of its rows. */
import { invalidInput } from '../../../base/errors.ts';
import { isNotBooked, says } from './column-words.ts';
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

/** Fewer rows may be of one day. */
const MIN_DAYS = 6;

/** The day of booking, and else the first column of days. One that is the same in all rows says less if another differs. */
export function dateColumn(columns: readonly Column[]) {
  const dates = columns.filter(({ kind }) => kind === 'date');
  // A period has two days.
  const isPeriod = dates.filter(({ distinct }) => distinct === 1).length > 1;
  const rankOf = ({ name, filled, distinct, cells: { length: count } }: Column) => {
    const byName = says(name, 'valued') ? -2 : says(name, 'booked') ? 6 : 2;
    const ofSame = count >= MIN_DAYS ? -6 : isPeriod ? -3 : 0;
    return byName + (distinct === 1 ? ofSame : 0) + (filled * 2 < count ? -10 : 0);
  };
  const [date] = dates.toSorted((one, other) => rankOf(other) - rankOf(one));
  if (!date) throw refusal('It is not clear which column has the date.');
  return { date, others: dates.filter((each) => each !== date) };
}

export const currencyColumn = (columns: readonly Column[]) =>
  columns.find(
    ({ cells, name, filled }) =>
      filled > 0 && says(name, 'currency') && cells.every((cell) => /^([A-Z]{3})?$/.test(cell)),
  );

/** What is booked: by its name, or a column of few words of which one says that something is not. */
export const statusColumn = (columns: readonly Column[]) =>
  columns.find(
    ({ name, kind, filled, distinct, cells }) =>
      kind === 'text' &&
      filled > 0 &&
      (says(name, 'status') ||
        cells.every((cell) => /^umsatz (gebucht|vorgemerkt)$/i.test(cell)) ||
        (distinct <= 6 &&
          distinct < filled &&
          cells.some((cell) => ONE_WORD.test(cell) && isNotBooked(cell)))),
  );

const ONE_WORD = /^\p{L}{4,15}$/u;

/** A number of the other side has a longer name. */
const EXACT = /^(accounts?|konto|compte|cuenta|conto|rekening|конто|счет)$/;
const lettersOf = (number: string) => number.replaceAll(' ', '');
const IBAN = /^([A-Z]{2})\d\d ?([A-Z\d]{4})[A-Z\d ]{7,28}$/;

/**
 * That of the owner: the same in all rows, or few that come again, or numbers of one bank. A column that differs by rows, has numbers of
 * several banks, or lacks the number before the table (`titled`), has the other side.
 */
export function accountColumn(columns: readonly Column[], titled: string | undefined): Column | undefined {
  const complete = columns.filter(
    ({ filled, cells, kind }) =>
      filled === cells.length &&
      kind !== 'date' &&
      (titled === undefined ||
        cells.some((cell) => !IBAN.test(cell) || lettersOf(cell) === lettersOf(titled))),
  );
  const own = complete.find(({ name }) => says(name, 'ownAccount'));
  const possible = complete.filter(({ name }) => says(name, 'account') || name === '');
  /** How many banks there are in a column of IBANs, and 0 if a cell has none. */
  const banksIn = ({ cells }: Column) => {
    const found = cells.map((cell) => IBAN.exec(cell.toUpperCase())?.slice(1).join(''));
    return found.includes(undefined) ? 0 : new Set(found).size;
  };
  return (
    own ??
    possible.find(
      (each) => each.cells.length > 1 && (banksIn(each) === 1 || (each.distinct === 1 && each.name !== '')),
    ) ??
    possible.find(
      (each) =>
        each.name !== '' &&
        (banksIn(each) < 2
          ? each.distinct * 3 <= each.filled * 2
          : each.distinct <= (EXACT.test(each.name) ? 2 : 0) ||
            (each.name !== 'iban' && each.distinct * 3 <= each.filled)),
    )
  );
}
