/**
 * A connection to Redis or to all nodes of a cluster, which is made again by itself when it is lost. A command is sent again
 * for some seconds, and then fails with a `StoreError` that completes "Redis is …".
 */
import { Cluster, Redis, type RedisOptions, ReplyError } from 'ioredis';
import type { Clock } from '../base/clock.ts';
import { errnoOf } from '../base/errno.ts';
import { StoreError } from './store-error.ts';

/** A command is sent again if there is no answer for this long. */
const ATTEMPT_MS = 2_000;
/** A command fails if Redis has not answered anything for this long. */
const MAX_WAIT_MS = 4_500;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 400;

const common = {
  connectTimeout: ATTEMPT_MS,
  disconnectTimeout: 1,
  disableClientInfo: true,
  enableReadyCheck: false,
  // Only this class knows what may be sent again.
  autoResendUnfulfilledCommands: false,
} satisfies RedisOptions;

const pauseBefore = (times: number) => Math.min(FIRST_PAUSE_MS * 2 ** times, MAX_PAUSE_MS);

/** A connection to one node. When it is lost, the next one is to the next node. */
export function connectToNode(addresses: readonly Address[]): Redis {
  const nodeOf = (times: number) => addresses[times % addresses.length];
  const redis = new Redis({
    ...common,
    ...nodeOf(0),
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    retryStrategy(times) {
      Object.assign(redis.options, nodeOf(times));
      return pauseBefore(times);
    },
  });
  return redis;
}

/** Connections to all nodes of a cluster, or to the one Redis. */
function connectToAll(addresses: readonly Address[]): Redis | Cluster {
  if (addresses.length === 1) return connectToNode(addresses);
  const [{ username, password, tls } = {}] = addresses;
  return new Cluster([...addresses], {
    enableReadyCheck: false,
    clusterRetryStrategy: pauseBefore,
    // A certificate has the name of its node.
    dnsLookup: (name, found) => found(null, name),
    // One node that is silent is given up, and not the others.
    redisOptions: { ...common, username, password, tls, socketTimeout: ATTEMPT_MS },
  });
}

export class RedisClient {
  readonly redis: Redis | Cluster;
  readonly #clock: Clock;
  #connectionError: Error | undefined;
  /** Why Redis could not be used last. */
  #problem = 'not answering';
  #answeredAt = Number.NEGATIVE_INFINITY;
  #end: StoreError | undefined;
  /** The connection is being closed. */
  #isGivenUp = false;
  /** The commands without an answer. */
  readonly #waiting = new Set<{ readonly until: number; readonly giveUp: () => void }>();
  #isWatching = false;

  constructor(url: string, clock: Clock, connect: typeof connectToAll = connectToAll) {
    this.#clock = clock;
    this.redis = connect(addressesOf(url));
    for (const event of ['error', 'node error'])
      this.redis.on(event, (error: Error) => {
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
  async send(since: number, command: (redis: Redis | Cluster) => Promise<unknown>): Promise<unknown> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      if (this.#end) throw this.#end;
      const leftMs = Math.max(since, this.#answeredAt) + MAX_WAIT_MS - this.#clock.monotonic();
      if (leftMs <= 0) throw new StoreError(this.#problem);
      try {
        const answer = await this.inTime(command(this.redis), Math.min(ATTEMPT_MS, leftMs));
        // In a cluster, another node may have answered.
        if (this.redis instanceof Redis) this.#answeredAt = this.#clock.monotonic();
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
  inTime<Answer>(answer: Promise<Answer>, milliseconds = ATTEMPT_MS): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(waiting);
        this.#giveUpConnection();
        reject(new Error('There is no answer.'));
      };
      const waiting = { until: this.#clock.monotonic() + milliseconds, giveUp };
      this.#waiting.add(waiting);
      void answer.then(resolve, reject).finally(() => this.#waiting.delete(waiting));
      if (!this.#isWatching) void this.#watch();
    });
  }

  /**
   * One timer for all commands: to set and to clear one for each would be a fifth of the time that a command takes here. One
   * that has less time than the others may fail up to two seconds late.
   */
  async #watch(): Promise<void> {
    this.#isWatching = true;
    while (this.#waiting.size > 0) {
      const next = Math.min(...[...this.#waiting].map(({ until }) => until));
      await this.#clock.sleep(next - this.#clock.monotonic(), undefined, true);
      for (const { until, giveUp } of this.#waiting) if (until <= this.#clock.monotonic()) giveUp();
    }
    this.#isWatching = false;
  }

  /** Only once, although many commands may notice at the same time: ioredis adds a listener to the socket each time. */
  #giveUpConnection(): void {
    if (this.redis instanceof Cluster || this.#isGivenUp) return;
    if (!['ready', 'connect'].includes(this.redis.status)) return;
    this.#isGivenUp = true;
    this.redis.disconnect(true);
  }

  /** Every command fails with `reason` from now on. */
  stop(reason: StoreError): void {
    this.#end = reason;
    this.redis.disconnect();
  }
}

const PORT = 6_379;

type Address = Required<Pick<RedisOptions, 'host' | 'port' | 'db'>> &
  Pick<RedisOptions, 'username' | 'password' | 'tls'>;

/** The address of a Redis, or those of a cluster with commas between them. No error has them: they have the password. */
export function addressesOf(text: string): readonly Address[] {
  const [first, ...others] = text.split(/,(?=rediss?:)/).map(addressOf);
  if (!first) return [];
  if (others.length === 0) return [first];
  const loginOf = ({ username, password, tls, db }: Address) => JSON.stringify([username, password, tls, db]);
  if (first.db !== 0 || others.some((other) => loginOf(other) !== loginOf(first)))
    throw new StoreError(
      'not usable, because the addresses of a cluster need the same user and password, and no number',
    );
  return [first, ...others];
}

/** `redis://user:password@host:port/number`, or `rediss://` for TLS. */
function addressOf(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const [username, password] = [url?.username, url?.password].map(decoded);
  const isTls = url?.protocol === 'rediss:';
  const number = /^\/?(\d*)$/.exec(url?.pathname ?? '')?.[1];
  if (
    !url ||
    !(isTls || url.protocol === 'redis:') ||
    url.hostname === '' ||
    number === undefined ||
    username === undefined ||
    password === undefined ||
    url.search
  )
    throw new StoreError(
      'not usable, because its address is not of the form redis://user:password@host:port',
    );
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(url.port || PORT),
    db: Number(number),
    ...(username && { username }),
    ...(password && { password }),
    ...(isTls && { tls: {} }),
  };
}

/** Undefined if a `%` is not followed by the number of a character. */
function decoded(text = ''): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

interface RedisProblem {
  /** Completes "Redis is …". */
  readonly message: string;
  readonly passes: boolean;
}

/** By the first word of an error that Redis answers. */
const refusals: ReadonlyMap<string, RedisProblem> = new Map([
  ['OOM', { message: 'full', passes: false }],
  ['READONLY', { message: 'a replica that cannot be written to', passes: false }],
  ['MISCONF', { message: 'refusing to write, because it cannot save its data', passes: false }],
  ['NOREPLICAS', { message: 'refusing to write, because it has too few replicas', passes: false }],
  ['WRONGPASS', { message: 'refusing the user or the password', passes: false }],
  ['NOAUTH', { message: 'asking for a password', passes: false }],
  ['NOPERM', { message: 'not permitting this user a command that is needed', passes: false }],
  ['LOADING', { message: 'still loading its data', passes: true }],
  // When a node of a cluster has failed, or was added.
  ['MOVED', { message: 'a node of a cluster, of which the setting needs several addresses', passes: true }],
  ['ASK', { message: 'moving data to another node', passes: true }],
  ['TRYAGAIN', { message: 'moving data to another node', passes: true }],
  ['CLUSTERDOWN', { message: 'a cluster that lacks a node', passes: true }],
  ['BUSY', { message: 'busy with another script', passes: true }],
  ['MASTERDOWN', { message: 'a replica without its primary', passes: true }],
]);

/** No message has an address, a user or a password. `connectionError` has the reason if the connection was lost. */
function redisProblemOf(error: unknown, connectionError?: Error): RedisProblem {
  if (isReply(error)) return refusalOf(error);
  if (isReply(connectionError)) return refusalOf(connectionError);
  const code = errnoOf(connectionError) || errnoOf(error);
  return { message: code === '' ? 'not answering' : `not reachable (${code})`, passes: true };
}

const isReply = (error: unknown): error is Error => error instanceof Error && error instanceof ReplyError;

/** Whether Redis has answered with an error that begins with this word. */
export const isRefusal = (error: unknown, word: string): boolean =>
  isReply(error) && error.message.startsWith(`${word} `);

/** As if Redis had refused the command. */
export const tooFewReplicas = (): Error => new ReplyError('NOREPLICAS');

function refusalOf({ message }: Error): RedisProblem {
  const [word = ''] = message.split(' ');
  return refusals.get(word) ?? { message: 'refusing a command', passes: false };
}
