/**
 * Which column of a table of a bank has what. The contents decide, and the names of columns where several have the same kind of
 * content. What is still open is not guessed: the file is refused.
 */

import { amountColumns, feeColumn, NumberTable } from './csv-amounts.ts';
import { type Column, filled, INFLOW, isComplete, isNamed, OUTFLOW, plain, refusal } from './csv-column.ts';
import { looksLikeAmount, looksLikeDate } from './written-values.ts';

/** Throws `invalid_input` if a column cannot be told. */
export function columnsOf(all: readonly Column[]) {
  const hasOnly = (each: Column, is: (cell: string) => boolean) =>
    filled(each).length > 0 && filled(each).every(is);
  const dates = all.filter((each) => hasOnly(each, looksLikeDate));
  const date =
    dates.find((each) => isNamed(each, 'booked') && !isNamed(each, 'valued')) ??
    dates.find((each) => !isNamed(each, 'valued')) ??
    dates[0];
  if (!date) throw refusal('It is not clear which column has the date.');
  const numbers = all.filter(
    (each) => !dates.includes(each) && filled(each).every(looksLikeAmount) && /\d/.test(each.cells.join('')),
  );
  const others = all.filter(
    (each) => !dates.includes(each) && !numbers.includes(each) && filled(each).length > 0,
  );
  const currency = all.find(
    (each) => isNamed(each, 'currency') && hasOnly(each, (cell) => /^[A-Z]{3}$/.test(cell.trim())),
  );
  // A column that differs by rows may have the accounts of the other side.
  const account = all.find(
    (each) =>
      isComplete(each) &&
      (isNamed(each, 'ownAccount') ||
        (isNamed(each, 'account') && each.cells.length > 1 && new Set(each.cells).size === 1)),
  );
  const status = others.find(
    (each) => isNamed(each, 'status') || filled(each).every((cell) => BOOKED.test(cell.trim())),
  );
  const table = new NumberTable(numbers);
  const amounts = amountColumns(table, all);
  const rest = others.filter((each) => ![currency, account, status].includes(each));
  const direction = amounts.amount && directionOf(amounts.amount, rest);
  const directed = { ...amounts, ...(direction && { direction }) };
  return {
    date,
    ...directed,
    ...feeColumn(directed, table),
    /** If only one of them fits all numbers of the table. */
    decimals: table.decimals,
    /** The name of the other side, and then what it was for. */
    texts: textColumns(rest.filter((each) => each !== direction)),
    account,
    currency,
    status,
  };
}

/** A column without a name of its own can say so, too. */
const BOOKED = /^umsatz (gebucht|vorgemerkt)$/i;

/** Only where the amounts have no signs of their own. A column of one letter only needs a name that says so. */
const directionOf = (amount: Column, others: readonly Column[]) =>
  filled(amount).some((cell) => /[-\u2212(]/.test(cell))
    ? undefined
    : others.find((each) => {
        const cells = each.cells.map(plain);
        const isMixed = cells.some((cell) => OUTFLOW.test(cell)) && cells.some((cell) => INFLOW.test(cell));
        return (
          cells.every((cell) => OUTFLOW.test(cell) || INFLOW.test(cell)) &&
          (isMixed || isNamed(each, 'direction'))
        );
      });

/** Without a name that says so, the column with the longest texts has the purpose. */
function textColumns(others: readonly Column[]): readonly Column[] {
  const names = others.filter(
    (each) => isNamed(each, 'name') && !/iban|bic|konto|account|rekening|cislo/.test(plain(each.name)),
  );
  // A column Details may have kinds of bookings, and one of references only numbers.
  const rankOf = ({ name, cells }: Column) => (/reference/.test(plain(name)) ? 0 : new Set(cells).size);
  const purposes = others
    .filter((each) => isNamed(each, 'purpose') && !names.includes(each))
    .toSorted((one, other) => rankOf(other) - rankOf(one));
  if (names.length + purposes.length > 0) return [...names, ...purposes];
  const length = ({ cells }: Column) => cells.reduce((sum, cell) => sum + cell.length, 0);
  return others.toSorted((one, other) => length(other) - length(one)).slice(0, 1);
}
