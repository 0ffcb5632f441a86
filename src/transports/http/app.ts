/**
 * The way of a request through the server, in the order in which it is read here: the doors, the exchange, the body,
 * and then the era that the host speaks. It knows the layers, and must not know on which port or for how long the
 * server runs.
 */
import { createMcpHandler, isLegacyRequest, type McpServer } from '@modelcontextprotocol/server';
import { Hono, type HonoRequest } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { Subscriptions } from '../../mcp/subscriptions.ts';
import type { Clock } from '../../platform/clock.ts';
import { type ListenRequest, parseListenRequest, subscribe } from '../resource-subscription.ts';
import type { Access } from './access.ts';
import { Callers } from './callers.ts';
import { guards } from './guards.ts';
import { messageReader } from './message.ts';
import { errorResponse } from './refusal.ts';
import type { RequestContext } from './request-context.ts';
import { RequestTracker } from './request-tracker.ts';
import { McpSessions } from './sessions.ts';

export interface AppDeps {
  /** `holder` is the caller that the server is for. */
  readonly createServer: (holder?: string) => McpServer;
  readonly subscriptions: Subscriptions;
  /** `tell` is called whenever the tools and prompts have become others. */
  readonly onToolListChanged: (tell: () => void) => void;
  readonly access: Access;
  readonly clock: Clock;
  /** Told of what was refused. */
  readonly onError: (error: Error) => void;
  readonly onBug: (error: Error) => void;
}

/** Of one caller, streams included: enough for 64 hosts at once that all use one token. */
const AT_ONCE = 256;
/** The time that a person has for an answer, where they are asked. */
const TIME_LIMIT_MS = 5 * 60_000;
/** Twice as many, so that no one caller can keep all of them busy. */
const MAX_SESSIONS = 512;
const IDLE_MS = 30 * 60_000;
/** Every request looks for removed tokens by itself; this is for those who only listen. */
const TOKENS_CHECK_MS = 10_000;

export interface App {
  fetch: Hono<RequestContext>['fetch'];
  /** Begins nothing new and resolves when all work is done, streams apart. */
  finish(): Promise<void>;
  /** Ends what is left; resolves when the last answer has gone. */
  close(): Promise<void>;
}

export function createApp(parts: AppDeps): App {
  const { createServer, subscriptions, onToolListChanged, access, clock, onError, onBug } = parts;
  const exchanges = new RequestTracker({ clock, maxConcurrent: AT_ONCE, timeLimitMs: TIME_LIMIT_MS });
  const sessions = new McpSessions({ createServer, clock, onError, max: MAX_SESSIONS, idleMs: IDLE_MS });
  const modern = createMcpHandler(({ authInfo }) => createServer(authInfo?.clientId), {
    legacy: 'reject',
    onerror: onError,
    // They are counted for each caller.
    maxSubscriptions: Number.POSITIVE_INFINITY,
  });

  const callers =
    access.tokens &&
    new Callers(access.tokens, (holder) => {
      sessions.endAllOf(holder);
      exchanges.endStreamsOf(holder);
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

  /** A stream that tells of resources is fed for as long as it is open; gives the answer to one that is refused. */
  const listen = (listening: ListenRequest, { holder, exchange }: RequestContext['Variables']) => {
    const watch = subscribe(listening, subscriptions, modern.notify.resourceUpdated, holder);
    if ('error' in watch) return Response.json(watch);
    exchange.becomesStream();
    void exchange.disconnected.then(() => watch.end());
    return undefined;
  };

  const answer = async ({ url, method, raw }: HonoRequest, variables: RequestContext['Variables']) => {
    const { exchange, message } = variables;
    const request = new Request(url, { method, headers: raw.headers, signal: exchange.signal });
    if (await isLegacyRequest(request, message)) return sessions.handle({ request, ...variables });
    const listening = parseListenRequest(message);
    const refused = listening && listen(listening, variables);
    if (refused) return refused;
    // What a write has come to, and consent, are for whoever asked alone. The token itself stays here.
    const authInfo = { token: '', clientId: variables.holder, scopes: [] };
    const response = await modern.fetch(request, { parsedBody: message, authInfo });
    return exchange.timedOut.aborted ? errorResponse(504, 'It took too long and was cancelled.') : response;
  };

  const app = new Hono<RequestContext>();
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.use('/mcp', ...guards(access, callers));
  app.on(['GET', 'POST', 'DELETE'], ['/mcp'], exchanges.middleware, messageReader(clock), async (c) => {
    const response = await answer(c.req, c.var);
    // Whether the connection lasts is between Node and the host.
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
      const finished = exchanges.stop();
      sessions.finish();
      await finished;
    },
    async close() {
      closing.abort();
      await Promise.all([modern.close(), sessions.close()]);
      await exchanges.ended();
    },
  };
}
