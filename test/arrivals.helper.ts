/** A queue that a test waits on for the next value, without polling. No value is missed. */
export class Arrivals<T> {
  /** The values that were not requested yet. */
  readonly waiting: T[] = [];
  #requests: ((arrival: T) => void)[] = [];

  readonly add = (arrival: T): void => {
    const request = this.#requests.shift();
    if (request) request(arrival);
    else this.waiting.push(arrival);
  };

  async next(): Promise<T> {
    const [first] = this.waiting.splice(0, 1);
    return first ?? new Promise((resolve) => this.#requests.push(resolve));
  }
}
