/** A proxy before a server of any protocol that cuts connections instead of passing an answer on. */
import { connect, createServer } from 'node:net';
import { listenLocally } from '../local-server.helper.ts';

/** `isCut` decides for each part of an answer. */
export async function startCuttingProxy(
  port: number,
  isCut: () => boolean,
): Promise<{ readonly port: number }> {
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('data', (request) => upstream.write(request)).on('close', cut);
    upstream
      .on('data', (answer) => (isCut() ? cut() : client.write(answer)))
      .on('error', cut)
      .on('close', cut);
  });
  return listenLocally(server);
}
