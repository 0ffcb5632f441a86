/** A small seeded random number generator (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** A random amount in milliunits, from `min` to `max`, in whole multiples of `smallestUnit`. */
  amount(min: number, max: number, smallestUnit: number): number {
    return this.integer(min / smallestUnit, max / smallestUnit) * smallestUnit;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.integer(0, items.length - 1)] ?? items[0];
  }

  /** The nearer an item is to the first, the more often it is picked. */
  pickOften<T>(items: readonly [T, ...T[]]): T {
    return items[Math.floor(items.length * this.next() ** 2)] ?? items[0];
  }

  /** A UUID of version 4. */
  uuid(): string {
    const word = () => Math.floor(this.next() * 2 ** 32);
    const hex = [word(), word(), word(), word()].map((each) => each.toString(16).padStart(8, '0')).join('');
    const variant = '89ab'.charAt(this.integer(0, 3));
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
