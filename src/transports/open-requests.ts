/** Which requests of one side have no answer from the other yet, read off the messages that pass. */
import { z } from 'zod';

/** The protocol takes no fractions. */
export const requestId = z.union([z.string(), z.number().int()]);

const request = z.object({ id: requestId, method: z.string() });

const response = z.union([
  z.object({ id: requestId, result: z.unknown() }),
  z.object({ id: requestId, error: z.unknown() }),
]);

const cancellation = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId }),
});

type RequestId = z.output<typeof requestId>;

/** The id of the request that a message takes back; undefined for any other message. */
export const cancelledBy = (message: unknown): RequestId | undefined =>
  cancellation.safeParse(message).data?.params.requestId;

export class PendingRequests {
  readonly #open = new Set<RequestId>();

  get ids(): readonly RequestId[] {
    return [...this.#open];
  }

  /** Of the side that asks. */
  readonly onRequest = (message: unknown): void => {
    const asked = request.safeParse(message).data;
    if (asked) this.#open.add(asked.id);
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) this.#close(cancelled);
  };

  /** Of the side that is asked. */
  readonly onResponse = (message: unknown): void => {
    const answered = response.safeParse(message).data;
    if (answered) this.#close(answered.id);
  };

  #close(id: RequestId): void {
    this.#open.delete(id);
  }
}
