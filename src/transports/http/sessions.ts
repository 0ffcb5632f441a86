/**
 * Sessions of hosts of the older protocol era, which keep the state of a connection over many requests. Without one, such
 * a host cannot be asked questions or notified of changes. Only the caller that began a session can use it; for others it
 * does not exist. A session ends after some time without use, or when another caller needs its place. If machines share a
 * store, each of them has the sessions that it has answered for, and builds them again from the store.
 */
import { randomUUID } from 'node:crypto';
import { isInitializeRequest, isJSONRPCRequest, type Server } from '@modelcontextprotocol/server';
import type { Clock } from '../../platform/clock.ts';
import type { SharedStore } from '../../state/shared-store.ts';
import { ignoreStoreError } from '../../state/store-error.ts';
import { cancelledRequestId } from '../request-id.ts';
import { errorResponse } from './error-response.ts';
import { McpSession, subscriptionChangeOf } from './mcp-session.ts';
import { noteUnanswered } from './observed-request.ts';
import type { AcceptedRequest } from './request-context.ts';
import { SessionsOfMachines } from './sessions-of-machines.ts';
import { isTooLong, MAX_SHARED_LENGTH, TOUCHES_PER_IDLE_TIME } from './shared-sessions.ts';

export interface SessionsOptions {
  readonly createServer: (holder: string) => Server;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
  /** The limit for all callers together. */
  readonly max: number;
  readonly idleMs: number;
  /** Opens what several machines share. Without it, sessions are in memory only. */
  readonly openStore?: (() => Promise<SharedStore>) | undefined;
}

const CONFLICT = 409;
const SESSION_NOT_FOUND = -32001;

export class McpSessions {
  readonly #options: SessionsOptions;
  /** The least recently used session comes first. */
  readonly #sessions = new Map<string, McpSession>();
  readonly #machines: SessionsOfMachines;
  readonly #closed = new AbortController();

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#machines = new SessionsOfMachines({
      ...options,
      sessions: this.#sessions,
      create: (id, caller, holder) => this.#create(id, caller, holder, true),
      close: (session) => this.#close(session),
      closed: this.#closed.signal,
    });
    void this.#endIdleSessions();
  }

  get size(): number {
    return this.#sessions.size;
  }

  async handle(accepted: AcceptedRequest): Promise<Response> {
    const { request, message } = accepted;
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (isInitializeRequest(message)) return this.#begin(accepted, { ...message.params });
      // Hosts that try the transport of 2024-11-05 first begin with GET. They use this one after 405 only.
      if (request.method === 'GET')
        return errorResponse(405, 'There is no stream without a session: begin with initialize, by POST.', {
          headers: { allow: 'POST' },
        });
      return errorResponse(400, 'The Mcp-Session-Id header is missing: begin with initialize.');
    }
    const session = await this.#find(id, accepted);
    if (session) return this.#continue(session, accepted);
    return errorResponse(404, 'This session does not exist: begin with initialize.', {
      code: SESSION_NOT_FOUND,
    });
  }

  /** Stops notifications and questions to hosts. Requests in progress are still answered. */
  finish(): void {
    for (const { http, elicitations } of this.#sessions.values()) {
      http.closeStandaloneSSEStream();
      elicitations.end();
    }
  }

  /** Ends all sessions of a holder whose token is not valid any more. */
  endAllOf(holder: string): void {
    for (const session of this.#sessions.values())
      if (session.holder === holder) this.#end(session).catch(ignoreStoreError);
  }

  /** Other machines go on with the sessions. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([...this.#sessions.values()].map((session) => this.#close(session)));
  }

  /** Undefined if it does not exist for this caller. */
  async #find(id: string, { caller, holder }: AcceptedRequest): Promise<McpSession | undefined> {
    await this.#machines.catchUp();
    const session = this.#sessions.get(id) ?? (await this.#machines.restore(id, caller, holder));
    return session?.caller === caller ? session : undefined;
  }

  async #begin(accepted: AcceptedRequest, parameters: Record<string, unknown>): Promise<Response> {
    const { caller, holder } = accepted;
    const shared = await this.#machines.shared();
    const id = randomUUID();
    if (shared && isTooLong(parameters))
      return errorResponse(400, `The parameters may have at most ${MAX_SHARED_LENGTH} characters.`);
    const hasRoom = shared
      ? await shared.begin({ id, caller, parameters }, this.#busy())
      : this.#sessions.size < this.#options.max || this.#endOneIdle(caller);
    if (!hasRoom)
      return errorResponse(503, 'Too many sessions are in use.', { headers: { 'retry-after': '60' } });
    const session = this.#create(id, caller, holder, shared !== undefined);
    this.#sessions.set(id, session);
    await session.connect();
    this.#machines.follow(session);
    const response = await this.#continue(session, accepted);
    if (!response.ok) await this.#end(session);
    return response;
  }

  #create(id: string, caller: string, holder: string, isShared: boolean): McpSession {
    const { createServer, onError, clock } = this.#options;
    const session: McpSession = new McpSession({
      id,
      caller,
      holder,
      server: createServer(holder),
      isShared,
      onDeleted: () => this.#end(session),
      onError,
    });
    session.usedAt = clock.now();
    session.touchedAt = clock.now();
    return session;
  }

  async #continue(session: McpSession, accepted: AcceptedRequest): Promise<Response> {
    const { request, message, inFlight } = accepted;
    const { http, outbox, calls } = session;
    const call = isJSONRPCRequest(message) ? message.id : undefined;
    if (call !== undefined && calls.has(call))
      return errorResponse(400, 'Another request with this id is not answered yet.');
    const shared = session.isShared ? await this.#machines.shared() : undefined;
    if (shared && session.isForOthers(message)) {
      if (isTooLong({ message }))
        return errorResponse(413, `A response may have at most ${MAX_SHARED_LENGTH} characters.`);
      await shared.post(session.id, message);
      return new Response(null, { status: 202 });
    }
    const change = shared && subscriptionChangeOf(message);
    if (change) await this.#machines.setSubscription(session, change);
    // A request that began after its host disconnected would not be counted.
    if (inFlight.signal.aborted) return errorResponse(400, 'The host has disconnected.');
    this.#use(session, 1);
    void inFlight.settled.then(() => this.#use(session, -1));
    if (call !== undefined) {
      const ended = calls.add(call).then((isAnswered) => {
        if (!isAnswered) noteUnanswered();
      });
      inFlight.keepAliveUntil(ended);
      inFlight.timedOut.addEventListener('abort', () => session.timeOutCall(call));
      void inFlight.disconnected.then(() => session.cancelUndeliverable(call));
    }
    const handle = () => http.handleRequest(request, { parsedBody: message });
    let response = await handle();
    // The host may have lost the connection of the stream that is still open here.
    if (request.method === 'GET' && response.status === CONFLICT) {
      session.closeStream();
      response = await handle();
    }
    if (!response.ok) calls.remove(call);
    else if (request.method === 'GET') {
      inFlight.becomesStream();
      await this.#machines.streamOpened(session, inFlight.disconnected);
      await outbox.open(inFlight.disconnected);
    } else await session.cancelCall(cancelledRequestId(message));
    return response;
  }

  #use(session: McpSession, opened: 1 | -1): void {
    const { id } = session;
    session.open += opened;
    session.usedAt = this.#options.clock.now();
    // Moves the session to the end, unless it has ended in the meantime.
    if (this.#sessions.delete(id)) this.#sessions.set(id, session);
    this.#machines.touch(session);
  }

  #busy(): ReadonlySet<string> {
    return new Set([...this.#sessions.values()].filter(({ open }) => open > 0).map(({ id }) => id));
  }

  /** Prefers a session of the same caller. */
  #endOneIdle(caller: string): boolean {
    const idle = [...this.#sessions.values()].filter(({ open }) => open === 0);
    const session = idle.find((each) => each.caller === caller) ?? idle[0];
    if (session) void this.#close(session);
    return session !== undefined;
  }

  async #endIdleSessions(): Promise<void> {
    const { clock, idleMs } = this.#options;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await clock.sleep(idleMs / TOUCHES_PER_IDLE_TIME, signal).catch(() => {});
      for (const session of this.#sessions.values())
        if (session.open > 0) this.#machines.touch(session);
        else if (clock.now() - session.usedAt >= idleMs) await this.#close(session);
      await this.#machines.tidy();
    }
  }

  /** Ends a session everywhere. */
  async #end(session: McpSession): Promise<void> {
    await this.#close(session);
    if (session.isShared) await (await this.#machines.shared())?.end(session.id);
  }

  /** Ends a session on this machine. */
  async #close(session: McpSession): Promise<void> {
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    await session.close();
  }
}
