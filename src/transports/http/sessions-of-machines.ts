/**
 * What this machine has to do for sessions that other machines answer for too: build them again, take over what has
 * changed, pass on messages that arrived elsewhere, and notify the host if its stream is open here. Without a shared store
 * it does nothing.
 */
import type { Clock } from '../../platform/clock.ts';
import type { SharedStore } from '../../state/shared-store.ts';
import { ignoreStoreError, StoreError } from '../../state/store-error.ts';
import type { McpSession, SubscriptionChange } from './mcp-session.ts';
import { SharedSessions, type StoredSession, TOUCHES_PER_IDLE_TIME } from './shared-sessions.ts';

export interface SessionsOfMachinesOptions {
  readonly openStore?: (() => Promise<SharedStore>) | undefined;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
  readonly max: number;
  readonly idleMs: number;
  /** The sessions that this machine has. */
  readonly sessions: Map<string, McpSession>;
  readonly create: (id: string, caller: string, holder: string) => McpSession;
  /** Ends a session on this machine. */
  readonly close: (session: McpSession) => Promise<void>;
  readonly closed: AbortSignal;
}

/** How often this machine looks for changes. Reading the version of the store costs almost nothing. */
const FOLLOW_MS = 1_000;
/** While a person is asked. A host that answers by itself must be recognised by its speed. */
const FOLLOW_QUESTION_MS = 100;

export class SessionsOfMachines {
  readonly #options: SessionsOfMachinesOptions;
  readonly #restoring = new Map<string, Promise<McpSession | undefined>>();
  #shared: Promise<SharedSessions | undefined> | undefined;
  #isFollowing = false;

  constructor(options: SessionsOfMachinesOptions) {
    this.#options = options;
  }

  /** Undefined if no other machine can have the sessions. */
  async shared(): Promise<SharedSessions | undefined> {
    // After a failure, the next request opens it again.
    this.#shared ??= this.#open().catch((error: unknown) => {
      this.#shared = undefined;
      throw error;
    });
    const shared = await this.#shared;
    return shared?.isUsable ? shared : undefined;
  }

  /** Takes over what other machines have changed. */
  async catchUp(): Promise<void> {
    const shared = await this.shared();
    if (!shared) return;
    const { sessions } = this.#options;
    // A session that begins meanwhile may be missing in what is read.
    const known = [...sessions.values()].filter(({ isShared }) => isShared);
    if (!(await shared.readChanges((stored) => this.#apply(known, stored, shared.processId)))) return;
    const isWaiting = known.some(({ calls, elicitations }) => calls.ids.length > 0 || elicitations.isAsking);
    if (!isWaiting) return;
    for (const { session, message } of await shared.messages())
      await sessions.get(session)?.deliverPosted(message);
  }

  /** Builds a session again that another process has begun. Undefined if there is none of this caller. */
  async restore(id: string, caller: string, holder: string): Promise<McpSession | undefined> {
    const shared = await this.shared();
    if (!shared) return undefined;
    let found: StoredSession | undefined;
    await shared.read((stored) => {
      found = stored.find((each) => each.id === id);
    });
    if (found?.caller !== caller) return undefined;
    const restoring = this.#restoring.get(id) ?? this.#restore(found, holder, shared);
    this.#restoring.set(id, restoring);
    try {
      return await restoring;
    } finally {
      this.#restoring.delete(id);
    }
  }

  /** Looks for changes of the session from time to time, while this machine has it. */
  follow(session: McpSession): void {
    if (!session.isShared) return;
    session.onQuestion(() => void this.#followQuestion(session));
    void this.#follow();
  }

  async setSubscription(session: McpSession, change: SubscriptionChange): Promise<void> {
    const { uri, isWanted } = change;
    const shared = await this.shared();
    await shared?.setSubscription(session.id, change, () => {
      if (isWanted) session.subscribed.add(uri);
      else session.subscribed.delete(uri);
    });
  }

  /**
   * The notifications are sent here from now on. Those that another machine had may be lost with it, so that the host is
   * told once that its resources may have changed.
   */
  async streamOpened(session: McpSession, disconnected: Promise<void>): Promise<void> {
    const shared = session.isShared ? await this.shared() : undefined;
    if (!shared) return;
    session.streams += 1;
    const closed = async () => {
      await disconnected;
      session.streams -= 1;
      if (session.streams === 0) await shared.closeStream(session.id);
    };
    closed().catch(ignoreStoreError);
    await shared.openStream(session.id);
    await shared.read((stored) => this.#apply([session], stored, shared.processId));
  }

  /** Notes that the session is in use, if that was not done lately. */
  touch(session: McpSession): void {
    const { clock, idleMs } = this.#options;
    if (!session.isShared || clock.now() - session.touchedAt < idleMs / TOUCHES_PER_IDLE_TIME) return;
    session.touchedAt = clock.now();
    this.shared()
      .then((shared) => shared?.touch(session.id))
      .catch(ignoreStoreError);
  }

  async tidy(): Promise<void> {
    // What has ended is removed by those who use the store.
    if (!this.#shared || this.#options.closed.aborted) return;
    await this.shared()
      .then((shared) => shared?.tidy())
      .catch(ignoreStoreError);
  }

  async #open(): Promise<SharedSessions | undefined> {
    const { openStore, clock, max, idleMs } = this.#options;
    const store = await openStore?.();
    return store?.isShared ? new SharedSessions({ store, clock, max, idleMs }) : undefined;
  }

  async #restore(
    { id, caller, parameters }: StoredSession,
    holder: string,
    shared: SharedSessions,
  ): Promise<McpSession | undefined> {
    const { sessions, create } = this.#options;
    const known = sessions.get(id);
    if (known) return known;
    const session = create(id, caller, holder);
    session.isNotifier = false;
    await session.connect();
    if (!(await session.replay('initialize', parameters))) {
      await session.close();
      return undefined;
    }
    sessions.set(id, session);
    this.follow(session);
    await shared.read((stored) => this.#apply([session], stored, shared.processId));
    return sessions.get(id);
  }

  #apply(sessions: readonly McpSession[], stored: readonly StoredSession[], processId: string): void {
    const byId = new Map(stored.map((each) => [each.id, each]));
    for (const session of sessions) {
      const now = byId.get(session.id);
      if (!now) void this.#options.close(session);
      else if (now.notifier === processId) this.#notify(session, now.subscriptions);
      else {
        session.outbox.clear();
        if (session.isNotifier) session.closeStream();
        session.isNotifier = false;
      }
    }
  }

  /** Only the machine that notifies the host subscribes to what other machines were asked for. */
  #notify(session: McpSession, uris: readonly string[]): void {
    const { onError } = this.#options;
    const { subscribed, isNotifier } = session;
    session.isNotifier = true;
    for (const uri of [...subscribed].filter((each) => !uris.includes(each))) {
      subscribed.delete(uri);
      session.replay('resources/unsubscribe', { uri }).catch(onError);
    }
    for (const uri of uris) {
      const isNew = !subscribed.has(uri);
      if (isNotifier && !isNew) continue;
      subscribed.add(uri);
      // It may have changed since the other machine subscribed.
      session
        .replay('resources/subscribe', { uri })
        .then(() => session.notifyOfResource(uri))
        .catch(onError);
    }
  }

  async #follow(): Promise<void> {
    const { sessions, clock, closed } = this.#options;
    if (this.#isFollowing || !(await this.shared())) return;
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    while (sessions.size > 0 && !closed.aborted) {
      await clock.sleep(FOLLOW_MS, closed, true).catch(() => {});
      await this.#look();
    }
    this.#isFollowing = false;
  }

  async #followQuestion(session: McpSession): Promise<void> {
    const { sessions, clock, closed } = this.#options;
    if (!(await this.shared())) return;
    // A session that has ended gets no answer any more.
    while (session.elicitations.isAsking && sessions.get(session.id) === session && !closed.aborted) {
      await clock.sleep(FOLLOW_QUESTION_MS, closed, true).catch(() => {});
      await this.#look();
    }
  }

  /** If the store cannot be used, the next request says so. */
  async #look(): Promise<void> {
    if (this.#options.closed.aborted) return;
    await this.catchUp().catch((error: unknown) => {
      if (!(error instanceof StoreError)) this.#options.onError(toError(error));
    });
  }
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
