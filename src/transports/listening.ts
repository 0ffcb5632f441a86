/** What a host of the newer protocol era asks to be told of: its `subscriptions/listen`, as the wire has it. */
import { z } from 'zod';

const listenSchema = z.object({
  method: z.literal('subscriptions/listen'),
  id: z.union([z.string(), z.number()]),
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }) }),
});

export interface Listening {
  readonly id: string | number;
  /** Of resources, each once; there may be none among what it listens to. */
  readonly uris: readonly string[];
}

/** Undefined for a message that asks for nothing of the kind. */
export function listeningOf(message: unknown): Listening | undefined {
  const parsed = listenSchema.safeParse(message);
  if (!parsed.success) return undefined;
  const { id, params } = parsed.data;
  return { id, uris: [...new Set(params.notifications.resourceSubscriptions)] };
}
