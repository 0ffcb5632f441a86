/** How long the bars of a table are. Pure. */

/** An amount is so many times as large as the next one if it has a part of the bar for itself. */
const FAR = 2;
/** Where that part begins. */
export const BREAK = 0.85;

/** One very large amount goes beyond the scale of the others, so that they can be compared. */
export function barScale(amounts: readonly number[]) {
  const [largest = 0, second = 0] = amounts.toSorted((a, b) => b - a);
  const isBroken = second > 0 && largest > FAR * second;
  const end = isBroken ? second : Math.max(largest, 1);
  const width = isBroken ? BREAK : 1;
  const isBeyond = (amount: number) => amount > end;
  return {
    /** Whether the bar of this amount is not to scale. */
    isBeyond,
    /** The part of the width, from 0 to 1. What is below zero has no bar. */
    partOf: (amount: number) =>
      isBeyond(amount)
        ? BREAK + (1 - BREAK) * ((amount - end) / (largest - end))
        : Math.max(0, amount / end) * width,
  };
}
