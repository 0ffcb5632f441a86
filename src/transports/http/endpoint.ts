/**
 * Answers the messages that hosts of both protocol eras send: sessions of the older era, single requests of the newer one, and
 * subscriptions. All hosts of an endpoint see changes of the same tools and resources.
 */
import {
  createMcpHandler,
  isJSONRPCRequest,
  isLegacyRequest,
  type Server,
} from '@modelcontextprotocol/server';
import { createMiddleware } from 'hono/factory';
import { repeat } from '../../base/background.ts';
import type { Clock } from '../../base/clock.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Subscriptions } from '../../mcp/subscriptions.ts';
import { parseListenRequest, subscribe } from '../messages.ts';
import type { Access } from './access.ts';
import type { HttpEntry } from './app.ts';
import { callersOf } from './callers.ts';
import { errorResponse } from './error-response.ts';
import { guards, tokenCheck } from './guards.ts';
import { noteRequest } from './observed-request.ts';
import type { Endpoint, RequestContext } from './request-context.ts';
import { McpSessions } from './sessions.ts';

export interface EndpointDeps {
  /** `caller` is the one that the server is for. */
  readonly createServer: (caller?: string) => Server;
  readonly subscriptions: Subscriptions;
  /** Calls `listener` whenever the list of tools and prompts has changed. */
  readonly onToolListChanged: (listener: () => void) => void;
  readonly clock: Clock;
  /** Called with each error in what a host sends. */
  readonly onError: (error: Error) => void;
  /** The limit for the sessions of the older era. */
  readonly maxSessions?: number;
  readonly metrics?: Metrics | undefined;
}

/** Enough that one caller cannot keep all sessions busy. */
const MAX_SESSIONS = 512;

/** A request that is answered as long as the client listens. */
const isEventStream = (message: unknown) => isJSONRPCRequest(message) && message.method === 'events/stream';

export function createEndpoint(deps: EndpointDeps): Endpoint {
  const { createServer, subscriptions, onToolListChanged, clock, onError, maxSessions = MAX_SESSIONS } = deps;
  const sessions = new McpSessions({ createServer, clock, onError, max: maxSessions });
  const unwatch = deps.metrics?.watch(() => ({ sessions: sessions.size }));
  const modern = createMcpHandler(({ authInfo }) => createServer(authInfo?.clientId), {
    legacy: 'reject',
    onerror: onError,
    // Subscriptions are limited for each caller.
    maxSubscriptions: Number.POSITIVE_INFINITY,
  });

  onToolListChanged(() => {
    modern.notify.toolsChanged();
    modern.notify.promptsChanged();
  });

  return {
    async answer(accepted) {
      const { request, message, caller, inFlight } = accepted;
      if (isEventStream(message)) inFlight.becomesStream();
      if (await isLegacyRequest(request, message)) return sessions.handle(accepted);
      const listenRequest = parseListenRequest(message);
      if (listenRequest) {
        // For as long as the stream is open.
        const subscription = subscribe(listenRequest, subscriptions, modern.notify.resourceUpdated, caller);
        if ('error' in subscription) return Response.json(subscription);
        inFlight.becomesStream();
        void inFlight.disconnected.then(() => subscription.end());
      }
      // The outcome of a write and the user's consent belong to one caller. The SDK does not get the token itself.
      const authInfo = { token: '', clientId: caller, scopes: [] };
      const response = await modern.fetch(request, { parsedBody: message, authInfo });
      if (response.ok && !inFlight.timedOut.aborted) return response;
      noteRequest({ isUnanswered: true });
      return inFlight.timedOut.aborted ? errorResponse(504, 'It took too long and was cancelled.') : response;
    },
    endSessionsOf: (caller) => sessions.endAllOf(caller),
    finish: () => sessions.finish(),
    async close() {
      unwatch?.();
      await Promise.all([modern.close(), sessions.close()]);
    },
  };
}

interface SingleEndpointDeps extends EndpointDeps {
  readonly access: Access;
  readonly onBug: (error: Error) => void;
}

/** For one caller, streams included: enough for 64 hosts that use the same token. */
const MAX_CONCURRENT = 256;
/** Each request checks its own token. This check is for callers that only have streams open. */
const TOKENS_CHECK_MS = 10_000;

/** One endpoint for all callers: the server of one person. The settings say who may call. */
export function createSingleEndpoint({ access, onBug, ...deps }: SingleEndpointDeps): HttpEntry {
  const { clock } = deps;
  const endpoint = createEndpoint(deps);
  const listeners = new Set<(caller: string) => void>();
  const callers =
    access.tokens &&
    callersOf(access.tokens, (caller) => {
      endpoint.endSessionsOf(caller);
      for (const listener of listeners) listener(caller);
    });
  const closing = new AbortController();
  const { signal } = closing;
  if (callers) void repeat({ work: () => callers.refresh(), everyMs: TOKENS_CHECK_MS, clock, signal, onBug });
  return {
    guards: [
      ...guards(access, callers && tokenCheck(callers)),
      createMiddleware<RequestContext>((c, next) => {
        c.set('endpoint', endpoint);
        c.set('limits', [{ of: c.var.caller, concurrent: MAX_CONCURRENT }]);
        return next();
      }),
    ],
    onAccessEnded: (listener) => void listeners.add(listener),
    finish: () => endpoint.finish(),
    async close() {
      closing.abort();
      await endpoint.close();
    },
    isReady: async () => true,
  };
}
