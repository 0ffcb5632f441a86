/** What comes by and by, for whoever waits for the next one: nobody sleeps, and nothing is missed. */
export class Arrivals<T> {
  /** Those that nobody has asked for yet. */
  readonly waiting: T[] = [];
  #askers: ((arrival: T) => void)[] = [];

  readonly add = (arrival: T): void => {
    const asker = this.#askers.shift();
    if (asker) asker(arrival);
    else this.waiting.push(arrival);
  };

  async next(): Promise<T> {
    const [first] = this.waiting.splice(0, 1);
    return first ?? new Promise((resolve) => this.#askers.push(resolve));
  }
}
