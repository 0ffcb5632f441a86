/**
 * A real proxy between a client and a service, over which exchanges go wrong as planned: a request arrives not at all,
 * once or twice, and what then becomes of the answer is another matter. The time-out of the client is a matter of its
 * clock, which the proxy moves.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { LaggingCopy } from './lagging-copy.ts';
import { listenLocally } from './local-server.ts';

/** How the service's answer is spoilt; `whole` and `late`, just before the client gives up, are not. */
const ANSWERS = ['whole', 'late', 'cut', 'reset', 'half', '500', '503', 'html', 'gateway', 'never'] as const;

export interface Fault {
  /** How often the request reaches the service. */
  readonly deliveries: 0 | 1 | 2;
  /** Never chosen at random is `429`: a client that gets it sends next to nothing for a while. */
  readonly answer: (typeof ANSWERS)[number] | '429';
  /** A read is answered by the copy that lags behind. */
  readonly isBehind?: boolean;
}

export interface ProxiedExchange extends Fault {
  readonly method: string;
  readonly path: string;
  /** The client has got the service's answer. */
  readonly isAnswered: boolean;
}

export interface FaultyProxyOptions {
  /** Where the service listens, `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** Decides for each request, in the order of their arrival. */
  readonly plan: (request: { readonly method: string; readonly path: string }) => Fault;
  /** The one that the client's time-outs go by, and how long it waits. */
  readonly clock: { advance(milliseconds: number): unknown };
  readonly timeoutMs: number;
  /** Another body in the place of the service's own, of what it answers as JSON: that of a copy which lags, say. */
  readonly alter?: (request: { readonly method: string; readonly path: string }, body: string) => string;
  readonly copy?: LaggingCopy | undefined;
}

export const NO_FAULT: Fault = { deliveries: 1, answer: 'whole' };
/** The request does not arrive. */
export const DROPPED: Fault = { deliveries: 0, answer: 'cut' };
/** The request arrives, and the answer does not. */
export const UNANSWERED: Fault = { deliveries: 1, answer: 'cut' };
/** The request arrives twice, and the answer is that to the second time. */
export const TWICE: Fault = { deliveries: 2, answer: 'whole' };
/** A read that is answered as the budget was twenty seconds ago. */
export const BEHIND: Fault = { deliveries: 1, answer: 'whole', isBehind: true };

/** Any fault; `next` gives numbers from 0 to 1. */
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
    // What is to be altered must not be packed.
    if (alter) incoming.headers['accept-encoding'] = 'identity';
    const fault = plan({ method, path });
    exchanges.push({ method, path, ...fault, isAnswered: isWhole(fault.answer) });
    let answer: Answer | undefined;
    const behind = fault.isBehind && method === 'GET' ? copy : undefined;
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
  /** From now on connections are refused. */
  const stop = () => server.close();
  return { url, exchanges, stop };
}

/** A connection serves one request, so that a cut never hits another one. */
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
