/** The network between client and service: a real proxy that delivers late, twice or not at all, and loses responses. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../src/base/clock.ts';
import type { Fault } from './faults.helper.ts';
import type { Traffic } from './timeline.helper.ts';

/** Identifies the request to the proxy. The client's sender adds it. */
export const EXCHANGE_HEADER = 'x-exchange';
const COUNT_HEADER = 'x-rate-limit';

export type LineRequest = Pick<Request, 'method' | 'path' | 'headers' | 'body'>;

/** Decides what happens to each request. */
export interface LinePlan {
  /** Responses do not contain the count of used requests. */
  readonly hidesCount: boolean;
  next(request: LineRequest): Fault;
}

export interface NetworkOptions {
  /** The address of the service, `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** The tokens with which the service responds from its lagging copies. */
  readonly copies: readonly string[];
  readonly plan: LinePlan;
  readonly clock: Clock;
  readonly traffic: Traffic;
  /** Called for each request, to find out what went wrong. */
  readonly onExchange: (line: string) => void;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface Request {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Network {
  readonly url: string;
  close(): Promise<void>;
}

export async function startNetwork(options: NetworkOptions): Promise<Network> {
  const server = createServer((incoming, response) => {
    pass(incoming, response, options).catch((error: Error) => response.destroy(error));
  });
  server.on('connection', (socket) => socket.on('error', () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy listens on no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function pass(incoming: IncomingMessage, response: ServerResponse, options: NetworkOptions) {
  const { plan, clock, traffic, onExchange } = options;
  const { method = '', url: path = '', headers } = incoming;
  const id = String(headers[EXCHANGE_HEADER]);
  const request = { id, method, path, headers, body: await buffer(incoming) };
  const fault = plan.next(request);
  onExchange(`${new Date(clock.now()).toISOString()} ${method} ${path} ${describe(fault)}`);
  const answers: Answer[] = [];
  for (const after of fault.deliveries) {
    if (after > 0) continue;
    answers.push(await deliver(request, fault, options));
  }
  const deliverLate = async () => {
    let waited = 0;
    for (const after of fault.deliveries) {
      if (after === 0) continue;
      await clock.sleep(after - waited);
      waited = after;
      answers.push(await deliver(request, fault, options));
    }
  };
  if (fault.answer === 'first' || fault.answer === 'last') {
    if (fault.deliveries.some((after) => after > 0)) await traffic.holdUp(id, deliverLate);
    if (fault.answerHeldUpMs > 0) await traffic.holdUp(id, () => clock.sleep(fault.answerHeldUpMs));
  } else {
    deliverLate().catch(() => {});
  }
  answer(response, fault, answers, plan.hidesCount, () => traffic.holdUp(id, () => new Promise(() => {})));
}

function answer(
  response: ServerResponse,
  { answer }: Fault,
  answers: readonly Answer[],
  hidesCount: boolean,
  holdUpForEver: () => void,
): void {
  const { socket } = response;
  const [first] = answers;
  const last = answers.at(-1);
  // Delivered twice as the last request of the hour, it would be refused the second time: a limit (docs/limits.md).
  const given = answer === 'first' || last?.status === 429 ? first : last;
  const closing = (answer: Answer) => headersOf(answer, hidesCount);
  const fail = (status: number, name: string) => {
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ error: { id: String(status), name, detail: 'Made up by the network.' } }));
  };
  switch (answer) {
    case 'first':
    case 'last':
      if (given) response.writeHead(given.status, closing(given)).end(given.body);
      return;
    case 'half':
      if (!given) return;
      response.writeHead(given.status, closing(given));
      response.write(given.body.subarray(0, given.body.length / 2), () => socket?.destroy());
      return;
    case 'cut':
      socket?.destroy();
      return;
    case 'reset':
      socket?.resetAndDestroy();
      return;
    case '429':
      fail(429, 'too_many_requests');
      return;
    case '503':
      fail(503, 'service_unavailable');
      return;
    case '504':
      fail(504, 'gateway_timeout');
      return;
    case 'never':
      holdUpForEver();
  }
}

const describe = ({ name, deliveries, answer, answerHeldUpMs, copy }: Fault) =>
  name === 'none'
    ? ''
    : `${name} (delivered after [${deliveries.map((ms) => `${ms / 1_000} s`)}], answer: ${answer}${answerHeldUpMs ? ` after ${answerHeldUpMs / 1_000} s` : ''}${copy === undefined ? '' : `, copy ${copy}`})`;

/** A connection serves one request, so that a lost connection never affects another one. */
function headersOf({ headers, body }: Answer, hidesCount: boolean) {
  const { 'transfer-encoding': _, [COUNT_HEADER]: count, ...rest } = headers;
  return {
    ...rest,
    ...(!hidesCount && count !== undefined && { [COUNT_HEADER]: count }),
    'content-length': body.length,
    connection: 'close',
  };
}

/**
 * The copies have users and tokens of their own, but requests must count as in one service. Each request to a copy is paid
 * for by a request with the client's own token.
 */
async function deliver(request: Request, { copy }: Fault, options: NetworkOptions): Promise<Answer> {
  const token = copy === undefined ? undefined : options.copies[copy];
  if (token === undefined) return passOn(request, options);
  const paid = await passOn({ ...request, path: '/v1/user' }, options);
  if (paid.status === 429) return paid;
  const answer = await passOn(request, options, token);
  return { ...answer, headers: { ...answer.headers, [COUNT_HEADER]: paid.headers[COUNT_HEADER] } };
}

function passOn(
  { method, path, headers, body }: Request,
  { origin, traffic }: NetworkOptions,
  token?: string,
): Promise<Answer> {
  const sent = {
    ...headers,
    connection: 'keep-alive',
    // Compressing and decompressing every response would take most of the time.
    'accept-encoding': 'identity',
    ...(token && { authorization: `Bearer ${token}` }),
  };
  return traffic.delivery(
    () =>
      new Promise((resolve, reject) => {
        const onward = request(origin + path, { method, headers: sent });
        onward.on('error', reject);
        onward.on('response', (answer) => {
          const { statusCode: status = 0, headers } = answer;
          buffer(answer).then((body) => resolve({ status, headers, body }), reject);
        });
        onward.end(body);
      }),
  );
}
