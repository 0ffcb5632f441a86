/** Reads the body of a request as JSON, with limits for its size and nesting. */
import { readRequestBody } from '@modelcontextprotocol/server';
import { createMiddleware } from 'hono/factory';
import { isTooDeep, parseJson } from '../../base/json.ts';
import { PARSE_ERROR } from '../messages.ts';
import { errorResponse } from './error-response.ts';
import type { RequestContext } from './request-context.ts';

/** Ten times the size of a write with hundreds of transactions. */
const MAX_BYTES = 2 ** 20;

export const messageReader = createMiddleware<RequestContext>(async (c, next) => {
  if (c.req.method !== 'POST') return next();
  // The host may disconnect before the body is complete.
  const body = await readBody(c.req.raw, MAX_BYTES).catch(() => undefined);
  if (!body) return errorResponse(400, 'The request body is incomplete.');
  if (body.tooLarge) return errorResponse(413, `A request may have at most ${MAX_BYTES} bytes.`);
  const message = parseJson(body.text);
  if (message === undefined) return errorResponse(400, 'The body is not JSON.', { code: PARSE_ERROR });
  c.set('message', message);
  // The protocol has no batches since 2025-06-18, and the limits would count a batch as one request.
  if (Array.isArray(message))
    return errorResponse(400, 'Batches are not supported: send each message separately.');
  if (isTooDeep(message)) return errorResponse(400, 'The body is nested too deeply.');
  return next();
});

/** A body of known length is read at once, because Node.js accepts no more bytes than that. Others are counted. */
export async function readBody(request: Request, maxBytes: number): ReturnType<typeof readRequestBody> {
  const length = request.headers.get('content-length');
  if (length === null || Number(length) > maxBytes) return readRequestBody(request, maxBytes);
  return { tooLarge: false, text: await request.text() };
}
