/** Times of several things that are done in turns, so that whatever else the machine does meets all of them alike. */

export interface Times {
  readonly median: number;
  readonly p99: number;
}

type Timed<Name extends string> = Readonly<Record<Name, () => unknown>>;

/** Milliseconds by name. The first rounds, which warm up, are not counted. */
export async function inTurns<Name extends string>(
  things: Timed<Name>,
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
): Promise<(name: Name) => Times> {
  const times = new Map<string, number[]>();
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [name, run] of Object.entries<() => unknown>(things)) {
      const from = performance.now();
      await run();
      const time = performance.now() - from;
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), time]);
    }
  }
  return (name) => timesOf(times.get(name) ?? []);
}

export function timesOf(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? NaN;
  return { median: at(0.5), p99: at(0.99) };
}
