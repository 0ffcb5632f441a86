/**
 * A function that keeps its results, since thousands of rows have the same few texts and amounts. It keeps at most `max` of them, and
 * works out others each time.
 */
export function memo<Given, Result extends NonNullable<unknown>>(
  work: (given: Given) => Result,
  max = Number.POSITIVE_INFINITY,
): (given: Given) => Result {
  const known = new Map<Given, Result>();
  return (given) => {
    const before = known.get(given);
    if (before !== undefined) return before;
    const found = work(given);
    if (known.size < max) known.set(given, found);
    return found;
  };
}
