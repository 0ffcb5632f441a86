/** How a page of this machine is sent to the browser, and how what the browser posts is read. It knows HTTP only. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PageText, pageHeaders, resultPage } from './redirect-pages.ts';

const MAX_BODY_BYTES = 16_384;

/** Throws where it is larger than anything that belongs to a sign-in. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new Error('More was handed over than a sign-in is made of.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export const sendWords = async (response: ServerResponse, status: number, words: PageText) =>
  sendPage(response, status, await resultPage(words));

export const sendPage = (
  response: ServerResponse,
  status: number,
  page: string,
  headers: Readonly<Record<string, string>> = pageHeaders,
) => send(response, status, headers, page);

export const sendJson = (response: ServerResponse, status: number, words: PageText) =>
  send(
    response,
    status,
    { ...pageHeaders, 'content-type': 'application/json; charset=utf-8' },
    JSON.stringify(words),
  );

/** Resolves when the browser has it, or has gone. */
async function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<void> {
  response.writeHead(status, { ...headers, connection: 'close' }).end(body);
  if (!response.closed) await once(response, 'close').catch(() => {});
}
