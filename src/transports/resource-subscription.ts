/** What a host of the newer protocol era asks to be told of: its `subscriptions/listen`, as the wire has it. */
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
  /** Of resources; there may be none among what it listens to. */
  readonly uris: readonly string[];
}

/** Undefined for a message that asks for nothing of the kind. */
export function parseListenRequest(message: unknown): ListenRequest | undefined {
  const parsed = listenSchema.safeParse(message);
  if (!parsed.success) return undefined;
  const { id, params } = parsed.data;
  return { id, uris: params.notifications.resourceSubscriptions };
}

/** Watches what it asks for; of more resources than `holder` may subscribe to none, and that is the answer then. */
export function subscribe(
  { id, uris }: ListenRequest,
  subscriptions: Subscriptions,
  tell: OnResourceUpdated,
  holder?: string,
): Pick<Subscription, 'end'> | JSONRPCErrorResponse {
  try {
    return subscriptions.subscribeAll(uris, tell, holder);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
  }
}
