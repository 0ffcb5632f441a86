/** A bound for the nesting of messages, so that nothing which walks one runs out of stack. */

/** Arguments of a tool are some six levels deep. */
const MAX_DEPTH = 64;

export const isTooDeep = (value: unknown): boolean => isDeeperThan(MAX_DEPTH, value);

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(levels - 1, each));
}
