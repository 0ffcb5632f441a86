/**
 * Serves MCP over Streamable HTTP at `/mcp`, for any number of hosts of both protocol eras. This file runs the HTTP server
 * of Node.js: its address, its limits for slow and half-open connections, and how it stops. `http/app.ts` handles the
 * requests. A proxy in front of the server has to encrypt the connections.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSocketServer, type Socket, type Server as SocketServer } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { errnoOf } from '../base/errno.ts';
import { type BudgetError, errorOf, invalidConfig } from '../base/errors.ts';
import { formatHostForUrl } from './http/access.ts';
import { createHttpApp, type HttpAppDeps } from './http/app.ts';
import { bugResponse, errorResponse } from './http/error-response.ts';
import { type EndedRequest, observed } from './http/observed-request.ts';
import { listenForWorkers, passedOn, type WorkerPlace } from './http/workers.ts';

export interface HttpOptions extends HttpAppDeps {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Called after every request. */
  readonly onRequest?: (request: EndedRequest) => void;
  /** If the server consists of several processes. `addressOf` is the address that sends a request. */
  readonly workers?:
    | { readonly place: WorkerPlace; readonly addressOf: (incoming: IncomingMessage) => string }
    | undefined;
}

/** Limits for receiving the headers and the whole request. */
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECKING_INTERVAL_MS = 1_000;
/** Longer than proxies keep connections, so that a proxy does not send a request while the server closes the connection. */
const KEEP_ALIVE_MS = 65_000;
/** The limit for a connection without traffic. An open stream sends a comment every 15 seconds. */
const IDLE_MS = 6 * 60_000;
const MAX_HEADERS = 100;
/** More connections are refused. */
const MAX_CONNECTIONS = 2_000;
/** Connections without a request in progress. The others are for those with one. */
const MAX_WAITING = 1_000;
/** How long to wait for requests in progress when the server stops. */
export const GRACE_MS = 10_000;

/** Throws `invalid_configuration` if the address cannot be used. */
export async function serveHttp({ host, port, onRequest = () => {}, workers, ...deps }: HttpOptions) {
  const { clock, onBug } = deps;
  const app = createHttpApp(deps);
  const timeLimits = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECKING_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  const errorHandler = (error: unknown) => answerOutsideApp(error, onBug);
  const answer = observed(getRequestListener(app.fetch, { errorHandler }), clock, onRequest);
  const fromWorkers = workers && createServer(timeLimits, answer);
  if (workers && fromWorkers) await listenForWorkers(fromWorkers, workers.place);
  const server = createServer(
    timeLimits,
    workers ? passedOn(workers.place, workers.addressOf, answer) : answer,
  );
  server.timeout = IDLE_MS;
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = MAX_CONNECTIONS;
  limitWaiting(server);
  const listening = await listen(server, host === 'localhost' ? IPV4_LOOPBACK : host, port);
  const url = `http://${formatHostForUrl(host)}:${listening}/mcp`;
  const onIpv6 =
    host === 'localhost' || host === IPV4_LOOPBACK
      ? await listenOnIpv6Loopback(server, listening)
      : undefined;

  return {
    /** Such as `http://127.0.0.1:3000/mcp`. */
    url,
    /** Without streams. */
    get requestsInProgress() {
      return app.tracker.inProgress;
    },
    get openStreams() {
      return app.tracker.streams;
    },
    /** From now on `/readyz` answers 503, so that a load balancer sends nothing more. All requests are still answered. */
    drain: () => app.drain(),
    /** Refuses new requests, waits at most 10 seconds for requests in progress, and ends the rest. */
    async close() {
      const done = new AbortController();
      const timeLimit = clock.sleep(GRACE_MS, done.signal).catch(() => {});
      const closed = once(server, 'close');
      server.close();
      onIpv6?.close();
      fromWorkers?.close();
      await Promise.race([app.finish(), timeLimit]);
      await Promise.race([app.close(), timeLimit]);
      done.abort();
      server.closeAllConnections();
      fromWorkers?.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Limits the connections without a request in progress: if there are too many, the oldest is closed. So idle connections,
 * however many, cannot keep out a host that sends a request.
 */
function limitWaiting(server: Server): void {
  const waiting = new Set<Socket>();
  // A host may send several requests at once on one connection.
  const openRequests = new Map<Socket, number>();
  const count = (socket: Socket, change: number) => {
    const open = (openRequests.get(socket) ?? 0) + change;
    openRequests.set(socket, open);
    if (open > 0) waiting.delete(socket);
    else waiting.add(socket);
    const [oldest] = waiting;
    if (waiting.size > MAX_WAITING) oldest?.destroy();
  };
  server.on('connection', (socket: Socket) => {
    count(socket, 0);
    socket.once('close', () => {
      waiting.delete(socket);
      openRequests.delete(socket);
    });
  });
  server.on('request', ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => {
      if (!socket.destroyed) count(socket, -1);
    });
  });
}

const IPV4_LOOPBACK = '127.0.0.1';

/**
 * Lets hosts reach `server` at `::1` too, which the name `localhost` means for some of them. Undefined on a machine without
 * IPv6. Throws `invalid_configuration` if the port is in use there, because those hosts would reach another program.
 */
async function listenOnIpv6Loopback(server: Server, port: number): Promise<SocketServer | undefined> {
  const sockets = createSocketServer((socket) => void server.emit('connection', socket));
  try {
    sockets.listen(port, '::1');
    await once(sockets, 'listening');
    return sockets;
  } catch (error) {
    if (errnoOf(error) !== 'EADDRINUSE') return undefined;
    server.close();
    throw cannotListen('::1', port, error);
  }
}

/** Resolves with the port. Throws `invalid_configuration` if the address cannot be used. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(host, port, error);
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

function cannotListen(host: string, port: number, error: unknown): BudgetError {
  const code = errnoOf(error) || 'unknown error';
  const reason = code === 'EADDRINUSE' ? 'the port is in use' : code;
  return invalidConfig(`Cannot listen on ${host}, port ${port}: ${reason}.`);
}

/** The response when the app could not create one, mostly because the address or Host header is not a valid URL. */
function answerOutsideApp(error: unknown, onBug: (error: Error) => void): Response {
  if (error instanceof RequestError) return errorResponse(400, 'The address of the request is malformed.');
  onBug(errorOf(error));
  return bugResponse();
}
