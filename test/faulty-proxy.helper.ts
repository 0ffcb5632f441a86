/**
 * A real proxy between a client and a service that causes planned faults. A request is delivered never, once or twice.
 * Independently of this, its response is changed, delayed or lost. For time-outs the proxy advances the client's clock.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { LaggingCopy } from './lagging-copy.helper.ts';
import { listenLocally } from './local-server.helper.ts';

/** What happens to the response. `whole` and `late` (just before the time-out) leave it intact. */
const ANSWERS = ['whole', 'late', 'cut', 'reset', 'half', '500', '503', 'html', 'gateway', 'never'] as const;

export interface Fault {
  /** How often the request reaches the service. */
  readonly deliveries: 0 | 1 | 2;
  /** `429` is never chosen at random, because the client then sends almost nothing for a while. `400` and `404` are refusals. */
  readonly answer: (typeof ANSWERS)[number] | '429' | '400' | '404';
  /** A read gets its response from the lagging copy. */
  readonly isLagging?: boolean;
}

export interface ProxiedExchange extends Fault {
  readonly method: string;
  readonly path: string;
  /** The client has received the service's response. */
  readonly isAnswered: boolean;
}

export interface FaultyProxyOptions {
  /** Where the service listens, `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Decides for each request, in the order of their arrival. */
  readonly plan: (request: { readonly method: string; readonly path: string }) => Fault;
  /** The clock of the client's time-outs, and how long the client waits. */
  readonly clock: { advance(milliseconds: number): unknown };
  readonly timeoutMs: number;
  /** Replaces the body of a JSON response, for example by that of a lagging copy. */
  readonly alter?: (request: { readonly method: string; readonly path: string }, body: string) => string;
  readonly copy?: LaggingCopy | undefined;
}

export const NO_FAULT: Fault = { deliveries: 1, answer: 'whole' };
/** The request does not arrive. */
export const DROPPED: Fault = { deliveries: 0, answer: 'cut' };
/** The request does not arrive, and a refusal comes back. */
export const REFUSED: Fault = { deliveries: 0, answer: '400' };
/** The request arrives, but the response is lost. */
export const UNANSWERED: Fault = { deliveries: 1, answer: 'cut' };
/** The request arrives twice, and the client gets the second response. */
export const TWICE: Fault = { deliveries: 2, answer: 'whole' };
/** A read gets the state of the budget twenty seconds ago. */
export const BEHIND: Fault = { deliveries: 1, answer: 'whole', isLagging: true };

/** A random fault. `next` returns numbers from 0 to 1. */
export function anyFault(next: () => number): Fault {
  const answer = ANSWERS[Math.floor(next() * ANSWERS.length)] ?? 'whole';
  const deliveries = next();
  if (isWhole(answer) || answer === 'half') return { deliveries: deliveries < 0.5 ? 1 : 2, answer };
  return { deliveries: deliveries < 0.45 ? 0 : deliveries < 0.9 ? 1 : 2, answer };
}

const isWhole = (answer: Fault['answer']) => answer === 'whole' || answer === 'late';

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Closed when the test has finished. */
export async function startFaultyProxy({ origin, plan, clock, timeoutMs, alter, copy }: FaultyProxyOptions) {
  const exchanges: ProxiedExchange[] = [];
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', socket } = incoming;
    const body = await buffer(incoming);
    // `alter` needs an uncompressed body.
    if (alter) incoming.headers['accept-encoding'] = 'identity';
    const fault = plan({ method, path });
    exchanges.push({ method, path, ...fault, isAnswered: isWhole(fault.answer) });
    let answer: Answer | undefined;
    const behind = fault.isLagging && method === 'GET' ? copy : undefined;
    await behind?.catchUp();
    const headers = behind
      ? { ...incoming.headers, authorization: `Bearer ${behind.token}` }
      : incoming.headers;
    for (let delivery = 1; delivery <= fault.deliveries; delivery += 1) {
      answer = await deliver(behind?.origin ?? origin, { method, path, headers }, body);
      if (method !== 'GET') copy?.note({ method, path, body: body.toString() });
    }
    if (answer && alter)
      answer = { ...answer, body: Buffer.from(alter({ method, path }, answer.body.toString())) };
    const send = (status: number, type: string, text: string) =>
      response.writeHead(status, { 'content-type': type, connection: 'close' }).end(text);
    if (fault.answer === 'late') await clock.advance(timeoutMs - 1);
    switch (fault.answer) {
      case 'whole':
      case 'late':
        if (answer) response.writeHead(answer.status, closing(answer)).end(answer.body);
        return;
      case 'half':
        if (!answer) return;
        response.writeHead(answer.status, closing(answer));
        response.write(answer.body.subarray(0, answer.body.length / 2), () => socket.destroy());
        return;
      case 'cut':
        socket.destroy();
        return;
      case 'reset':
        socket.resetAndDestroy();
        return;
      case 'never':
        await clock.advance(timeoutMs);
        return;
      case '400':
        send(400, 'application/json', errorBody('400', 'bad_request'));
        return;
      case '404':
        send(404, 'application/json', errorBody('404.2', 'resource_not_found'));
        return;
      case '429':
        send(429, 'application/json', errorBody('429', 'too_many_requests'));
        return;
      case '500':
        send(500, 'application/json', errorBody('500', 'internal_server_error'));
        return;
      case '503':
        send(503, 'application/json', errorBody('503', 'service_unavailable'));
        return;
      case 'html':
        send(200, 'text/html', '<html><title>Sign in to the Wi-Fi</title></html>');
        return;
      case 'gateway':
        send(502, 'text/html', '<html><title>Bad Gateway</title></html>');
    }
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: Error) => response.destroy(error));
  });
  const { url } = await listenLocally(server);
  /** Refuses all later connections. */
  const stop = () => server.close();
  return { url, exchanges, stop };
}

/** A connection serves one request, so that a lost connection never affects another one. */
const closing = ({ headers: { 'transfer-encoding': _, ...headers }, body }: Answer) => ({
  ...headers,
  'content-length': body.length,
  connection: 'close',
});

const errorBody = (id: string, name: string) => JSON.stringify({ error: { id, name, detail: 'Faulty.' } });

interface Delivered {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

function deliver(origin: string, { method, path, headers }: Delivered, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onward = request(origin + path, { method, headers: { ...headers, connection: 'keep-alive' } });
    onward.on('error', reject);
    onward.on('response', (answer) => {
      const { statusCode: status = 0, headers } = answer;
      buffer(answer).then((body) => resolve({ status, headers, body }), reject);
    });
    onward.end(body);
  });
}
