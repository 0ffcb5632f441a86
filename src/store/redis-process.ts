/**
 * This server as a process of one store: whether it and the others run, and its writes, one after the other and each with the
 * next number. So Redis recognises a write that is sent again, because its answer was lost, and one that arrives after the
 * next one.
 */
import { z } from 'zod';
import type { RedisAnswer, RedisArguments, RedisConnection } from './redis-connection.ts';
import { findProcess, openStore, removeProcesses, type Script, type StoreKeys } from './redis-scripts.ts';
import { StoreError } from './store-error.ts';

/** Sends a script that writes. `keys` and `args` are those of this script only. */
export type Write = (
  script: Script,
  keys: readonly string[],
  args: RedisArguments,
  waitsForReplicas?: boolean,
) => Promise<RedisAnswer>;

const processIds = z.array(z.instanceof(Buffer));

export class RedisProcess {
  readonly id: string;
  readonly #redis: RedisConnection;
  readonly #keys: StoreKeys;
  #last = 0;
  /** The last write that Redis has answered as done. */
  #lastDone = 0;
  #isOver = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(redis: RedisConnection, keys: StoreKeys) {
    this.#redis = redis;
    this.id = redis.nextProcessId();
    this.#keys = keys;
  }

  /** Whether the store was closed or removed, so that it has no locks of this process any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  async begin(): Promise<void> {
    await this.#redis.renew();
    const { result } = await this.run(openStore, [], [this.id]);
    await this.removeEnded(processIds.parse(result).map(String));
  }

  async isRunning(id: string): Promise<boolean> {
    const [{ result }, hasEnded] = await Promise.all([
      this.run(findProcess, [], [id]),
      this.removeEnded([id]),
    ]);
    return result === 1 && !hasEnded;
  }

  /** Returns whether any of these processes has ended. Then they cannot write any more. */
  async removeEnded(ids: readonly string[]): Promise<boolean> {
    const ended = await this.#redis.ended(ids);
    if (ended.length > 0) await this.#remove(ended);
    return ended.length > 0;
  }

  /** The locks of this process become free. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#turn;
    await this.#redis.ensure(() => this.#remove([this.id]));
  }

  /** `since` is when the caller began to wait. */
  async run(script: Script, keys: readonly string[], args: RedisArguments, since?: number) {
    if (this.#isOver) throw new StoreError('closed', { isEnd: true });
    return this.#run(script, keys, args, since);
  }

  /** `work` may write several times. No other write of this process to the store comes in between. */
  async inTurn<Result>(work: (write: Write, since: number) => Promise<Result>): Promise<Result> {
    if (this.#isOver) throw new StoreError('closed', { isEnd: true });
    const since = this.#redis.localTime();
    const turn = this.#turn.then(() =>
      work((script, keys, args, waits) => this.#write(script, keys, args, since, waits), since),
    );
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #write(
    script: Script,
    keys: readonly string[],
    args: RedisArguments,
    since: number,
    waitsForReplicas = false,
  ) {
    this.#last += 1;
    const number = this.#last;
    const numbered = [this.id, number, this.#lastDone, ...args];
    const answer = await this.#run(script, keys, numbered, since, waitsForReplicas);
    if (answer.status === 'removed') {
      await this.#redis.renew();
      this.#isOver = true;
      throw new StoreError('without this store: it was closed or removed', { isEnd: true });
    }
    if (answer.status === 'done') this.#lastDone = number;
    if (answer.status === 'late') throw new Error('Two writes were sent at once.');
    return answer;
  }

  async #remove(ids: readonly string[]): Promise<void> {
    await this.#run(removeProcesses, [], ids);
  }

  #run(
    script: Script,
    keys: readonly string[],
    args: RedisArguments,
    since?: number,
    waitsForReplicas = false,
  ): Promise<RedisAnswer> {
    const all = [this.#keys.records, this.#keys.processes, ...keys];
    return this.#redis[waitsForReplicas ? 'runSafely' : 'run'](script, all, args, since);
  }
}
