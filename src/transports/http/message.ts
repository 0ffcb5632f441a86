/** The body of a request, as JSON: at most so large, and at most so deep that nothing which walks it runs out of stack. */
import { readRequestBody } from '@modelcontextprotocol/server';
import { createMiddleware } from 'hono/factory';
import type { Clock } from '../../platform/clock.ts';
import { parseJson } from '../../platform/json.ts';
import { PARSE_ERROR } from '../error-response.ts';
import { isTooDeep } from '../nesting.ts';
import { errorResponse } from './refusal.ts';
import type { RequestContext } from './request-context.ts';

/** Hundreds of transactions in one write are a tenth of it. */
const MAX_BYTES = 2 ** 20;

export const messageReader = (clock: Clock) =>
  createMiddleware<RequestContext>(async (c, next) => {
    if (c.req.method !== 'POST') return next();
    // Hosts go away in the middle of it.
    const body = await readRequestBody(c.req.raw, MAX_BYTES).catch(() => undefined);
    if (!body) return errorResponse(400, 'The body has not come.');
    if (body.tooLarge)
      return lingering(errorResponse(413, `A request holds at most ${MAX_BYTES} bytes.`), clock);
    const message = parseJson(body.text);
    if (message === undefined) return errorResponse(400, 'The body is not JSON.', { code: PARSE_ERROR });
    c.set('message', message);
    // The protocol has had none since 2025-06-18, and many calls would count as one.
    if (Array.isArray(message))
      return errorResponse(400, 'Batches are not taken: send each message by itself.');
    if (isTooDeep(message)) return errorResponse(400, 'The body is nested too deeply.');
    return next();
  });

const LINGER_MS = 1_000;

/**
 * The answer to whoever is still sending, of whom nothing more is read. They would lose it if the connection ended with
 * it, so that comes a moment later.
 */
async function lingering(answer: Response, clock: Clock): Promise<Response> {
  const { status, headers } = answer;
  const bytes = new Uint8Array(await answer.arrayBuffer());
  headers.set('connection', 'close');
  headers.set('content-length', String(bytes.length));
  const over = new AbortController();
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(bytes);
      await clock.sleep(LINGER_MS, over.signal).catch(() => {});
      if (!over.signal.aborted) controller.close();
    },
    cancel: () => over.abort(),
  });
  return new Response(body, { status, headers });
}
