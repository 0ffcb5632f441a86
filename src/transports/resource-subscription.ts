/** Resource subscriptions of hosts of the newer protocol era, by the request `subscriptions/listen`. */
import { type JSONRPCErrorResponse, ProtocolError } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { OnResourceUpdated, Subscription, Subscriptions } from '../mcp/subscriptions.ts';

const listenSchema = z.object({
  method: z.literal('subscriptions/listen'),
  id: z.union([z.string(), z.number()]),
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }) }),
});

export interface ListenRequest {
  readonly id: string | number;
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
