/** Which numbers of a few add up to a total. Exact, in time that grows with the square root of the number of sets. */

/** More numbers have too many sets to be searched. */
export const MAX_NUMBERS = 20;

/** A set of numbers, as their indexes in ascending order. */
export type IndexSet = readonly number[];

interface Half {
  readonly sum: bigint;
  readonly indexes: IndexSet;
}

/**
 * The first sets of `numbers` that add up to `total`, at most `max`. Two are enough to know that a set is not the only
 * one. The empty set adds up to 0. The sums are exact also beyond 2^53. Throws for more than `MAX_NUMBERS` numbers.
 */
export function findSubsets(numbers: readonly number[], total: number, max = 2): IndexSet[] {
  if (numbers.length > MAX_NUMBERS) throw new RangeError(`At most ${MAX_NUMBERS} numbers can be searched.`);
  const middle = Math.ceil(numbers.length / 2);
  const bySum = new Map<bigint, IndexSet[]>();
  for (const { sum, indexes } of setsOf(numbers.slice(0, middle))) {
    const sets = bySum.get(sum);
    if (!sets) bySum.set(sum, [indexes]);
    else if (sets.length < max) sets.push(indexes);
  }
  const found: IndexSet[] = [];
  for (const { sum, indexes } of setsOf(numbers.slice(middle))) {
    const right = indexes.map((index) => index + middle);
    for (const left of bySum.get(BigInt(total) - sum) ?? []) {
      found.push([...left, ...right]);
      if (found.length === max) return found;
    }
  }
  return found;
}

/** All sets of the numbers. */
function setsOf(numbers: readonly number[]): Half[] {
  const sets: Half[] = [{ sum: 0n, indexes: [] }];
  for (const [index, number] of numbers.entries())
    sets.push(...sets.map((set) => ({ sum: set.sum + BigInt(number), indexes: [...set.indexes, index] })));
  return sets;
}
