/**
 * Sessions of hosts of the older protocol era, which keep the state of a connection over many requests. Without one, such
 * a host cannot be asked questions or notified of changes. A session belongs to the caller and the page that began it, its
 * owner; for others it does not exist. It ends after some time without use, or when another owner needs its place. It is in
 * the memory of this process only: another one answers 404, and the host begins again with `initialize`.
 */
import { randomUUID } from 'node:crypto';
import {
  type InitializeRequest,
  isInitializeRequest,
  isJSONRPCRequest,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { repeat } from '../../base/background.ts';
import type { Clock } from '../../base/clock.ts';
import { cancelledRequestId } from '../messages.ts';
import { errorResponse, unavailableResponse } from './error-response.ts';
import { createMcpSession, type McpSession } from './mcp-session.ts';
import { noteRequest } from './observed-request.ts';
import type { AcceptedRequest } from './request-context.ts';

/** The only version of the protocol that has batches. Its hosts know the one before too, and not those after. */
const WITH_BATCHES = '2025-03-26';
const BEFORE_BATCHES = '2024-11-05';

/** The versions that are agreed to by HTTP, the newest first. The SDK exports only those of the older era. */
export const protocolVersions: readonly string[] = [
  '2026-07-28',
  ...SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version !== WITH_BATCHES),
];

export interface SessionsOptions {
  readonly createServer: (caller: string) => Server;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
  /** The limit for all callers together. */
  readonly max: number;
}

const CONFLICT = 409;
const SESSION_NOT_FOUND = -32001;
const IDLE_MS = 30 * 60_000;
const CHECK_MS = IDLE_MS / 10;

export class McpSessions {
  readonly #options: SessionsOptions;
  /** The least recently used session comes first. */
  readonly #sessions = new Map<string, McpSession>();
  readonly #closed = new AbortController();

  constructor(options: SessionsOptions) {
    this.#options = options;
    const { clock, onError } = options;
    const work = () => this.#endIdle();
    void repeat({ work, everyMs: CHECK_MS, clock, signal: this.#closed.signal, onBug: onError });
  }

  get size(): number {
    return this.#sessions.size;
  }

  async handle(accepted: AcceptedRequest): Promise<Response> {
    const { request, owner, message } = accepted;
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (isInitializeRequest(message)) return this.#begin({ ...accepted, message: agreeable(message) });
      // Hosts that try the transport of 2024-11-05 first begin with GET. They use this one after 405 only.
      if (request.method === 'GET')
        return errorResponse(405, 'There is no stream without a session: begin with initialize, by POST.', {
          headers: { allow: 'POST' },
        });
      return errorResponse(400, 'The Mcp-Session-Id header is missing: begin with initialize.');
    }
    const session = this.#sessions.get(id);
    if (session?.owner === owner) return this.#continue(session, accepted);
    return errorResponse(404, 'This session does not exist: begin with initialize.', {
      code: SESSION_NOT_FOUND,
    });
  }

  /** Stops notifications and questions to hosts. Requests in progress are still answered. */
  finish(): void {
    for (const session of this.#sessions.values()) session.finish();
  }

  /** Ends all sessions of a caller whose token is not valid any more. */
  endAllOf(caller: string): void {
    for (const session of this.#sessions.values()) if (session.caller === caller) void this.#end(session);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)));
  }

  async #begin(accepted: AcceptedRequest): Promise<Response> {
    const { createServer, onError, clock, max } = this.#options;
    const { owner, caller } = accepted;
    if (this.#sessions.size >= max && !this.#endOneIdle(owner))
      return unavailableResponse({ message: 'Too many sessions are in use.', retryAfter: '60' });
    const session: McpSession = createMcpSession({
      id: randomUUID(),
      owner,
      caller,
      server: createServer(caller),
      onDeleted: () => this.#end(session),
      onError,
    });
    session.usedAt = clock.now();
    this.#sessions.set(session.id, session);
    await session.connect();
    const response = await this.#continue(session, accepted);
    if (!response.ok) await this.#end(session);
    return response;
  }

  async #continue(session: McpSession, accepted: AcceptedRequest): Promise<Response> {
    const { request, message, inFlight } = accepted;
    const { http, outbox, calls } = session;
    const call = isJSONRPCRequest(message) ? message.id : undefined;
    if (call !== undefined && calls.has(call))
      return errorResponse(400, 'Another request with this id is not answered yet.');
    // A request that began after its host disconnected would not be counted.
    if (inFlight.signal.aborted) return errorResponse(400, 'The host has disconnected.');
    this.#use(session, 1);
    void inFlight.settled.then(() => this.#use(session, -1));
    if (call !== undefined) {
      const ended = calls.add(call).then((isAnswered) => {
        if (!isAnswered) noteRequest({ isUnanswered: true });
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
  }

  /** Prefers a session of the same owner. */
  #endOneIdle(owner: string): boolean {
    const idle = [...this.#sessions.values()].filter(({ open }) => open === 0);
    const session = idle.find((each) => each.owner === owner) ?? idle[0];
    if (session) void this.#end(session);
    return session !== undefined;
  }

  async #endIdle(): Promise<void> {
    const idleSince = this.#options.clock.now() - IDLE_MS;
    for (const session of this.#sessions.values())
      if (session.open === 0 && session.usedAt <= idleSince) await this.#end(session);
  }

  async #end(session: McpSession): Promise<void> {
    this.#sessions.delete(session.id);
    await session.close();
  }
}

/** Asks for a version that can be agreed to, because the SDK would answer an unknown one with the newest. */
function agreeable(message: InitializeRequest): InitializeRequest {
  const { params } = message;
  if (params.protocolVersion !== WITH_BATCHES) return message;
  return { ...message, params: { ...params, protocolVersion: BEFORE_BATCHES } };
}
