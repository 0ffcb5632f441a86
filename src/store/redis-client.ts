/**
 * A connection to Redis, which is made again by itself when it is lost. A command is sent again for some seconds, and then
 * fails with a `StoreError` that completes "Redis is …".
 */
import { Redis } from 'ioredis';
import type { Clock } from '../base/clock.ts';
import { redisProblemOf } from './redis-problem.ts';
import { redisOptionsOf } from './redis-url.ts';
import { StoreError } from './store-error.ts';

/** A command is sent again if there is no answer for this long. */
const ATTEMPT_MS = 2_000;
/** A command fails if Redis has not answered anything for this long. */
const MAX_WAIT_MS = 4_500;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 400;

export class RedisClient {
  readonly redis: Redis;
  readonly #clock: Clock;
  #connectionError: Error | undefined;
  /** Why Redis could not be used last. */
  #problem = 'not answering';
  #answeredAt = Number.NEGATIVE_INFINITY;
  #end: StoreError | undefined;
  /** The connection is being closed. */
  #isGivenUp = false;

  constructor(url: string, clock: Clock) {
    this.#clock = clock;
    this.redis = new Redis({
      ...redisOptionsOf(url),
      connectTimeout: ATTEMPT_MS,
      disconnectTimeout: 1,
      // Only this class knows what may be sent again.
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      maxRetriesPerRequest: 0,
      enableReadyCheck: false,
      disableClientInfo: true,
      retryStrategy: (times) => Math.min(FIRST_PAUSE_MS * 2 ** times, MAX_PAUSE_MS),
    });
    this.redis.on('error', (error: Error) => {
      this.#connectionError = error;
    });
    this.redis.on('ready', () => {
      this.#connectionError = undefined;
    });
    this.redis.on('close', () => {
      this.#isGivenUp = false;
    });
  }

  /** `since` is when the caller began to wait. A command may be carried out several times. */
  async send(since: number, command: (redis: Redis) => Promise<unknown>): Promise<unknown> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      if (this.#end) throw this.#end;
      const leftMs = Math.max(since, this.#answeredAt) + MAX_WAIT_MS - this.#clock.monotonic();
      if (leftMs <= 0) throw new StoreError(this.#problem);
      try {
        const answer = await this.inTime(command(this.redis), Math.min(ATTEMPT_MS, leftMs));
        this.#answeredAt = this.#clock.monotonic();
        return answer;
      } catch (error) {
        if (this.#end) throw this.#end;
        const { message, passes } = redisProblemOf(error, this.#connectionError);
        this.#problem = message;
        // Without the error as a cause: it has the arguments of the command.
        if (!passes) throw new StoreError(message);
      }
      await this.#clock.sleep(pause);
    }
  }

  /** A connection without an answer is given up: it may be dead, and another one may work. */
  async inTime<Answer>(answer: Promise<Answer>, milliseconds = ATTEMPT_MS): Promise<Answer> {
    const settled = new AbortController();
    const limit = this.#clock.sleep(milliseconds, settled.signal, true).then(() => {
      this.#giveUpConnection();
      throw new Error('There is no answer.');
    });
    return Promise.race([answer, limit]).finally(() => settled.abort());
  }

  /** Only once, although many commands may notice at the same time: ioredis adds a listener to the socket each time. */
  #giveUpConnection(): void {
    if (this.#isGivenUp || !['ready', 'connect'].includes(this.redis.status)) return;
    this.#isGivenUp = true;
    this.redis.disconnect(true);
  }

  /** Every command fails with `reason` from now on. */
  stop(reason: StoreError): void {
    this.#end = reason;
    this.redis.disconnect();
  }
}
