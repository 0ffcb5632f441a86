/** A real forward proxy that sends every request, tunnelled or not, to one local server. */
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { type LocalServer, listenLocally } from './local-server.helper.ts';

export interface ForwardProxy extends LocalServer {
  /** The targets of the requests (the host of a tunnel or a whole URL), with their headers. */
  readonly requested: readonly {
    readonly target: string;
    readonly headers: NodeJS.Dict<string | string[]>;
  }[];
}

/** Without `origin` it refuses everything. */
export async function startForwardProxy(origin?: LocalServer): Promise<ForwardProxy> {
  const requested: { target: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  const server = createServer((incoming, response) => {
    const { url = '', method, headers } = incoming;
    requested.push({ target: url, headers });
    if (!origin) {
      response.writeHead(403).end();
      return;
    }
    const { pathname, search } = new URL(url);
    const onward = request({
      host: '127.0.0.1',
      port: origin.port,
      path: pathname + search,
      method,
      headers,
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  server.on('connect', ({ url = '', headers }, socket) => {
    requested.push({ target: url, headers });
    if (!origin) {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const tunnel = connect(origin.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      tunnel.pipe(socket).pipe(tunnel);
    });
    for (const end of [tunnel, socket]) end.on('error', () => tunnel.destroy());
  });
  return { ...(await listenLocally(server)), requested };
}
