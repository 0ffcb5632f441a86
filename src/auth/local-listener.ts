/** Listens on 127.0.0.1 for the browser of the person. It knows neither pages nor sign-ins. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { BudgetError } from '../base/errors.ts';

/** Port 0 means any free one. Throws `sign_in_failed` if the port is in use. */
export async function listenLocally(
  port: number,
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause: unknown) => {
    throw new BudgetError('sign_in_failed', `Cannot listen on port ${port} of 127.0.0.1.`, { cause });
  });
  const address = server.address();
  return { server, port: address !== null && typeof address === 'object' ? address.port : port };
}

/** Ends every connection. */
export async function closeListener(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Undefined if it is not an address. */
export const targetOf = ({ url = '' }: IncomingMessage, origin: string): URL | undefined =>
  URL.canParse(url, origin) ? new URL(url, origin) : undefined;

/** Compares in constant time, whatever the lengths. */
export const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other));

const digest = (text: string) => createHash('sha256').update(text).digest();
