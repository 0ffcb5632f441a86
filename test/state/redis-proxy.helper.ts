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

/** `isLost` decides for each part of an answer. Its connection is cut then. */
export async function startRedisProxy(port: number, isLost = () => false): Promise<RedisProxy> {
  const connections = new Set<{ held: Buffer[] | undefined; finish: () => Promise<void> }>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const ended = new Promise<void>((resolve) => upstream.on('close', () => resolve()));
    const connection = {
      held: undefined as Buffer[] | undefined,
      finish: async () => {
        upstream.end(Buffer.concat(connection.held ?? []));
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
      .on('data', (request) => (connection.held ? connection.held.push(request) : upstream.write(request)))
      .on('close', () => connection.held ?? cut());
    upstream
      .on('data', (answer) => (isLost() ? cut() : client.write(answer)))
      .on('error', cut)
      .on('close', cut);
  });
  const { port: own } = await listenLocally(server);
  return {
    url: `redis://127.0.0.1:${own}`,
    hold: () => {
      for (const connection of connections) connection.held ??= [];
    },
    passOn: async () => {
      const held = [...connections].filter((connection) => connection.held);
      await Promise.all(held.map(({ finish }) => finish()));
    },
  };
}
