/** The ids of requests, as they stand in messages. */
import { z } from 'zod';

/** A string or a whole number (JSON-RPC 2.0, section 4; MCP excludes null). */
export const requestIdSchema = z.union([z.string(), z.number().int()]);

const cancellation = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: requestIdSchema }),
});

/** The id of the request that a message cancels. Undefined for any other message. */
export const cancelledRequestId = (message: unknown): z.output<typeof requestIdSchema> | undefined =>
  cancellation.safeParse(message).data?.params.requestId;
