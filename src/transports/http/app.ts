/**
 * Handles a request in this order: access checks, request limits, body, and then the endpoint of its caller. It knows nothing
 * about ports or about starting and stopping the HTTP server.
 */
import type { HttpBindings } from '@hono/node-server';
import { isJSONRPCRequest, readRequestBody } from '@modelcontextprotocol/server';
import { Hono, type MiddlewareHandler } from 'hono';
import { createMiddleware } from 'hono/factory';
import { HTTPException } from 'hono/http-exception';
import { matchedRoutes } from 'hono/route';
import { type Clock, eventLoopUsage } from '../../base/clock.ts';
import { isTooDeep, parseJson } from '../../base/json.ts';
import { isEndless, PARSE_ERROR, withUsualArguments } from '../messages.ts';
import { acceptedForms, FORMS, inForm, STREAM_FORM } from './accepted-forms.ts';
import { bugResponse, errorResponse, TOO_SLOW, unavailableResponse } from './error-response.ts';
import { ALLOWED_METHODS } from './guards.ts';
import { noteRequest } from './observed-request.ts';
import type { RequestContext } from './request-context.ts';
import { RequestTracker } from './request-tracker.ts';

/** A browser goes on to use `https` for this long. */
const YEAR_SECONDS = 31_536_000;

/** Ten times the size of a write with hundreds of transactions. */
const MAX_BYTES = 2 ** 20;

/** Reads the body of a request as JSON, with limits for its size and nesting. */
const messageReader = createMiddleware<RequestContext>(async (c, next) => {
  if (c.req.method !== 'POST') return next();
  // The host may disconnect before the body is complete.
  const body = await readBody(c.req.raw, MAX_BYTES).catch(() => undefined);
  if (!body) return errorResponse(400, 'The request body is incomplete.');
  if (body.tooLarge) return errorResponse(413, `A request may have at most ${MAX_BYTES} bytes.`);
  const message = withUsualArguments(parseJson(body.text));
  if (message === undefined) return errorResponse(400, 'The body is not JSON.', { code: PARSE_ERROR });
  c.set('message', message);
  // Version 2025-03-26, which has batches, is not agreed to by HTTP: the limits would count a batch as one request.
  if (Array.isArray(message))
    return errorResponse(400, 'Batches are not supported: send each message separately.');
  if (isTooDeep(message)) return errorResponse(400, 'The body is nested too deeply.');
  return next();
});

/** A body of known length is read at once, because Node.js accepts no more bytes than that. Others are counted. */
export async function readBody(request: Request, maxBytes: number): ReturnType<typeof readRequestBody> {
  const length = request.headers.get('content-length');
  if (length === null || Number(length) > maxBytes) return readRequestBody(request, maxBytes);
  return { tooLarge: false, text: await request.text() };
}

/** Who may call the server, and which endpoint answers. */
export interface HttpEntry {
  /** Refuse a request to `/mcp`, or set `caller`, `owner`, `label`, `limits` and `endpoint`. */
  readonly guards: readonly MiddlewareHandler<RequestContext>[];
  /** Further routes of the server. The guard sets `caller` and `limits`. */
  readonly pages?: {
    readonly guard: MiddlewareHandler<RequestContext>;
    readonly routes: Hono<{ Bindings: HttpBindings }>;
  };
  /** Calls `listener` with each caller whose access has ended. */
  onAccessEnded(listener: (caller: string) => void): void;
  /** Stops notifications and questions to hosts. Requests in progress are still answered. */
  finish(): void;
  close(): Promise<void>;
  /** Whether the public address of the server begins with `https`. */
  readonly isEncrypted?: boolean;
  /** Whether requests can be answered now. It is asked often, and answers within a few seconds. */
  isReady(): Promise<boolean>;
}

export interface HttpAppDeps {
  readonly entry: HttpEntry;
  readonly clock: Clock;
  readonly onBug: (error: Error) => void;
  readonly isOverloaded?: ReturnType<typeof overloadCheck>;
}

export function createHttpApp({ entry, clock, onBug, isOverloaded = overloadCheck(clock) }: HttpAppDeps) {
  const tracker = new RequestTracker(clock);
  entry.onAccessEnded((caller) => tracker.endStreamsOf(caller));
  // `/mcp/` is `/mcp`.
  const app = new Hono<RequestContext>({ strict: false });
  let isDraining = false;
  app.use((c, next) => {
    const route = matchedRoutes(c).findLast(({ path }) => !path.includes('*'));
    if (route) noteRequest({ route: route.path });
    // Of every answer, also those that a route writes itself.
    if (entry.isEncrypted) c.env.outgoing.setHeader('strict-transport-security', `max-age=${YEAR_SECONDS}`);
    return next();
  });
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    const isAvailable = await entry.isReady();
    if (isAvailable && !isDraining) return c.json({ status: 'ready' });
    const reason = isDraining ? 'The server is stopping.' : 'The storage cannot be used now.';
    return c.json({ status: 'not ready', reason }, 503);
  });
  app.use('/mcp', ...entry.guards);
  app.on(['GET', 'POST', 'DELETE'], ['/mcp'], tracker.middleware, messageReader, async (c) => {
    const { url, method, raw } = c.req;
    // Hono answers it like GET, which would open a stream.
    if (method === 'HEAD') return wrongMethod();
    const forms = acceptedForms(c.req.header('accept'));
    const possible = isEndless(c.var.message) ? [STREAM_FORM] : FORMS;
    if (method === 'POST' && !possible.some((form) => forms.includes(form)))
      return errorResponse(406, `The form of the answer is ${possible.join(' or ')}, which is not accepted.`);
    if (isJSONRPCRequest(c.var.message) && isOverloaded(tracker)) return unavailableResponse(TOO_SLOW);
    const { inFlight } = c.var;
    const headers = new Headers(raw.headers);
    headers.set('accept', (method === 'POST' ? FORMS : forms).join(', '));
    const request = new Request(url, { method, headers, signal: inFlight.signal });
    const answer = await c.var.endpoint.answer({ request, ...c.var });
    const response = method === 'POST' ? await inForm(answer, forms, inFlight.disconnected) : answer;
    // Node.js decides whether the connection stays open.
    response.headers.delete('connection');
    return response;
  });
  app.all('/mcp', wrongMethod);
  if (entry.pages) {
    app.use(entry.pages.guard, tracker.middleware);
    app.route('/', entry.pages.routes);
  }
  app.notFound(() => errorResponse(404, 'The server is at /mcp.'));
  app.onError((error) => {
    if (error instanceof HTTPException) return error.getResponse();
    onBug(error);
    return bugResponse();
  });

  return {
    fetch: app.fetch,
    tracker,
    /** From now on the app is not ready. It continues to answer. */
    drain() {
      isDraining = true;
    },
    /** Refuses new requests. Resolves when all work is done, except streams. */
    async finish() {
      isDraining = true;
      const finished = tracker.stop();
      entry.finish();
      await finished;
    },
    /** Ends everything that is left. Resolves when the last response is closed. */
    async close() {
      await entry.close();
      await tracker.ended();
    },
  };
}

const wrongMethod = () =>
  errorResponse(405, 'Use GET, POST or DELETE.', { headers: { allow: ALLOWED_METHODS } });

/** Requests until now. */
type RequestCounts = Pick<RequestTracker, 'inProgress' | 'finished'>;

/** Fewer requests in progress are never too many. */
const MANY = 16;
/** The part of the time in which the event loop had work. Requests that only wait, such as for a person, cost none. */
const BUSY = 0.9;
const MAX_WAIT_SECONDS = 5;
const WINDOW_SECONDS = 3;

/**
 * Returns whether a new request would wait too long for those in progress, at the rate of the last seconds. If a process has more
 * work than it can do, every call waits for all others, until their hosts give up and call again, which makes it worse. Refusing
 * new calls early keeps the time short in which the others are answered.
 */
export function overloadCheck(clock: Clock, usageOf = eventLoopUsage): (counts: RequestCounts) => boolean {
  let usageBefore = usageOf();
  let finishedBefore = 0;
  let lookedAt = clock.monotonic();
  let isBusy = false;
  let perSecond = 0;
  return ({ inProgress, finished }) => {
    const now = clock.monotonic();
    const seconds = (now - lookedAt) / 1_000;
    if (seconds >= WINDOW_SECONDS) {
      const usage = usageOf();
      const active = usage.active - usageBefore.active;
      const idle = usage.idle - usageBefore.idle;
      isBusy = active >= BUSY * (active + idle);
      perSecond = (finished - finishedBefore) / seconds;
      usageBefore = usage;
      finishedBefore = finished;
      lookedAt = now;
    }
    return isBusy && inProgress > MANY && inProgress > perSecond * MAX_WAIT_SECONDS;
  };
}
