/** A proxy before a Redis that loses answers, or keeps back what was sent. */
import { connect, createServer } from 'node:net';
import { listenLocally } from '../local-server.helper.ts';

export interface RedisProxy {
  readonly url: string;
  /** Keeps back what comes by the connections that are open now, also after they are closed. */
  hold(): void;
  /** Passes on what was kept back, and waits until Redis has answered and closed those connections. */
  passOn(): Promise<void>;
}

interface Connection {
  /** What is kept back. */
  kept: Buffer[] | undefined;
  finish(): Promise<void>;
}

/** `isLost` decides for each part of an answer. Its connection is cut then. */
export async function startRedisProxy(port: number, isLost = () => false): Promise<RedisProxy> {
  const connections = new Set<Connection>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const ended = new Promise<void>((resolve) => upstream.on('close', () => resolve()));
    const connection: Connection = {
      kept: undefined,
      async finish() {
        upstream.end(Buffer.concat(connection.kept ?? []));
        await ended;
      },
    };
    connections.add(connection);
    const cut = () => {
      client.destroy();
      upstream.destroy();
      connections.delete(connection);
    };
    client
      .on('data', (request) => (connection.kept ? connection.kept.push(request) : upstream.write(request)))
      .on('close', () => connection.kept ?? cut());
    upstream
      .on('data', (answer) => (isLost() ? cut() : client.write(answer)))
      .on('error', cut)
      .on('close', cut);
  });
  const { port: own } = await listenLocally(server);
  return {
    url: `redis://127.0.0.1:${own}`,
    hold: () => {
      for (const connection of connections) connection.kept ??= [];
    },
    passOn: async () => {
      const kept = [...connections].filter((connection) => connection.kept);
      await Promise.all(kept.map((connection) => connection.finish()));
    },
  };
}
