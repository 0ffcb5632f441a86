/** Measures several functions alternately, so that other load on the machine affects all of them equally. */

export interface Times {
  readonly median: number;
  readonly p99: number;
}

type Timed<Name extends string> = Readonly<Record<Name, () => unknown>>;

/** Returns the times in milliseconds by name. The first rounds are for warming up and are not counted. */
export async function inTurns<Name extends string>(
  functions: Timed<Name>,
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
): Promise<(name: Name) => Times> {
  const times = new Map<string, number[]>();
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [name, run] of Object.entries<() => unknown>(functions)) {
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
