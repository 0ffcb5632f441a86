/** `docs/compose/Caddyfile` in a real Caddy, in front of three servers that record what they get. */
import { spawnSync } from 'node:child_process';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { listenLocally, unusedUrl } from '../local-server.helper.ts';
import { runOurCaddy } from './our-caddy.helper.ts';

const version = spawnSync('caddy', ['version']).stdout?.toString() ?? '';
const [, major = 0, minor = 0, patch = 0] = (/v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).map(Number);

/** Since 2.11.2. The one of Debian 12 answers 502 instead. */
export const triesBodiesAgain = major * 1e6 + minor * 1e3 + patch >= 2_011_002;

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

export type Answer = (received: Received, response: ServerResponse) => void;

/** A server that answers with its own address, unless the test answers. */
export class ProxiedServer {
  readonly received: Received[] = [];
  readonly address: string;
  isReady = true;
  readonly #server: Server;

  private constructor(server: Server, port: number, answer: Answer | undefined) {
    this.#server = server;
    this.address = `127.0.0.1:${port}`;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === '/readyz') {
        response.writeHead(this.isReady ? 200 : 503).end();
        return;
      }
      void this.#receive(request).then((received) => {
        if (!received) return;
        if (answer) answer(received, response);
        else response.end(this.address);
      });
    });
  }

  static async start(answer?: Answer): Promise<ProxiedServer> {
    const server = createServer();
    const { port } = await listenLocally(server);
    return new ProxiedServer(server, port, answer);
  }

  async #receive(request: IncomingMessage): Promise<Received | undefined> {
    const { method = '', url: path = '', headers } = request;
    // The caller may end the connection before the body is complete.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return undefined;
    const received = { method, path, body, headers };
    this.received.push(received);
    return received;
  }

  /** Like a server that was killed: connections break, and new ones are refused. */
  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Runs Caddy in front of three servers until the test has finished. Returns its address. */
export async function startProxied(answer?: Answer) {
  const servers = await Promise.all([1, 2, 3].map(() => ProxiedServer.start(answer)));
  const site = await unusedUrl();
  const addresses = servers.map(({ address }) => address);
  const caddy = await runOurCaddy({ site, servers: addresses, directory: await temporaryDirectory() });
  onTestFinished(() => caddy.stop());
  return {
    site,
    servers,
    received: () => servers.flatMap(({ received }) => received),
    /** For each server the header of a token whose requests it gets. */
    async tokens() {
      const found = new Map<string, ReturnType<typeof bearer>>();
      for (let nth = 0; found.size < servers.length; nth += 1) {
        const headers = bearer(`token-${nth}`);
        found.set(await (await fetch(`${site}/mcp`, { headers })).text(), headers);
      }
      return servers.map(({ address }) => found.get(address) ?? {});
    },
  };
}
