/**
 * Sessions of the older era in the store that several machines share, so that any of them can answer for a session. One
 * record has all sessions of an endpoint, and a log has the messages of hosts that another machine waits for. Everything
 * is done in turn, so that what is read is never older than what this process has written.
 */
import { z } from 'zod';
import { type Clock, type Moment, momentOf, recordedMoment } from '../../platform/clock.ts';
import { SharedRecord, type SharedStore } from '../../state/shared-store.ts';
import type { SubscriptionChange } from './mcp-session.ts';

const sessionSchema = z.object({
  id: z.string(),
  caller: z.string(),
  /** The parameters of `initialize`. */
  parameters: z.record(z.string(), z.unknown()),
  /** The resources whose changes the host wants to know. */
  subscriptions: z.array(z.string()),
  /** The process that sends notifications: the one with the last stream of the session, and before that the first one. */
  notifier: z.string(),
  hasStream: z.boolean(),
  /** Up to `TOUCHES_PER_IDLE_TIME` times in the time after which it ends. */
  usedAt: z.object({ wall: z.number(), monotonic: z.number() }),
});

export type StoredSession = Readonly<z.output<typeof sessionSchema>>;

/** The least recently used comes first. */
const sessionsSchema = z.array(sessionSchema);

const posted = z.object({ session: z.string(), message: z.unknown(), at: z.number() });

/** A message of a host that arrived on another machine. */
export interface PostedMessage {
  readonly session: string;
  readonly message: unknown;
}

export interface SharedSessionsOptions {
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly max: number;
  readonly idleMs: number;
}

const MESSAGES = 'messages of sessions';
/** Longer than any machine waits for a message. */
const MESSAGES_KEPT_MS = 15 * 60_000;
/** The newest are kept, whatever their age. */
const MAX_MESSAGES = 500;
/** A prime number, because other logs may use every second number. */
const POSTS_BETWEEN_TRIMS = 7;
export const TOUCHES_PER_IDLE_TIME = 10;
/** Of one session. More than a host can subscribe to. */
const MAX_SUBSCRIPTIONS = 256;

export class SharedSessions {
  readonly #options: SharedSessionsOptions;
  readonly #sessions: SharedRecord<typeof sessionsSchema>;
  #turn: Promise<unknown> = Promise.resolve();
  #seenVersion: number | undefined;
  #lastMessage = 0;

  constructor(options: SharedSessionsOptions) {
    this.#options = options;
    this.#sessions = new SharedRecord(options.store, 'sessions', sessionsSchema, []);
  }

  get processId(): string {
    return this.#options.store.processId;
  }

  /** Whether other machines can see what is stored now. */
  get isUsable(): boolean {
    const { isShared, isBlocked } = this.#options.store;
    return isShared && !isBlocked;
  }

  /**
   * Adds a session of this process. If there are too many, the least recently used one ends, if possible one of the same
   * caller, but none with a stream and none of `busy`. Returns whether there is room.
   */
  begin(
    { id, caller, parameters }: Pick<StoredSession, 'id' | 'caller' | 'parameters'>,
    busy: ReadonlySet<string>,
  ): Promise<boolean> {
    const { max } = this.#options;
    return this.#change((sessions, now) => {
      const session = {
        id,
        caller,
        parameters,
        subscriptions: [],
        notifier: this.processId,
        hasStream: false,
        usedAt: now,
      };
      if (sessions.length < max) return { sessions: [...sessions, session], result: true };
      const unused = sessions.filter((each) => !busy.has(each.id) && !this.#isListening(each, now));
      const ended = unused.find((each) => each.caller === caller) ?? unused[0];
      if (!ended) return { sessions, result: false };
      return { sessions: [...sessions.filter((each) => each !== ended), session], result: true };
    });
  }

  /** Calls `apply` with all sessions that have not ended, before anything else is changed here. */
  read(apply: (sessions: readonly StoredSession[]) => void): Promise<void> {
    return this.#inTurn(async () => apply(await this.#read()));
  }

  /** Does so if another process may have changed something since the last call. Returns whether it did. */
  readChanges(apply: (sessions: readonly StoredSession[]) => void): Promise<boolean> {
    return this.#inTurn(async () => {
      const { version } = this.#options.store;
      if (version === this.#seenVersion) return false;
      apply(await this.#read());
      this.#seenVersion = version;
      return true;
    });
  }

  end(id: string): Promise<void> {
    return this.#change((sessions) => ({
      sessions: sessions.filter((each) => each.id !== id),
      result: undefined,
    }));
  }

  /** Notes that a session is in use. */
  touch(id: string): Promise<void> {
    return this.#changeOne(id, (session) => session);
  }

  /** Adds or removes a subscription, and calls `onStored` before anything else is read or changed here. */
  setSubscription(id: string, { uri, isWanted }: SubscriptionChange, onStored: () => void): Promise<void> {
    const change = (session: StoredSession) => {
      const others = session.subscriptions.filter((each) => each !== uri);
      const subscriptions = isWanted ? [...others, uri].slice(-MAX_SUBSCRIPTIONS) : others;
      return { ...session, subscriptions };
    };
    return this.#changeOne(id, change, onStored);
  }

  /** This process sends the notifications from now on. */
  openStream(id: string): Promise<void> {
    return this.#changeOne(id, (session) => ({ ...session, notifier: this.processId, hasStream: true }));
  }

  /** Another process may have opened a newer stream. */
  closeStream(id: string): Promise<void> {
    return this.#changeOne(id, (session) =>
      session.notifier === this.processId ? { ...session, hasStream: false } : session,
    );
  }

  /** Passes a message on to the machine that waits for it. */
  async post(session: string, message: unknown): Promise<void> {
    const { store, clock } = this.#options;
    const number = await store.append(MESSAGES, { session, message, at: clock.now() });
    // A host may send any number of them, also without a question. The numbers are those of all logs of the store.
    if (number % POSTS_BETWEEN_TRIMS === 0 && number > MAX_MESSAGES)
      await store.trim(MESSAGES, number - MAX_MESSAGES);
  }

  /** The messages that were posted since the last call, also by this process. If the store fails, the next call has them. */
  messages(): Promise<PostedMessage[]> {
    return this.#inTurn(async () => {
      const messages: PostedMessage[] = [];
      let last = this.#lastMessage;
      try {
        for await (const { number, value } of this.#options.store.entries(MESSAGES, last)) {
          last = number;
          const { data } = posted.safeParse(value);
          if (data) messages.push(data);
        }
      } catch (error) {
        this.#seenVersion = undefined;
        throw error;
      }
      this.#lastMessage = last;
      return messages;
    });
  }

  /** Removes what has ended. */
  async tidy(): Promise<void> {
    const { store, clock } = this.#options;
    const stored = await this.#inTurn(() => this.#sessions.read());
    if (stored.some((each) => this.#hasEnded(each, momentOf(clock))))
      await this.#change((sessions) => ({ sessions, result: undefined }));
    let last = 0;
    for await (const { number, value } of store.entries(MESSAGES)) {
      const { data } = posted.safeParse(value);
      if (data && clock.now() - data.at < MESSAGES_KEPT_MS) break;
      last = number;
    }
    if (last > 0) await store.trim(MESSAGES, last);
  }

  async #read(): Promise<readonly StoredSession[]> {
    const now = momentOf(this.#options.clock);
    return (await this.#sessions.read()).filter((each) => !this.#hasEnded(each, now));
  }

  #changeOne(
    id: string,
    change: (session: StoredSession) => StoredSession,
    onStored = () => {},
  ): Promise<void> {
    return this.#change((sessions, now) => {
      const session = sessions.find((each) => each.id === id);
      if (!session) return { sessions, result: undefined };
      const others = sessions.filter((each) => each !== session);
      return { sessions: [...others, { ...change(session), usedAt: now }], result: undefined };
    }, onStored);
  }

  #change<Result>(
    change: (
      sessions: readonly StoredSession[],
      now: Moment,
    ) => { readonly sessions: readonly StoredSession[]; readonly result: Result },
    onStored = () => {},
  ): Promise<Result> {
    return this.#inTurn(async () => {
      const done = await this.#sessions.update((stored, now) => {
        const current = stored.filter((each) => !this.#hasEnded(each, now));
        const { sessions, result } = change(current, now);
        return { value: [...sessions], result };
      });
      onStored();
      return done;
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  /** The last use may not have been noted. */
  #hasEnded(session: StoredSession, now: Moment): boolean {
    const { idleMs } = this.#options;
    return ageAt(session, now) >= idleMs + idleMs / TOUCHES_PER_IDLE_TIME;
  }

  /** A machine with a stream notes its use all the time, unless it was killed. */
  #isListening(session: StoredSession, now: Moment): boolean {
    return session.hasStream && ageAt(session, now) < (2 * this.#options.idleMs) / TOUCHES_PER_IDLE_TIME;
  }
}

function ageAt({ usedAt }: StoredSession, now: Moment): number {
  const { wall, monotonic } = recordedMoment(usedAt, now);
  return Math.max(now.wall - wall, now.monotonic - monotonic);
}

/** Longer messages are not passed on to other machines. */
export const MAX_SHARED_LENGTH = 16_384;

export const isTooLong = (value: object): boolean => JSON.stringify(value).length > MAX_SHARED_LENGTH;
