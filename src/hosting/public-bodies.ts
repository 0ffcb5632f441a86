/**
 * Reads the bodies of requests that need no token, before these count for a limit: a body that never comes takes no place.
 * Where too many have not come, the request that has waited longest is given up.
 */
import type { Context } from 'hono';
import type { Clock } from '../base/clock.ts';
import { errorResponse } from '../transports/http/error-response.ts';
import { readBody } from '../transports/http/message.ts';
import type { RequestContext } from '../transports/http/request-context.ts';

/** The largest form of a client is a tenth of it. */
export const MAX_BODY_BYTES = 64 * 1_024;
const TIME_LIMIT_MS = 5_000;
const MAX_WAITING = 512;

export function publicBodyReader(clock: Clock) {
  /** The oldest first. */
  const waiting = new Set<AbortController>();
  const end = (request: AbortController) => {
    waiting.delete(request);
    request.abort();
  };

  const inTime = async <Body>(body: Promise<Body>): Promise<Body | 'late'> => {
    const ended = new AbortController();
    waiting.add(ended);
    const [oldest = ended] = waiting;
    if (waiting.size > MAX_WAITING) end(oldest);
    const timeOver = clock.sleep(TIME_LIMIT_MS, ended.signal).catch(() => {});
    const first = await Promise.race([body, timeOver.then(() => 'late' as const)]);
    end(ended);
    return first;
  };

  /** The body, which can be read from the request once more. Empty if its method has none. A response if it is refused. */
  return async (c: Context<RequestContext>): Promise<string | Response> => {
    if (c.req.method !== 'POST') return '';
    const body = await inTime(readBody(c.req.raw, MAX_BODY_BYTES).catch(() => 'incomplete' as const));
    if (body === 'late') return errorResponse(408, 'The request body did not arrive within 5 seconds.');
    if (body === 'incomplete') return errorResponse(400, 'The request body is incomplete.');
    if (body.tooLarge) return errorResponse(413, `A request may have at most ${MAX_BODY_BYTES} bytes.`);
    c.req.raw = new Request(c.req.raw, { body: body.text });
    return body.text;
  };
}
