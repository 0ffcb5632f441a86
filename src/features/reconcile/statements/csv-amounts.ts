/**
 * Which columns of a table have the amounts and their fees. Names decide, and else the balance: a column that changes by each
 * amount proves which one that is. What neither decides is refused, so that no balance is entered as an amount.
 */
import { type Column, filled, isComplete, isNamed, isOutflow, refusal } from './csv-column.ts';
import { type DecimalSign, decimalSigns, readAmount } from './written-values.ts';

export interface AmountColumns {
  /** One column with signs, or two with sizes. */
  readonly amount?: Column;
  readonly debit?: Column;
  readonly credit?: Column;
  readonly direction?: Column;
  /** What an amount does not contain. */
  readonly fee?: Column;
  /** Whether fees have the sign of their change. Otherwise they are sizes. */
  readonly isFeeSigned?: boolean;
}

/** Throws `invalid_input` if neither names nor a balance say it. */
export function amountColumns(table: NumberTable, all: readonly Column[]): AmountColumns {
  const { numbers } = table;
  const debit = numbers.find((each) => isNamed(each, 'debit') && !isNamed(each, 'credit'));
  const credit = numbers.find((each) => isNamed(each, 'credit') && !isNamed(each, 'debit'));
  const pair = debit && credit && isExclusive(debit, credit) && { debit, credit };
  const named = numbers.filter((each) => isNamed(each, 'amount') && !isNamed(each, 'notAmount'));
  const complete = named.filter(isComplete);
  if (pair && complete.length === 0) return pair;
  const [one, other] = complete.length > 0 ? complete : named;
  if (one && (!other || sameCells(one, other))) return { amount: one };
  if (pair) return pair;
  const lone = debit ?? credit;
  const empty = all.some((each) => filled(each).length === 0 && isNamed(each, debit ? 'credit' : 'debit'));
  if (lone && empty) return debit ? { debit } : { credit: lone };
  const possible = numbers.filter((each) => !isNamed(each, 'notAmount'));
  const [single, another] = provenBy(table, possible);
  if (single && !another) return single;
  const [only, more] = possible;
  if (only && !more && isComplete(only)) return { amount: only };
  throw refusal('It is not clear which column has the amount.');
}

const sameCells = (one: Column, other: Column) =>
  one.cells.every((cell, index) => cell === other.cells[index]);

/** Whether each row has an amount in one of them only. An amount of 0 is none. */
const isExclusive = (one: Column, other: Column) =>
  one.cells.every((cell, index) => !/[1-9]/.test(cell) || !/[1-9]/.test(other.cells[index] ?? ''));

/** The columns, or the pairs of two that have gaps, whose amounts a balance has. */
function provenBy(table: NumberTable, possible: readonly Column[]): AmountColumns[] {
  const [left, right, more] = possible.filter((each) => !isComplete(each));
  const pairs =
    left && right && !more && isExclusive(left, right)
      ? [
          { debit: left, credit: right },
          { debit: right, credit: left },
        ]
      : [];
  return [...possible.filter(isComplete).map((amount) => ({ amount })), ...pairs].filter((each) =>
    table.signs.some((sign) => table.hasBalance(sign, table.changesOf(sign, each))),
  );
}

/** The fees that have to be added, by the balance or by a column with the total. Throws `invalid_input` if nothing says it. */
export function feeColumn(amounts: AmountColumns, table: NumberTable): AmountColumns {
  const fees = table.numbers.filter(
    (each) => isNamed(each, 'fee') && each !== amounts.amount && /[1-9]/.test(each.cells.join('')),
  );
  const [fee, another] = fees;
  if (!fee) return {};
  const ways = [{}, { fee }, { fee, isFeeSigned: true }].filter((each) =>
    table.signs.some((sign) => {
      const changes = table.changesOf(sign, { ...amounts, ...each });
      const of = table.changesOf(sign, { amount: fee });
      return table.hasBalance(sign, changes, of) || table.hasTotal(sign, changes);
    }),
  );
  const [way, second] = ways;
  if (way && !second && !another) return way;
  throw refusal(
    'It is not clear whether the amounts contain the fees. Export the balance after each row too, or remove the fees if the amounts contain them.',
  );
}

/** Rows that a balance has to have, so that it is none by chance. */
const MIN_PROVEN = 2;

interface NumberColumn {
  readonly column: Column;
  /** In milliunits, by the index of a decimal sign. An empty cell is 0. */
  readonly values: readonly (readonly number[])[];
  /** The rows that have one, in both orders. */
  readonly orders: readonly (readonly number[])[];
}

/** The numbers of a table, each read once, because a file may have 40 columns of them. */
export class NumberTable {
  readonly numbers: readonly Column[];
  readonly signs = [...decimalSigns.keys()];
  readonly #columns: readonly NumberColumn[];

  constructor(numbers: readonly Column[]) {
    this.numbers = numbers;
    this.#columns = numbers.map((column) => {
      const cells = column.cells.map((cell) => cell.trim());
      const rows = [...cells.keys()].filter((at) => cells[at] !== '');
      const values = decimalSigns.map((sign) =>
        cells.map((cell) => (cell === '' ? 0 : (readAmount(cell, sign) ?? Number.NaN))),
      );
      return { column, values, orders: [rows, rows.toReversed()] };
    });
  }

  /** Undefined if several or none fit all numbers. */
  get decimals(): DecimalSign | undefined {
    const fitting = decimalSigns.filter((_, sign) =>
      this.#columns.every(({ values }) => !values[sign]?.includes(Number.NaN)),
    );
    return fitting.length === 1 ? fitting[0] : undefined;
  }

  changesOf(sign: number, { amount, debit, credit, direction, fee, isFeeSigned }: AmountColumns): number[] {
    const of = (wanted: Column | undefined) =>
      this.#columns.find(({ column }) => column === wanted)?.values[sign] ?? [];
    const [amounts, debits, credits, fees] = [of(amount), of(debit), of(credit), of(fee)];
    // Some banks write what goes out with a sign, although it has a column of its own.
    const areSigned = debits.every((each) => each <= 0);
    const count = Math.max(amounts.length, debits.length, credits.length);
    return Array.from({ length: count }, (_, at) => {
      const size = (amounts[at] ?? 0) * (isOutflow(direction?.cells[at] ?? '') ? -1 : 1);
      const added = (fees[at] ?? 0) * (isFeeSigned ? 1 : -1);
      return size + (credits[at] ?? 0) + (areSigned ? 1 : -1) * (debits[at] ?? 0) + added;
    });
  }

  /**
   * Whether a column has the balance after each change, in either order of the rows. Rows without a balance are not booked. With
   * `fees`, only rows with one are compared, and one of them is enough.
   */
  hasBalance(sign: number, changes: readonly number[], fees?: readonly number[]): boolean {
    if (changes.every((each) => each === 0)) return false;
    return this.#columns.some(({ values, orders }) => {
      const balances = values[sign] ?? [];
      return orders.some((order) => {
        let proven = 0;
        const fits = order.every((at, place) => {
          const before = order[place - 1];
          if (before === undefined || fees?.[at] === 0) return true;
          proven += 1;
          return (balances[at] ?? 0) - (balances[before] ?? 0) === changes[at];
        });
        return fits && proven >= (fees ? 1 : MIN_PROVEN);
      });
    });
  }

  /** Whether a column that is named so has the amounts with their fees. */
  hasTotal(sign: number, changes: readonly number[]): boolean {
    return this.#columns.some(
      ({ column, values }) =>
        isNamed(column, 'total') &&
        !isNamed(column, 'fee') &&
        changes.every((change, at) => change === values[sign]?.[at]),
    );
  }
}
