/** Real servers on 127.0.0.1 that live as long as the test that starts them. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface LocalServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Every connection that was made, in order. */
  readonly connections: readonly Socket[];
}

/** Its answers have no `Date`, because tests steer the clock of the program. */
export function serveHttp(answer: RequestListener): Promise<LocalServer> {
  return listenLocally(
    createHttpServer((request, response) => {
      response.sendDate = false;
      answer(request, response);
    }),
  );
}

/** For what no HTTP server would do: `answer` gets the connection once the first bytes of the request are there. */
export function serveTcp(answer: (socket: Socket) => void): Promise<LocalServer> {
  return listenLocally(createTcpServer((socket) => socket.once('data', () => answer(socket))));
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

/** The system gives ports in this range to no connection by itself, so they stay unused until a test listens there. */
const UNASSIGNED_PORTS = { first: 20_000, end: 32_000 };
/** So that no two processes of the tests choose the same one. */
const SHARES = 6;
const share = Number(process.env['VITEST_POOL_ID'] ?? 0) % SHARES;
const chosenPorts = new Set<number>();

/** A port of 127.0.0.1 on which nothing listens, and that this process has not chosen before. */
export async function unusedPort(): Promise<number> {
  const { first, end } = UNASSIGNED_PORTS;
  const port = first + SHARES * randomInt((end - first) / SHARES) + share;
  if (chosenPorts.has(port)) return unusedPort();
  chosenPorts.add(port);
  const server = createTcpServer().listen(port, '127.0.0.1');
  const isUnused = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isUnused) return unusedPort();
  server.close();
  await once(server, 'close');
  return port;
}

/** An address without a server. */
export const unusedUrl = async () => `http://127.0.0.1:${await unusedPort()}`;

export async function listenLocally(server: Server): Promise<LocalServer> {
  const connections: Socket[] = [];
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    connections.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of connections) socket.destroy();
    await closed;
  });
  const port = portOf(server);
  return { port, url: `http://127.0.0.1:${port}`, connections };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.');
  return address.port;
}
