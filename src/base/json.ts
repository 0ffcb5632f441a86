import { compareTexts } from './compare.ts';

/** An object whose fields are not known at compile time. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined if the text is not JSON. The parser's error is not passed on, because it quotes the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON text of a value, the same for equal values: the order of properties makes no difference. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    isJsonObject(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => compareTexts(a, b)))
      : each,
  );

/** Arguments of a tool have about six levels. */
const MAX_DEPTH = 64;

/** Whether recursive code could run out of stack. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isTooDeep(each, levels - 1));
}

/** The newest of them that have room in so many characters of JSON. One that is larger must not remove all others. */
export function newestWithin<Each>(all: readonly Each[], limit: number): Each[] {
  let length = 0;
  return all
    .toReversed()
    .filter((each) => {
      const size = JSON.stringify(each).length;
      if (length + size > limit) return false;
      length += size;
      return true;
    })
    .toReversed();
}
