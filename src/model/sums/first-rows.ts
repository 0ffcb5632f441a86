/** The first rows of a list that may be long, with the number and the exact sum of all. */
import { compareTexts } from '../../base/compare.ts';
import { sumOf } from './sum.ts';

interface Named {
  readonly name: string | null;
}

export interface NamedAmount extends Named {
  readonly amount: number;
}

export interface FirstRows<Row> {
  /** The number of all rows, and the sum of all of them in milliunits. */
  readonly total: number;
  readonly sum: number;
  readonly rows: readonly Row[];
}

/** Names may be long. An answer that is full of such names has fewer rows. */
const MAX_CHARACTERS = 2_000;

/** At most `max` rows, in their order, with the sum of their `amountOf`. */
export function firstRows<Row extends Named>(
  rows: readonly Row[],
  max: number,
  amountOf: (row: Row) => number,
): FirstRows<Row> {
  let characters = 0;
  const shown = rows.slice(0, max).filter(({ name }, index) => {
    characters += name?.length ?? 0;
    return index === 0 || characters <= MAX_CHARACTERS;
  });
  return { total: rows.length, sum: sumOf(rows, amountOf), rows: shown };
}

export const amountOf = ({ amount }: { readonly amount: number }): number => amount;

/** The largest amount first. Equal amounts are in the order of their names. */
export const byAmount = (a: NamedAmount, b: NamedAmount): number =>
  b.amount - a.amount || compareTexts(a.name ?? '', b.name ?? '');
