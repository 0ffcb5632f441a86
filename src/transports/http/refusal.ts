/** An HTTP response that refuses a request before any server of ours has seen it, in the form in which the SDK refuses. */
import { INVALID_REQUEST, refused } from '../error-response.ts';

/** `message` says what to do, and repeats nothing of the request. */
export function errorResponse(
  status: number,
  message: string,
  { code = INVALID_REQUEST, headers = {} }: { code?: number; headers?: Record<string, string> } = {},
): Response {
  return Response.json(refused(message, code), { status, headers });
}
