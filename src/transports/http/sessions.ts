/**
 * Sessions of hosts of the older protocol era, which keep the state of a connection over many requests. Without one, such
 * a host cannot be asked questions or notified of changes. Only the caller that began a session can use it; for others it
 * does not exist. A session ends after some time without use, or when another caller needs its place.
 */
import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  isJSONRPCRequest,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { type Clock, yieldTurn } from '../../platform/clock.ts';
import { Elicitations } from '../elicitations.ts';
import { ObservedTransport } from '../observed-transport.ts';
import { PendingRequests } from '../pending-requests.ts';
import { cancelledRequestId } from '../request-id.ts';
import { errorResponse } from './error-response.ts';
import { Outbox } from './outbox.ts';
import type { AcceptedRequest } from './request-context.ts';

export interface SessionsOptions {
  readonly createServer: (holder: string) => Server;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
  /** The limit for all callers together. */
  readonly max: number;
  readonly idleMs: number;
}

interface McpSession {
  readonly caller: string;
  readonly holder: string;
  readonly http: WebStandardStreamableHTTPServerTransport;
  /** What the server is connected to; it sends and receives through `http`. */
  readonly transport: ObservedTransport;
  readonly server: Server;
  readonly elicitations: Elicitations;
  readonly outbox: Outbox;
  readonly calls: PendingRequests;
  /** The number of requests in progress, streams included. */
  open: number;
  usedAt: number;
}

const CONFLICT = 409;
const SESSION_NOT_FOUND = -32001;
const REQUEST_TIMEOUT = -32001;
const CHECKS_PER_IDLE_TIME = 10;

export class McpSessions {
  readonly #options: SessionsOptions;
  /** The least recently used session comes first. */
  readonly #sessions = new Map<string, McpSession>();
  readonly #closed = new AbortController();

  constructor(options: SessionsOptions) {
    this.#options = options;
    void this.#endIdleSessions();
  }

  get size(): number {
    return this.#sessions.size;
  }

  async handle(accepted: AcceptedRequest): Promise<Response> {
    const { request, caller, message } = accepted;
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (isInitializeRequest(message)) return this.#begin(accepted);
      // Hosts that try the transport of 2024-11-05 first begin with GET. They use this one after 405 only.
      if (request.method === 'GET')
        return errorResponse(405, 'There is no stream without a session: begin with initialize, by POST.', {
          headers: { allow: 'POST' },
        });
      return errorResponse(400, 'The Mcp-Session-Id header is missing: begin with initialize.');
    }
    const session = this.#sessions.get(id);
    if (session?.caller === caller) return this.#continue(id, session, accepted);
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
    for (const [id, session] of this.#sessions) if (session.holder === holder) void this.#end(id);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  async #begin(accepted: AcceptedRequest): Promise<Response> {
    const { createServer, max, onError, clock } = this.#options;
    const { caller, holder } = accepted;
    if (this.#sessions.size >= max && !this.#endOneIdle(caller))
      return errorResponse(503, 'Too many sessions are in use.', { headers: { 'retry-after': '60' } });
    const id = randomUUID();
    const http = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#end(id),
    });
    const transport = new ObservedTransport(http);
    transport.onerror = onError;
    const calls = new PendingRequests();
    transport.observe({ onSent: (message) => calls.removeAnswered(message) });
    const session = {
      caller,
      holder,
      http,
      transport,
      server: createServer(holder),
      elicitations: new Elicitations(transport),
      outbox: new Outbox(transport),
      calls,
      open: 0,
      usedAt: clock.now(),
    };
    this.#sessions.set(id, session);
    await session.server.connect(transport);
    const response = await this.#continue(id, session, accepted);
    if (!response.ok) await this.#end(id);
    return response;
  }

  async #continue(
    id: string,
    session: McpSession,
    { request, message, inFlight }: AcceptedRequest,
  ): Promise<Response> {
    const { http, outbox, calls } = session;
    const call = isJSONRPCRequest(message) ? message.id : undefined;
    if (call !== undefined && calls.has(call))
      return errorResponse(400, 'Another request with this id is not answered yet.');
    // A request that began after its host disconnected would not be counted.
    if (inFlight.signal.aborted) return errorResponse(400, 'The host has disconnected.');
    this.#use(id, session, 1);
    void inFlight.settled.then(() => this.#use(id, session, -1));
    if (call !== undefined) {
      inFlight.keepAliveUntil(calls.add(call));
      inFlight.timedOut.addEventListener('abort', () => timeOutCall(session, call, this.#options.onError));
      void inFlight.disconnected.then(() => cancelUndeliverable(session, call));
    }
    const handle = () => http.handleRequest(request, { parsedBody: message });
    let response = await handle();
    // The host may have lost the connection of the stream that is still open here.
    if (request.method === 'GET' && response.status === CONFLICT) {
      outbox.close();
      http.closeStandaloneSSEStream();
      response = await handle();
    }
    if (!response.ok) calls.remove(call);
    else if (request.method === 'GET') {
      inFlight.becomesStream();
      await outbox.open(inFlight.disconnected);
    } else await cancelCall(session, cancelledRequestId(message));
    return response;
  }

  #use(id: string, session: McpSession, opened: 1 | -1): void {
    session.open += opened;
    session.usedAt = this.#options.clock.now();
    // Moves the session to the end, unless it has ended in the meantime.
    if (this.#sessions.delete(id)) this.#sessions.set(id, session);
  }

  /** Prefers a session of the same caller. */
  #endOneIdle(caller: string): boolean {
    const idle = [...this.#sessions].filter(([, { open }]) => open === 0);
    const [id] = idle.find(([, session]) => session.caller === caller) ?? idle[0] ?? [];
    if (id === undefined) return false;
    void this.#end(id);
    return true;
  }

  async #endIdleSessions(): Promise<void> {
    const { clock, idleMs } = this.#options;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await clock.sleep(idleMs / CHECKS_PER_IDLE_TIME, signal).catch(() => {});
      for (const [id, { open, usedAt }] of this.#sessions)
        if (open === 0 && clock.now() - usedAt >= idleMs) await this.#end(id);
    }
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    session?.calls.removeAll();
    await session?.server.close().catch(this.#options.onError);
  }
}

/** Ends a call that its host has cancelled. A cancelled call gets no answer, so its stream has to be closed here. */
async function cancelCall({ http, calls }: McpSession, call: RequestId | undefined): Promise<void> {
  if (call === undefined || !calls.has(call)) return;
  // Questions that belong to the call are cancelled on its stream first.
  await yieldTurn();
  http.closeSSEStream(call);
  calls.remove(call);
}

/**
 * Cancels a call whose host has disconnected: streams are not resumed here, so the answer cannot be delivered. If a write
 * was sent, its outcome is stored for the call that repeats it.
 */
function cancelUndeliverable({ transport, calls }: McpSession, requestId: RequestId): void {
  if (!calls.has(requestId)) return;
  deliverCancellation(transport, requestId, 'The connection of the call was closed.');
  // A cancelled call gets no answer, so it is removed here.
  calls.remove(requestId);
}

/** Cancels a call that has taken too long, and tells the host so. */
function timeOutCall({ transport }: McpSession, requestId: RequestId, onError: (error: Error) => void): void {
  const error = { code: REQUEST_TIMEOUT, message: 'It took too long and was cancelled.' };
  deliverCancellation(transport, requestId, error.message);
  transport.send({ jsonrpc: '2.0', id: requestId, error }).catch(onError);
}

/** Cancels a call in the server by the notification that its host would send. */
function deliverCancellation(transport: McpSession['transport'], requestId: RequestId, reason: string): void {
  const params = { requestId, reason };
  transport.deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
}
