/**
 * Handles a request in this order: access checks, request limits, body, and then the protocol era of the host. It knows
 * nothing about ports or about starting and stopping the HTTP server.
 */
import { createMcpHandler, isLegacyRequest, type Server } from '@modelcontextprotocol/server';
import { Hono, type HonoRequest } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Subscriptions } from '../../mcp/subscriptions.ts';
import type { Clock } from '../../platform/clock.ts';
import { type ListenRequest, parseListenRequest, subscribe } from '../resource-subscription.ts';
import type { Access } from './access.ts';
import { Callers } from './callers.ts';
import { errorResponse } from './error-response.ts';
import { guards } from './guards.ts';
import { messageReader } from './message.ts';
import type { RequestContext } from './request-context.ts';
import { RequestTracker } from './request-tracker.ts';
import { McpSessions } from './sessions.ts';

export interface HttpAppDeps {
  /** `holder` is the caller that the server is for. */
  readonly createServer: (holder?: string) => Server;
  readonly subscriptions: Subscriptions;
  /** Calls `listener` whenever the list of tools and prompts has changed. */
  readonly onToolListChanged: (listener: () => void) => void;
  readonly access: Access;
  readonly clock: Clock;
  /** Called with each error in what a host sends. */
  readonly onError: (error: Error) => void;
  readonly onBug: (error: Error) => void;
}

/** For one caller, streams included: enough for 64 hosts that use the same token. */
const MAX_CONCURRENT = 256;
/** Long enough for a person to answer a question during the call. */
const TIME_LIMIT_MS = 5 * 60_000;
/** Twice `MAX_CONCURRENT`, so that one caller cannot keep all sessions busy. */
const MAX_SESSIONS = 512;
const IDLE_MS = 30 * 60_000;
/** Each request checks its own token. This check is for callers that only have streams open. */
const TOKENS_CHECK_MS = 10_000;

export interface HttpApp {
  fetch: Hono<RequestContext>['fetch'];
  /** Refuses new requests. Resolves when all work is done, except streams. */
  finish(): Promise<void>;
  /** Ends everything that is left. Resolves when the last response is closed. */
  close(): Promise<void>;
}

export function createHttpApp(deps: HttpAppDeps): HttpApp {
  const { createServer, subscriptions, onToolListChanged, access, clock, onError, onBug } = deps;
  const tracker = new RequestTracker({ clock, maxConcurrent: MAX_CONCURRENT, timeLimitMs: TIME_LIMIT_MS });
  const sessions = new McpSessions({ createServer, clock, onError, max: MAX_SESSIONS, idleMs: IDLE_MS });
  const modern = createMcpHandler(({ authInfo }) => createServer(authInfo?.clientId), {
    legacy: 'reject',
    onerror: onError,
    // Subscriptions are limited for each caller.
    maxSubscriptions: Number.POSITIVE_INFINITY,
  });

  const callers =
    access.tokens &&
    new Callers(access.tokens, (holder) => {
      sessions.endAllOf(holder);
      tracker.endStreamsOf(holder);
    });
  const closing = new AbortController();
  const checkTokens = async () => {
    while (callers && !closing.signal.aborted) {
      await callers.refresh();
      await clock.sleep(TOKENS_CHECK_MS, closing.signal).catch(() => {});
    }
  };
  checkTokens().catch((error: unknown) => onBug(error instanceof Error ? error : new Error(String(error))));

  onToolListChanged(() => {
    modern.notify.toolsChanged();
    modern.notify.promptsChanged();
  });

  /** Subscribes to resources while the stream is open. Returns a response only if the request is refused. */
  const listen = (listenRequest: ListenRequest, { holder, inFlight }: RequestContext['Variables']) => {
    const subscription = subscribe(listenRequest, subscriptions, modern.notify.resourceUpdated, holder);
    if ('error' in subscription) return Response.json(subscription);
    inFlight.becomesStream();
    void inFlight.disconnected.then(() => subscription.end());
    return undefined;
  };

  const answer = async ({ url, method, raw }: HonoRequest, variables: RequestContext['Variables']) => {
    const { inFlight, message } = variables;
    const request = new Request(url, { method, headers: raw.headers, signal: inFlight.signal });
    if (await isLegacyRequest(request, message)) return sessions.handle({ request, ...variables });
    const listenRequest = parseListenRequest(message);
    const refusal = listenRequest && listen(listenRequest, variables);
    if (refusal) return refusal;
    // The outcome of a write and the user's consent belong to one caller. The SDK does not get the token itself.
    const authInfo = { token: '', clientId: variables.holder, scopes: [] };
    const response = await modern.fetch(request, { parsedBody: message, authInfo });
    return inFlight.timedOut.aborted ? errorResponse(504, 'It took too long and was cancelled.') : response;
  };

  const app = new Hono<RequestContext>();
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.use('/mcp', ...guards(access, callers));
  app.on(['GET', 'POST', 'DELETE'], ['/mcp'], tracker.middleware, messageReader(clock), async (c) => {
    const response = await answer(c.req, c.var);
    // Node.js decides whether the connection stays open.
    response.headers.delete('connection');
    return response;
  });
  app.all('/mcp', () =>
    errorResponse(405, 'Use GET, POST or DELETE.', { headers: { allow: 'GET, POST, DELETE' } }),
  );
  app.notFound(() => errorResponse(404, 'The server is at /mcp.'));
  app.onError((error) => {
    if (error instanceof HTTPException) return error.getResponse();
    onBug(error);
    return errorResponse(500, 'Internal error in this server. The details are in its log.', { code: -32603 });
  });

  return {
    fetch: app.fetch,
    async finish() {
      const finished = tracker.stop();
      sessions.finish();
      await finished;
    },
    async close() {
      closing.abort();
      await Promise.all([modern.close(), sessions.close()]);
      await tracker.ended();
    },
  };
}
