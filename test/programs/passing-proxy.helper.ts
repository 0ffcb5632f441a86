/** A proxy between programs and the service. A test decides when a request is delivered, and when its response is sent. */
import { createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenLocally } from '../local-server.helper.ts';

export interface Passage {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Delivers the request to the service. It may be called after the end of the program that has sent it. */
  deliver(): Promise<void>;
}

/** When it ends, the response is sent. If the request was not delivered, the connection is closed. */
export type Pass = (passage: Passage) => Promise<void>;

/** Closed when the test has finished. `origin` can be a function if the service is started later. */
export async function startPassingProxy(origin: string | (() => string), pass: Pass): Promise<string> {
  const server = createServer(async (incoming, response) => {
    // A killed program closes its connections.
    incoming.on('error', () => {});
    response.on('error', () => {});
    const { method = '', url: path = '', headers } = incoming;
    const body = await buffer(incoming).catch(() => undefined);
    if (!body) return;
    let answer: Answer | undefined;
    const deliver = async () => {
      answer = await forward(typeof origin === 'string' ? origin : origin(), { method, path, headers }, body);
    };
    await pass({ method, path, body: body.toString(), deliver });
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.body);
    else incoming.socket.destroy();
  });
  return (await listenLocally(server)).url;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface Forwarded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

function forward(origin: string, { method, path, headers }: Forwarded, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onward = request(origin + path, { method, headers: { ...headers, connection: 'close' } });
    onward.on('error', reject);
    onward.on('response', (answer) => {
      const { statusCode: status = 0, headers: received } = answer;
      const { connection: _, 'transfer-encoding': __, ...passed } = received;
      buffer(answer).then((whole) => resolve({ status, headers: passed, body: whole }), reject);
    });
    onward.end(body);
  });
}
