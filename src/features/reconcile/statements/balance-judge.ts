/** True if a column of balances agrees with the changes of the rows, in either order, after or before each row. */
import { countsOf } from '../../../base/group-by.ts';
import { sumOf } from '../../../model/sums/sum.ts';
import type { Numbers } from './amount-ways.ts';
import { says } from './column-words.ts';
import type { Column } from './table-shape.ts';

export interface Verdict {
  /** All balances follow from the changes. */
  readonly isProven: boolean;
  /** Rows that change no balance, and are therefore none of the account. */
  readonly unbooked: ReadonlySet<number>;
  /** Most balances of this column follow from the changes, but that of this row does not. */
  readonly contradicted?: { readonly at: number; readonly row: number };
}

const NOTHING: Verdict = { isProven: false, unbooked: new Set() };
/** Balances that have to follow, so that a column without a name that says so is none by chance. */
const MIN_PROVEN = 2;

/**
 * `groups` are the rows of each account, in the order of the file, and `isAscending` says whether the oldest comes first, where that is
 * known: else a balance is the one after its row. Columns that the changes come from (`own`) are no balance.
 */
export function judgeBalance(
  changes: readonly number[],
  own: ReadonlySet<number>,
  columns: readonly Column[],
  numbers: Numbers,
  groups: readonly (readonly number[])[],
  isAscending: boolean | undefined,
): Verdict {
  let found = NOTHING;
  for (const { at, kind, distinct, name } of columns) {
    // A balance that never changes judges nothing.
    if (kind !== 'number' || distinct < 2 || own.has(at)) continue;
    const balances = numbers.of(at).map((each, row) => (numbers.rows[row]?.[at] === '' ? undefined : each));
    const chains = groups.map((group) => bestChain(changes, balances, group, isAscending));
    const verdict = judgeChains(chains, at, says(name, 'balance'));
    if (verdict.isProven) return verdict;
    if (verdict.contradicted) found = verdict;
  }
  return found;
}

function judgeChains(chains: readonly Chain[], at: number, isNamed: boolean): Verdict {
  const breaks = chains.flatMap((each) => each.breaks);
  const proven = sumOf(chains, (each) => each.proven);
  const links = sumOf(chains, (each) => each.links);
  if (breaks.length === 0 && proven >= (isNamed ? 1 : MIN_PROVEN))
    return { isProven: true, unbooked: new Set(chains.flatMap(({ unbooked }) => unbooked)) };
  const [row] = breaks;
  const agreeing = links - breaks.length;
  const isMost = isNamed
    ? agreeing >= 2 && agreeing * 2 >= links
    : agreeing >= 4 && (agreeing * 5 >= links * 4 || breaks.length <= 2);
  return row !== undefined && isMost && proven >= 2 ? { ...NOTHING, contradicted: { at, row } } : NOTHING;
}

interface Chain {
  readonly breaks: readonly number[];
  readonly unbooked: readonly number[];
  /** How many balances follow from changes that are not 0, and how many there are after the first. */
  readonly proven: number;
  readonly links: number;
}

const NO_CHAIN: Chain = { breaks: [], unbooked: [], proven: 0, links: 0 };

/** Undefined for an empty cell. */
type Balances = readonly (number | undefined)[];

/** With all rows, or only with those that have a balance: a bank may write one for a day, or none for what is not booked. */
function bestChain(
  changes: readonly number[],
  balances: Balances,
  group: readonly number[],
  isAscending: boolean | undefined,
): Chain {
  const isKnown = isAscending !== undefined;
  const [filled, left]: [number[], number[]] = [[], []];
  for (const row of group) (balances[row] === undefined ? left : filled).push(row);
  const directions = isKnown ? [isAscending] : [true, false];
  const chainsOf = (rows: readonly number[]) =>
    directions.flatMap((isUp) =>
      (isKnown ? [isUp, !isUp] : [isUp]).map((takesCurrent) =>
        chainOf(changes, balances, rows, takesCurrent, isUp),
      ),
    );
  const withoutLeft = left.length === 0 ? [] : chainsOf(filled);
  const [best = NO_CHAIN] = [
    ...chainsOf(group),
    ...withoutLeft.map((each) => ({ ...each, unbooked: [...each.unbooked, ...left] })),
  ].toSorted((one, other) => one.breaks.length - other.breaks.length);
  // Rows of one day may be in any order: then each balance is that before another row.
  const isPossible = best.breaks.length > 0 && left.length === 0 && (!isKnown || best.proven > 0);
  return isPossible && isOneWay(changes, balances, filled)
    ? { ...best, breaks: [], proven: filled.length - 1 }
    : best;
}

/** `takesCurrent`: the difference to the balance before is the change of this row, and not of the one before it. */
function chainOf(
  changes: readonly number[],
  balances: Balances,
  rows: readonly number[],
  takesCurrent: boolean,
  isAscending: boolean,
): Chain {
  const [breaks, unbooked]: [number[], number[]] = [[], []];
  let [proven, expected, links] = [0, 0, 0];
  let last: { readonly row: number; readonly balance: number } | undefined;
  for (const row of rows) {
    const [change = 0, balance] = [changes[row], balances[row]];
    if (takesCurrent) expected += change;
    if (balance !== undefined) {
      if (last) {
        links += 1;
        const difference = isAscending ? balance - last.balance : last.balance - balance;
        if (difference === expected) proven += expected === 0 ? 0 : 1;
        else if (difference === 0) unbooked.push(takesCurrent ? row : last.row);
        else breaks.push(row);
      }
      last = { row, balance };
      expected = 0;
    }
    if (!takesCurrent) expected += change;
  }
  // Rows that change no balance are exceptions.
  return unbooked.length * 4 > links
    ? { breaks: [...breaks, ...unbooked], unbooked: [], proven, links }
    : { breaks, unbooked, proven, links };
}

/** True if all balances but one are those before another row, each once. */
function isOneWay(changes: readonly number[], balances: Balances, all: readonly number[]): boolean {
  const rows = all.filter((row) => changes[row] !== 0);
  const known = new Set(
    rows.flatMap((row) => [balances[row] ?? 0, (balances[row] ?? 0) - (changes[row] ?? 0)]),
  );
  // A row that changes nothing has the balance of another one.
  if (!all.every((row) => known.has(balances[row] ?? 0))) return false;
  const counts = new Map(countsOf(rows.map((row) => balances[row] ?? 0)));
  let open = 0;
  for (const row of rows) {
    const before = (balances[row] ?? 0) - (changes[row] ?? 0);
    const count = counts.get(before) ?? 0;
    if (count > 0) counts.set(before, count - 1);
    else open += 1;
  }
  return open <= 1 && rows.length > MIN_PROVEN;
}
