/**
 * The messages that a transport reads or writes itself: cancellations, subscriptions to resources by the request
 * `subscriptions/listen` of the newer protocol era, and refusals.
 */
import { type JSONRPCErrorResponse, ProtocolError, type RequestId } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { OnResourceUpdated, Subscription, Subscriptions } from '../mcp/subscriptions.ts';

/** A string or a whole number (JSON-RPC 2.0, section 4; MCP excludes null). */
export const requestIdSchema = z.union([z.string(), z.number().int()]);

const cancellation = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: requestIdSchema }),
});

/** The id of the request that a message cancels. Undefined for any other message. */
export const cancelledRequestId = (message: unknown): z.output<typeof requestIdSchema> | undefined =>
  cancellation.safeParse(message).data?.params.requestId;

const listenSchema = z.object({
  method: z.literal('subscriptions/listen'),
  id: requestIdSchema,
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }) }),
});

export interface ListenRequest {
  readonly id: RequestId;
  /** Empty if the host does not listen to resources. */
  readonly uris: readonly string[];
}

/** Undefined for any other message. */
export function parseListenRequest(message: unknown): ListenRequest | undefined {
  const parsed = listenSchema.safeParse(message);
  if (!parsed.success) return undefined;
  const { id, params } = parsed.data;
  return { id, uris: params.notifications.resourceSubscriptions };
}

/** Subscribes to the resources of the request, or returns the error response if `caller` would have too many. */
export function subscribe(
  { id, uris }: ListenRequest,
  subscriptions: Subscriptions,
  onUpdated: OnResourceUpdated,
  caller?: string,
): Pick<Subscription, 'end'> | JSONRPCErrorResponse {
  try {
    return subscriptions.subscribeAll(uris, onUpdated, caller);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
  }
}

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
