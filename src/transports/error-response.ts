/** An answer that says why a message was refused before any server of ours has seen it. */
import type { RequestId } from '@modelcontextprotocol/server';

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;

export interface Refusal {
  readonly jsonrpc: '2.0';
  readonly error: { readonly code: number; readonly message: string };
  /** Null where the id of the request is not known (JSON-RPC 2.0, section 5). */
  readonly id: RequestId | null;
}

/** `message` says what to do, and repeats nothing of the request. */
export const refused = (
  message: string,
  code: number = INVALID_REQUEST,
  id: Refusal['id'] = null,
): Refusal => ({
  jsonrpc: '2.0',
  error: { code, message },
  id,
});
