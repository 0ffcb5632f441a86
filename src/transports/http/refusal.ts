/** An answer that refuses a request before any server of ours has seen it, in the form in which the SDK refuses. */

const INVALID_REQUEST = -32600;

/** `message` says what to do, and repeats nothing of the request. */
export function refusal(
  status: number,
  message: string,
  { code = INVALID_REQUEST, headers = {} }: { code?: number; headers?: Record<string, string> } = {},
): Response {
  return Response.json(refused(message, code), { status, headers });
}

/** The body alone. */
export const refused = (message: string, code = INVALID_REQUEST) => ({
  jsonrpc: '2.0',
  error: { code, message },
  id: null,
});
