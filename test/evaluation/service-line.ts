/**
 * The line between the program and the service: counts requests and causes the faults of a task. Its answers have the
 * date of the conversation.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Clock } from '../../src/base/clock.ts';
import type { Fault, Task } from './task.ts';

export interface ServiceLine {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** The number of requests up to now, those with a fault included. */
  readonly requests: number;
  close(): void;
}

const refusals = {
  refused: [
    503,
    { error: { id: '503', name: 'service_unavailable', detail: 'The service is not available.' } },
  ],
  limited: [429, { error: { id: '429', name: 'too_many_requests', detail: 'Too many requests.' } }],
} as const;

/** `origin` is where the service listens, `http://127.0.0.1:PORT`. */
export async function startServiceLine(
  origin: string,
  clock: Clock,
  faultOf: Task['fault'],
): Promise<ServiceLine> {
  let requests = 0;
  const seen = new Map<string, number>();
  const planned = (method: string, path: string): Fault | undefined => {
    const key = `${method} ${path}`;
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    return faultOf?.({ method, path, nth });
  };
  const server = createServer((incoming, response) => {
    requests += 1;
    const { method = '', url = '' } = incoming;
    const fault = planned(method, url.replace(/\?.*$/, ''));
    response.setHeader('date', new Date(clock.now()).toUTCString());
    if (fault === undefined || fault === 'lost') passOn(origin, incoming, response, fault === 'lost');
    else {
      const [status, body] = refusals[fault];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      incoming.resume();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The line has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    get requests() {
      return requests;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** With `isLost`, the connection ends instead of the answer, after the service has carried out the request. */
function passOn(origin: string, incoming: IncomingMessage, response: ServerResponse, isLost: boolean): void {
  const { method, url, headers } = incoming;
  const onward = request(origin + url, { method, headers: { ...headers, connection: 'close' } });
  onward.on('error', (error) => response.destroy(error));
  onward.on('response', (answer) => {
    const { date: _, connection: __, ...others } = answer.headers;
    if (isLost) {
      answer.resume().on('end', () => response.destroy());
      return;
    }
    response.writeHead(answer.statusCode ?? 502, others);
    answer.pipe(response);
  });
  incoming.pipe(onward);
}
