/** The HTTP response to a request that is refused before the server gets it, in the format of the SDK. */
import { createRefusal, INTERNAL_ERROR } from '../messages.ts';
import { currentRequestId } from './observed-request.ts';
import type { Refusal } from './request-limits.ts';

/** `message` says what is wrong and must not repeat anything from the request. */
export function errorResponse(
  status: number,
  message: string,
  { code, headers = {} }: { code?: number; headers?: Record<string, string> } = {},
): Response {
  return Response.json(createRefusal(message, code), { status, headers });
}

/** The response to a request that is over a limit. */
export const tooManyResponse = ({ reason, retryAfterSeconds }: Refusal): Response =>
  errorResponse(429, reason, { headers: { 'retry-after': String(retryAfterSeconds) } });

/** `retryAfter` is the header of the response, in seconds. */
export const TOO_SLOW = {
  message: 'This server has too much to do. Nothing was begun: try again in some seconds.',
  retryAfter: '5',
};

/** The response while the server cannot answer. */
export const unavailableResponse = ({ message, retryAfter }: typeof TOO_SLOW): Response =>
  errorResponse(503, message, { headers: { 'retry-after': retryAfter } });

/** The response to a request that met a bug. The log has the details. */
export function bugResponse(): Response {
  const id = currentRequestId();
  const place = id === undefined ? '' : `, at the request ${id}`;
  return errorResponse(500, `Internal error in this server. The details are in its log${place}.`, {
    code: INTERNAL_ERROR,
  });
}
