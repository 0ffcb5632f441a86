/** True if a column of balances agrees with the changes of the rows, in either order, after or before each row. */
import { countsOf } from '../../../base/group-by.ts';
import type { Numbers } from './amount-ways.ts';
import { says } from './column-words.ts';
import type { Column } from './table-shape.ts';

export interface Verdict {
  /** All balances follow from the changes. */
  readonly isProven: boolean;
  /** Rows that change no balance, and are therefore none of the account. */
  readonly unbooked: ReadonlySet<number>;
  /** Most balances follow from the changes, but that of this row does not. */
  readonly contradicted?: number;
}

const NOTHING: Verdict = { isProven: false, unbooked: new Set() };
/** Balances that have to follow, so that a column without a name that says so is none by chance. */
const MIN_PROVEN = 2;

/**
 * `groups` are the rows of each account, in the order of the file, and `isAscending` says whether the oldest comes first.
 * where that is known: else a balance is the one after its row. Columns that the changes come from are no balance.
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
  for (const column of columns) {
    const { at, kind, distinct, name } = column;
    // A balance that never changes judges nothing.
    if (kind !== 'number' || distinct < 2 || own.has(at)) continue;
    const isNamed = says(name, 'balance');
    const verdict = judgeColumn(changes, at, numbers, groups, isAscending, isNamed);
    if (verdict.isProven) return verdict;
    if (verdict.contradicted !== undefined) found = verdict;
  }
  return found;
}

function judgeColumn(
  changes: readonly number[],
  at: number,
  numbers: Numbers,
  groups: readonly (readonly number[])[],
  isAscending: boolean | undefined,
  isNamed: boolean,
): Verdict {
  const balances = numbers.of(at);
  const unbooked = new Set<number>();
  const breaks: number[] = [];
  let [proven, links] = [0, 0];
  for (const group of groups) {
    const filled = group.filter((row) => !numbers.isEmpty(row, at));
    const best = bestOrder(changes, balances, group, filled, isAscending);
    if (!best) continue;
    for (const row of best.unbooked) unbooked.add(row);
    breaks.push(...best.breaks);
    proven += best.proven;
    links += best.links;
  }
  if (breaks.length === 0 && proven >= (isNamed ? 1 : MIN_PROVEN)) return { isProven: true, unbooked };
  const [first] = breaks;
  const agreeing = links - breaks.length;
  const isMost = isNamed
    ? agreeing >= 2 && agreeing * 2 >= links
    : agreeing >= 4 && agreeing * 5 >= links * 4;
  return first !== undefined && isMost && proven >= 2 ? { ...NOTHING, contradicted: first } : NOTHING;
}

interface Chain {
  readonly breaks: readonly number[];
  readonly unbooked: readonly number[];
  /** How many balances follow from changes that are not 0, and how many there are after the first. */
  readonly proven: number;
  readonly links: number;
}

/** With all rows, or only with those that have a balance: a bank may write one for a day, or none for what is not booked. */
function bestOrder(
  changes: readonly number[],
  balances: readonly number[],
  group: readonly number[],
  filled: readonly number[],
  isKnownAscending: boolean | undefined,
): Chain | undefined {
  let best: Chain | undefined;
  const withGaps = filled.length < group.length;
  const isFilled = new Set(filled);
  for (const rows of withGaps ? [group, filled] : [filled])
    for (const isAscending of isKnownAscending === undefined ? [true, false] : [isKnownAscending])
      for (const isAfter of isKnownAscending === undefined ? [true] : [true, false]) {
        const chain = chainOf(changes, balances, rows, filled, isAscending === isAfter, isAscending);
        const left = rows === group || !withGaps ? [] : group.filter((row) => !isFilled.has(row));
        if (!best || chain.breaks.length < best.breaks.length)
          best = { ...chain, unbooked: [...chain.unbooked, ...left] };
        if (best.breaks.length === 0 && best.proven > 0) return best;
      }
  // Rows of one day may be in any order: then each balance is that before another row.
  const isInOrder = isKnownAscending === undefined || (best?.proven ?? 0) > 0;
  if (best && best.breaks.length > 0 && !withGaps && isInOrder && isOneWay(changes, balances, filled))
    return { ...best, breaks: [], proven: filled.length - 1 };
  return best;
}

/** `takesCurrent`: the difference to the balance before is the change of this row, and not of the one before it. */
function chainOf(
  changes: readonly number[],
  balances: readonly number[],
  rows: readonly number[],
  filled: readonly number[],
  takesCurrent: boolean,
  isAscending: boolean,
): Chain {
  const [breaks, unbooked]: [number[], number[]] = [[], []];
  let [proven, expected, links] = [0, 0, 0];
  let last: number | undefined;
  let isFilled = filled.length === rows.length;
  const withBalance = isFilled ? undefined : new Set(filled);
  for (const row of rows) {
    const change = changes[row] ?? 0;
    isFilled = withBalance?.has(row) ?? true;
    if (takesCurrent) expected += change;
    if (isFilled) {
      if (last !== undefined) {
        links += 1;
        const difference = ((balances[row] ?? 0) - (balances[last] ?? 0)) * (isAscending ? 1 : -1);
        if (difference === expected) proven += expected === 0 ? 0 : 1;
        else if (difference === 0) unbooked.push(takesCurrent ? row : last);
        else breaks.push(row);
      }
      last = row;
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
function isOneWay(changes: readonly number[], balances: readonly number[], all: readonly number[]): boolean {
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
