/** Limits how deeply a message is nested, so that recursive code does not run out of stack. */

/** Arguments of a tool have about six levels. */
const MAX_DEPTH = 64;

export const isTooDeep = (value: unknown): boolean => isDeeperThan(MAX_DEPTH, value);

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(levels - 1, each));
}
