/** Listens on 127.0.0.1 for the browser of the person, sends it pages and reads what it posts. It knows no sign-ins. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { BudgetError } from '../base/errors.ts';
import { type PageText, pageHeaders, resultPage } from './redirect-pages.ts';

/** Port 0 means any free one. Throws `sign_in_failed` if the port is in use. */
export async function listenLocally(port: number) {
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

const MAX_BODY_BYTES = 16_384;

/** Throws if the body is larger than anything that belongs to a sign-in, or of unknown length, which no browser sends. */
export async function readBody(request: IncomingMessage): Promise<string> {
  if (!(Number(request.headers['content-length']) <= MAX_BODY_BYTES))
    throw new Error('The body is too large for a sign-in, or its length is not given.');
  return text(request);
}

/** Resolves when the browser has received the page or has disconnected. */
export async function sendPage(
  response: ServerResponse,
  status: number,
  page: string,
  headers: Readonly<Record<string, string>> = pageHeaders,
): Promise<void> {
  response.writeHead(status, { ...headers, connection: 'close' }).end(page);
  if (!response.closed) await once(response, 'close').catch(() => {});
}

export const sendResult = async (response: ServerResponse, status: number, text: PageText) =>
  sendPage(response, status, await resultPage(text));

/** For a script, which shows the text on its page. */
export const sendJson = (response: ServerResponse, status: number, text: PageText) =>
  sendPage(response, status, JSON.stringify(text), { ...pageHeaders, 'content-type': JSON_TYPE });

const JSON_TYPE = 'application/json; charset=utf-8';
