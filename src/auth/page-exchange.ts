/** Sends pages to the browser and reads what the browser posts. It knows nothing about sign-ins. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PageText, pageHeaders, resultPage } from './redirect-pages.ts';

const MAX_BODY_BYTES = 16_384;

/** Throws if the body is larger than anything that belongs to a sign-in. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new Error('The body is too large for a sign-in.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export const sendResult = async (response: ServerResponse, status: number, text: PageText) =>
  sendPage(response, status, await resultPage(text));

export const sendPage = (
  response: ServerResponse,
  status: number,
  page: string,
  headers: Readonly<Record<string, string>> = pageHeaders,
) => send(response, status, headers, page);

export const sendJson = (response: ServerResponse, status: number, text: PageText) =>
  send(
    response,
    status,
    { ...pageHeaders, 'content-type': 'application/json; charset=utf-8' },
    JSON.stringify(text),
  );

/** Resolves when the browser has received the response or has disconnected. */
async function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<void> {
  response.writeHead(status, { ...headers, connection: 'close' }).end(body);
  if (!response.closed) await once(response, 'close').catch(() => {});
}
