/**
 * The sessions of hosts of the older era, which keep a connection's state over many requests: only so can they be asked
 * something and told of changes. A session is its caller's; to all others it is as if it were not there. It ends when
 * nobody has used it for a while, or when somebody else needs its place.
 */
import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  isJSONRPCRequest,
  type McpServer,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { type Clock, yieldTurn } from '../../platform/clock.ts';
import { Elicitations } from '../elicitations.ts';
import { ObservedTransport } from '../observed-transport.ts';
import { PendingRequests } from '../pending-requests.ts';
import { cancelledRequestId } from '../request-id.ts';
import { Outbox } from './outbox.ts';
import { errorResponse } from './refusal.ts';
import type { InFlightRequest } from './request-context.ts';

export interface SessionsOptions {
  readonly createServer: (holder: string) => McpServer;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
  /** Of all callers together. */
  readonly max: number;
  readonly idleMs: number;
}

/** What a session is asked. */
export interface SessionRequest {
  readonly request: Request;
  readonly caller: string;
  readonly holder: string;
  readonly message: unknown;
  readonly exchange: InFlightRequest;
}

interface McpSession {
  readonly caller: string;
  readonly holder: string;
  readonly http: WebStandardStreamableHTTPServerTransport;
  /** What the server is connected to; it sends and receives through `http`. */
  readonly transport: ObservedTransport;
  readonly server: McpServer;
  readonly elicitations: Elicitations;
  readonly outbox: Outbox;
  readonly calls: PendingRequests;
  /** Requests that have not been answered, streams included. */
  open: number;
  usedAt: number;
}

const CONFLICT = 409;
const SESSION_NOT_FOUND = -32001;
const REQUEST_TIMEOUT = -32001;
const LOOKS_PER_IDLE_TIME = 10;

export class McpSessions {
  readonly #options: SessionsOptions;
  /** Those used longest ago first. */
  readonly #sessions = new Map<string, McpSession>();
  readonly #closed = new AbortController();

  constructor(options: SessionsOptions) {
    this.#options = options;
    void this.#endIdleOnes();
  }

  async handle(asked: SessionRequest): Promise<Response> {
    const id = asked.request.headers.get('mcp-session-id');
    if (id === null) {
      if (isInitializeRequest(asked.message)) return this.#begin(asked);
      return errorResponse(400, 'The Mcp-Session-Id header is missing: begin with initialize.');
    }
    const session = this.#sessions.get(id);
    if (session?.caller === asked.caller) return this.#continue(id, session, asked);
    return errorResponse(404, 'There is no such session: begin with initialize.', {
      code: SESSION_NOT_FOUND,
    });
  }

  /** Hosts are told of no changes and can answer nothing any more; what they have asked is still answered. */
  finish(): void {
    for (const { http, elicitations } of this.#sessions.values()) {
      http.closeStandaloneSSEStream();
      elicitations.end();
    }
  }

  /** Ends what a caller has that may not call any more. */
  endAllOf(holder: string): void {
    for (const [id, session] of this.#sessions) if (session.holder === holder) void this.#end(id);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  async #begin(asked: SessionRequest): Promise<Response> {
    const { createServer, max, onError, clock } = this.#options;
    if (this.#sessions.size >= max && !this.#endOneIdle(asked.caller))
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
      caller: asked.caller,
      holder: asked.holder,
      http,
      transport,
      server: createServer(asked.holder),
      elicitations: new Elicitations(transport),
      outbox: new Outbox(transport),
      calls,
      open: 0,
      usedAt: clock.now(),
    };
    this.#sessions.set(id, session);
    await session.server.connect(transport);
    const response = await this.#continue(id, session, asked);
    if (!response.ok) await this.#end(id);
    return response;
  }

  async #continue(
    id: string,
    session: McpSession,
    { request, message, exchange }: SessionRequest,
  ): Promise<Response> {
    const { http, outbox, calls } = session;
    const call = isJSONRPCRequest(message) ? message.id : undefined;
    if (call !== undefined && calls.has(call))
      return errorResponse(400, 'There is a request with this id already, which is not answered yet.');
    // Nobody would count what is begun for a host that has gone.
    if (exchange.signal.aborted) return errorResponse(400, 'The host has gone.');
    this.#use(id, session, 1);
    void exchange.settled.then(() => this.#use(id, session, -1));
    if (call !== undefined) {
      exchange.keepAliveUntil(calls.add(call));
      exchange.timedOut.addEventListener('abort', () => timeOutCall(session, call, this.#options.onError));
      void exchange.disconnected.then(() => cancelUndeliverable(session, call));
    }
    const handle = () => http.handleRequest(request, { parsedBody: message });
    let response = await handle();
    // A stream that is there already may be one whose host has lost it.
    if (request.method === 'GET' && response.status === CONFLICT) {
      outbox.close();
      http.closeStandaloneSSEStream();
      response = await handle();
    }
    if (!response.ok) calls.remove(call);
    else if (request.method === 'GET') {
      exchange.becomesStream();
      await outbox.open(exchange.disconnected);
    } else await cancelCall(session, cancelledRequestId(message));
    return response;
  }

  #use(id: string, session: McpSession, opened: 1 | -1): void {
    session.open += opened;
    session.usedAt = this.#options.clock.now();
    // To the end of the line, unless it has ended meanwhile.
    if (this.#sessions.delete(id)) this.#sessions.set(id, session);
  }

  /** One of the caller's own, if there is any. */
  #endOneIdle(caller: string): boolean {
    const idle = [...this.#sessions].filter(([, { open }]) => open === 0);
    const [id] = idle.find(([, session]) => session.caller === caller) ?? idle[0] ?? [];
    if (id === undefined) return false;
    void this.#end(id);
    return true;
  }

  async #endIdleOnes(): Promise<void> {
    const { clock, idleMs } = this.#options;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await clock.sleep(idleMs / LOOKS_PER_IDLE_TIME, signal).catch(() => {});
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

/** Whoever takes a call back gets no answer to it: nothing else would end its stream. */
async function cancelCall({ http, calls }: McpSession, call: RequestId | undefined): Promise<void> {
  if (call === undefined || !calls.has(call)) return;
  // What was asked for its sake is taken back on that stream.
  await yieldTurn();
  http.closeSSEStream(call);
  calls.remove(call);
}

/**
 * Cancels a call whose host has hung up: its answer can reach nobody, since no stream is resumed here. Of a write that
 * has been sent the outcome is kept, for the call that repeats it.
 */
function cancelUndeliverable({ transport, calls }: McpSession, requestId: RequestId): void {
  if (!calls.has(requestId)) return;
  deliverCancellation(transport, requestId, 'The connection of the call was closed.');
  // What is cancelled is not answered, so that nothing else would end it.
  calls.remove(requestId);
}

/** Cancels what has taken too long, and answers the host so. */
function timeOutCall({ transport }: McpSession, requestId: RequestId, onError: (error: Error) => void): void {
  const error = { code: REQUEST_TIMEOUT, message: 'It took too long and was cancelled.' };
  deliverCancellation(transport, requestId, error.message);
  transport.send({ jsonrpc: '2.0', id: requestId, error }).catch(onError);
}

/** Cancels a call as its host would, by a notification that the server takes for the host's. */
function deliverCancellation(transport: McpSession['transport'], requestId: RequestId, reason: string): void {
  const params = { requestId, reason };
  transport.deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
}
