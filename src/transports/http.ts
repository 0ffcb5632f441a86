/**
 * The server over Streamable HTTP, at `/mcp`, for any number of hosts of both protocol eras. It knows Node's own server:
 * where it listens, what it bears of slow and half-open connections, and how it stops. What becomes of a request is
 * told in `http/app.ts`. Encryption is for a proxy in front of it.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { BudgetError } from '../errors.ts';
import { formatHostForUrl } from './http/access.ts';
import { type AppDeps, createApp } from './http/app.ts';
import { errorResponse } from './http/refusal.ts';

export interface HttpOptions extends AppDeps {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

export interface HttpServer {
  /** Where it listens, such as `http://127.0.0.1:3000/mcp`. */
  readonly url: string;
  /** Takes nothing new, finishes what is under way for at most 10 seconds, and ends the rest. */
  close(): Promise<void>;
}

/** A host sends its headers at once, and its request soon. */
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CHECKING_INTERVAL_MS = 1_000;
/** Longer than proxies keep connections, so that none sends a request into one that is just being closed. */
const KEEP_ALIVE_MS = 65_000;
/** Of a connection on which nothing moves; an open stream has a sign of life every 15 seconds. */
const SILENCE_MS = 6 * 60_000;
const MAX_HEADERS = 100;
/** More are turned away at once. */
const MAX_CONNECTIONS = 2_000;
const MAX_WAITING = 256;
/** How long whoever stops the server waits for what is under way. */
export const GRACE_MS = 10_000;

/** Throws `invalid_configuration` where nobody can listen there. */
export async function serveHttp({ host, port, ...parts }: HttpOptions): Promise<HttpServer> {
  const { clock, onBug } = parts;
  const app = createApp(parts);
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKING_INTERVAL_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    getRequestListener(app.fetch, {
      overrideGlobalObjects: false,
      errorHandler: (error) => answerOutsideApp(error, onBug),
    }),
  );
  server.timeout = SILENCE_MS;
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = MAX_CONNECTIONS;
  limitWaiting(server);
  const url = `http://${formatHostForUrl(host)}:${await listen(server, host, port)}/mcp`;

  return {
    url,
    async close() {
      const done = new AbortController();
      const patience = clock.sleep(GRACE_MS, done.signal).catch(() => {});
      const closed = once(server, 'close');
      server.close();
      await Promise.race([app.finish(), patience]);
      await Promise.race([app.close(), patience]);
      done.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Of the connections on which nothing is asked, not yet or not any more, the oldest gives way to the newest, so that
 * whoever asks at once is not kept out by any number of those who do not.
 */
function limitWaiting(server: Server): void {
  const waiting = new Set<Socket>();
  // A host may send several requests at once on one connection.
  const asked = new Map<Socket, number>();
  const count = (socket: Socket, change: number) => {
    const open = (asked.get(socket) ?? 0) + change;
    asked.set(socket, open);
    if (open > 0) waiting.delete(socket);
    else waiting.add(socket);
    const [oldest] = waiting;
    if (waiting.size > MAX_WAITING) oldest?.destroy();
  };
  server.on('connection', (socket: Socket) => {
    count(socket, 0);
    socket.once('close', () => {
      waiting.delete(socket);
      asked.delete(socket);
    });
  });
  server.on('request', ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => {
      if (!socket.destroyed) count(socket, -1);
    });
  });
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const reason = code === 'EADDRINUSE' ? 'the port is in use' : code;
    throw new BudgetError('invalid_configuration', `Nobody can listen on ${host}, port ${port}: ${reason}.`);
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.');
  return address.port;
}

/** The answer where the app could give none: mostly to an address or Host header that is no URL. */
function answerOutsideApp(error: unknown, onBug: (error: Error) => void): Response {
  if (error instanceof RequestError) return errorResponse(400, 'The address of the request is malformed.');
  onBug(error instanceof Error ? error : new Error(String(error)));
  return errorResponse(500, 'Internal error in this server. The details are in its log.', { code: -32603 });
}
