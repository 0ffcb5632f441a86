/** Choices as numbers. Each is taken modulo the number of possible values. */
export class Picks {
  readonly #picks: readonly number[];
  #next = 0;

  constructor(picks: readonly number[]) {
    this.#picks = picks;
  }

  from<T>(all: readonly T[]): T {
    const chosen = all[this.number() % all.length];
    if (chosen === undefined) throw new Error('There is nothing to choose from.');
    return chosen;
  }

  /** True once in this many times. */
  happens(times: number): boolean {
    return this.number() % times === 0;
  }

  number(): number {
    const pick = this.#picks[this.#next % this.#picks.length] ?? 0;
    this.#next += 1;
    return pick + Math.floor(this.#next / this.#picks.length);
  }
}
