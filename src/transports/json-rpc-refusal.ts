/** The error response to a message that is refused before the server gets it. */
import type { RequestId } from '@modelcontextprotocol/server';

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INTERNAL_ERROR = -32603;

export interface Refusal {
  readonly jsonrpc: '2.0';
  readonly error: { readonly code: number; readonly message: string };
  /** Null if the id of the request is unknown (JSON-RPC 2.0, section 5). */
  readonly id: RequestId | null;
}

/** `message` says what is wrong and must not repeat anything from the request. */
export const createRefusal = (
  message: string,
  code: number = INVALID_REQUEST,
  id: Refusal['id'] = null,
): Refusal => ({
  jsonrpc: '2.0',
  error: { code, message },
  id,
});
