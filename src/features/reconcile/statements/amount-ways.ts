/**
 * The ways in which the columns of a table may have the changes of its account: hypotheses, which judges strike out. Each has a rank
 * by the words of its columns, for the ones that are left.
 */
import { memo } from '../../../base/memo.ts';
import { directionOf, exactDirection, says } from './column-words.ts';
import type { Line } from './table-lines.ts';
import type { Column } from './table-shape.ts';
import { type DecimalSign, decimalSigns, looksLikeAmount, rateSign, readAmount } from './written-values.ts';

/** A change is the sum of some cells of its row, each with a sign, as a size or as it is written. */
export interface AmountWay {
  readonly parts: readonly { readonly at: number; readonly by: 1 | -1; readonly isSize?: boolean }[];
  /** A column whose words say what goes out. It changes the sign of an amount, or gives it its sign. */
  readonly direction?: Direction;
  /** Higher ones are preferred. Below 0: only if a balance proves it. */
  readonly rank: number;
  /** True if something other than its own signs says what goes out. */
  readonly isDirected: boolean;
}

interface Direction {
  readonly at: number;
  /** 0 for a cell that says neither. Rows after the sample may have words that it lacks. */
  readonly signOf: (cell: string) => number;
}

export type Numbers = ReturnType<typeof numbersIn>;

/** The numbers of some rows, each column read once: in milliunits, 0 for an empty cell, and NaN for one that is no amount. */
export function numbersIn(rows: readonly Line[], decimals: DecimalSign) {
  const amountIn = (cell = '') => (cell === '' ? 0 : (readAmount(cell, decimals) ?? Number.NaN));
  const of = memo((at: number): readonly number[] => rows.map((row) => amountIn(row[at])));
  return { rows, decimals, of };
}

/** NaN for a row whose cells cannot be read. */
export function changesOf({ parts, direction }: AmountWay, numbers: Numbers): readonly number[] {
  const columns = parts.map((part) => ({ ...part, values: numbers.of(part.at) }));
  return numbers.rows.map((row, index) => {
    let sum = 0;
    for (const { values, by, isSize } of columns) {
      const value = values[index] ?? 0;
      sum += by * (isSize ? Math.abs(value) : value);
    }
    if (!direction || sum === 0) return sum;
    return sum * (direction.signOf(row[direction.at] ?? '') || Number.NaN);
  });
}

/** True if a cell has a sign of its own, or a mark that stands for one. */
export const isSigned = (cell: string) => /[-\u2212(]|(CR|D[RB])\s*$/i.test(cell);

/** Fewer rows may have one amount. */
const MIN_DIFFERENT = 4;

/**
 * All ways for the columns of numbers of the first rows, the best by their words first. Where their order is not known, a balance proves
 * the one sign as well as the other, so that signs are as they are written.
 */
export function amountWays(
  columns: readonly Column[],
  numbers: Numbers,
  isOrderKnown: boolean,
): readonly AmountWay[] {
  const all = columns.filter(({ kind }) => kind === 'number');
  // A column that is the same in many rows says nothing about one of them, unless its name says that it has the amounts.
  const varying = all.filter(
    ({ distinct, filled, name, cells }) =>
      distinct > 1 ||
      filled < cells.length ||
      filled < MIN_DIFFERENT ||
      (says(name, 'amount') && !says(name, 'notAmount')),
  );
  const possible = varying.length > 0 ? varying : all;
  const directions = columns.flatMap(wordsOf);
  return [
    ...possible.flatMap((column) => singleWays(column, directions, isOrderKnown)),
    ...pairWays(possible, numbers),
    ...loneWays(possible, columns, numbers),
  ].toSorted((one, other) => other.rank - one.rank);
}

/** Which direction the name of a column says, if it is one. */
const sideOf = (name: string): -1 | 0 | 1 =>
  says(name, 'debit') === says(name, 'credit') ? 0 : says(name, 'debit') ? -1 : 1;

/** Exactly the word of an amount, perhaps with a currency, comes before a longer name. */
const EXACT = /^\p{L}+\.?( ?[([]?(\p{Sc}|\p{L}{3})[)\]]?)?$/u;

function rankOf({ name, filled, cells }: Column): number {
  // Some rows have no amount: the other one of a pair, or a balance.
  if (filled < cells.length) return says(name, 'amount') && !says(name, 'notAmount') ? 80 : -1;
  if (says(name, 'notAmount')) return -1;
  if (says(name, 'amount')) return EXACT.test(name) ? 100 : 90;
  // A number of something has no decimals and no sign. In a few rows, only the balance may have a sign.
  const hasSign = cells.length > 2 && cells.some(isSigned);
  return hasSign || cells.some((cell) => /[.,]\d\d?\D{0,5}$/.test(cell)) ? 50 : 20;
}

function singleWays(
  column: Column,
  directions: readonly DirectionWords[],
  isOrderKnown: boolean,
): AmountWay[] {
  const { at, name, cells } = column;
  const rank = rankOf(column);
  const hasSigns = cells.some(isSigned);
  const written: AmountWay = { parts: [{ at, by: 1 }], rank, isDirected: false };
  const turned: AmountWay = { parts: [{ at, by: -1 }], rank: -3, isDirected: true };
  const side = says(name, 'amount') ? 0 : sideOf(name);
  const named: AmountWay[] =
    side === 0 ? [] : [{ parts: [{ at, by: hasSigns ? 1 : side }], rank: 25, isDirected: true }];
  const directed = directions.flatMap(({ direction, words, isKnown, isExact }): AmountWay[] => {
    const agree = cells.map((cell, row) => (isSigned(cell) ? -1 : 1) * direction.signOf(words[row] ?? ''));
    const isAlways = agree.every((each) => each === 1);
    // Words of kinds of payments do not contradict signs.
    if (hasSigns && isKnown && !isExact && !isAlways) return [];
    // Signs that always agree with the words, or never do, add nothing to them.
    const isSize = !hasSigns || isAlways || agree.every((each) => each === -1);
    const base = isKnown ? rank + 5 : -2;
    return [true, false].map((each) => ({
      parts: [{ at, by: 1, isSize: each }],
      direction,
      rank: isSize === each ? base : Math.min(base, -1),
      isDirected: true,
    }));
  });
  return [
    ...directed,
    ...named,
    written,
    ...(hasSigns && !(isOrderKnown && cells.length >= MIN_DIFFERENT) ? [] : [turned]),
  ];
}

interface DirectionWords {
  readonly direction: Direction;
  readonly words: readonly string[];
  readonly isKnown: boolean;
  readonly isExact: boolean;
}

/** A column with words for both directions, or with two words that a balance may explain. */
function wordsOf({ at, name, kind, filled, distinct, cells }: Column): readonly DirectionWords[] {
  if (kind !== 'text' || filled < cells.length || distinct > 6) return [];
  const words = [...new Set(cells)];
  const signOf = memo(directionOf);
  const signs = words.map(signOf);
  const isMixed = signs.includes(1) && signs.includes(-1);
  const isNamed = says(name, 'direction');
  const isExact = words.every(exactDirection);
  // With a third letter some rows cannot be read, and the file is refused unless its amounts have signs.
  const areLetters = isMixed && isNamed && words.every(({ length }) => length <= 2);
  if (areLetters || (!signs.includes(0) && (isMixed || (isExact && isNamed))))
    return [{ direction: { at, signOf }, words: cells, isKnown: true, isExact: isExact || areLetters }];
  if (distinct !== 2 || filled < MIN_DIFFERENT) return [];
  return words.map((received) => ({
    direction: { at, signOf: (cell) => (cell === received ? 1 : words.includes(cell) ? -1 : 0) },
    words: cells,
    isKnown: false,
    isExact: false,
  }));
}

/** Two columns of which each row has one, or most rows if a balance proves it. An amount of 0 is none. */
function pairWays(possible: readonly Column[], numbers: Numbers): AmountWay[] {
  return possible.flatMap((one, index) =>
    possible.slice(index + 1).flatMap((other): AmountWay[] => {
      const [ones, others] = [numbers.of(one.at), numbers.of(other.at)];
      const both = ones.filter((value, row) => value !== 0 && others[row] !== 0).length;
      const isEach = [ones, others].every((values) => values.some(Boolean) && !values.some(Number.isNaN));
      if (!isEach || both * 4 > ones.length) return [];
      const isOther = [one, other].some(({ name }) => says(name, 'balance') || says(name, 'fee'));
      const pair = waysOfPair(one, other, numbers);
      return both === 0 && !isOther ? pair : pair.map((way) => ({ ...way, rank: -1 }));
    }),
  );
}

function waysOfPair(one: Column, other: Column, numbers: Numbers): AmountWay[] {
  const [debit, credit] = sideOf(one.name) === 1 ? [other, one] : [one, other];
  const [out, into] = [sideOf(debit.name), sideOf(credit.name)];
  const isNamed = out === -1 && into === 1;
  const isHalfNamed = !isNamed && (out !== 0 || into !== 0);
  const [ones, others] = [debit, credit].map(({ at }) => new Set(numbers.of(at).map(Math.sign)));
  const way = (first: Column, by: 1 | -1, second: Column, rank: number): AmountWay => ({
    parts: [
      { at: first.at, by },
      { at: second.at, by: 1 },
    ],
    rank,
    isDirected: true,
  });
  // Some banks write what goes out with a sign, although it has a column of its own.
  const areSigned = [1, -1].some((sign) => !ones?.has(sign) && !others?.has(-sign));
  if (areSigned) return [way(debit, 1, credit, isNamed ? 95 : 65)];
  const rank = isNamed ? 95 : isHalfNamed ? 55 : 52;
  return [way(debit, -1, credit, rank), way(credit, -1, debit, isNamed || isHalfNamed ? -1 : rank)];
}

/** A column for one direction, whose other column is empty in all rows. */
function loneWays(possible: readonly Column[], columns: readonly Column[], numbers: Numbers): AmountWay[] {
  const empty = columns.filter(({ kind }) => kind === 'empty');
  return possible.flatMap(({ at, name }): AmountWay[] => {
    const side = sideOf(name);
    if (side === 0 || !empty.some((each) => says(each.name, side === -1 ? 'credit' : 'debit'))) return [];
    const isNegative = numbers.of(at).every((value) => value <= 0);
    return [{ parts: [{ at, by: isNegative ? 1 : side }], rank: 92, isDirected: true }];
  });
}

/** The decimal signs that all numbers of the table may have, rates included. All of them if none fits all. */
export function decimalsOf(columns: readonly Column[]): readonly DecimalSign[] {
  const all = new Set(columns.flatMap(({ kind, cells }) => (kind === 'number' ? cells : [])));
  const cells = [...all].filter((cell) => rateSign(cell) !== undefined || looksLikeAmount(cell));
  const fitting = decimalSigns.filter((sign) =>
    cells.every((cell) => {
      const rate = rateSign(cell);
      return rate === undefined ? readAmount(cell, sign) !== undefined : rate === sign;
    }),
  );
  return fitting.length > 0 ? fitting : decimalSigns;
}
