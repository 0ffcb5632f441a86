/**
 * The writes of this process to one store, one after the other and each with the next number. So Redis recognises a write
 * that is sent again, because its answer was lost, and one that arrives after the next one.
 */
import type { RedisAnswer, RedisArguments, RedisConnection } from './redis-connection.ts';
import type { Script, StoreKeys } from './redis-scripts.ts';
import { StoreError } from './store-error.ts';

/** Sends a script that writes. `keys` and `args` are those of this script only. */
export type Write = (script: Script, keys: readonly string[], args: RedisArguments) => Promise<RedisAnswer>;

export class RedisWrites {
  /** This process, for this store. */
  readonly processId: string;
  readonly #redis: RedisConnection;
  readonly #keys: StoreKeys;
  #last = 0;
  /** The last one that Redis has answered as done. */
  #lastDone = 0;
  #isRemoved = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(redis: RedisConnection, keys: StoreKeys) {
    this.#redis = redis;
    this.processId = redis.nextProcessId();
    this.#keys = keys;
  }

  /** Whether the store was closed or removed, so that it has no locks of this process any more. */
  get isRemoved(): boolean {
    return this.#isRemoved;
  }

  /**
   * `work` may write several times. No other write of this process to the store comes in between. `since` is when its
   * caller began to wait.
   */
  inTurn<Result>(work: (write: Write, since: number) => Promise<Result>): Promise<Result> {
    const since = this.#redis.localTime();
    const turn = this.#turn.then(() =>
      work((script, keys, args) => this.#write(script, keys, args, since), since),
    );
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #write(script: Script, keys: readonly string[], args: RedisArguments, since: number) {
    this.#last += 1;
    const number = this.#last;
    const { records, processes } = this.#keys;
    const answer = await this.#redis.run(
      script,
      [records, processes, ...keys],
      [this.processId, number, this.#lastDone, ...args],
      since,
    );
    if (answer.status === 'removed') {
      this.#isRemoved = true;
      await this.#redis.renew();
      throw new StoreError('without this store: it was closed or removed', { isEnd: true });
    }
    if (answer.status === 'done') this.#lastDone = number;
    if (answer.status === 'late') throw new Error('Two writes were sent at once.');
    return answer;
  }
}
