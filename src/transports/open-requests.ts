/** Which requests of one side have no answer from the other yet, read off the messages that pass. */
import { z } from 'zod';

const id = z.union([z.string(), z.number()]);

/** A stream stays open for as long as the host likes: it is nothing to wait for. */
const request = z.object({ id, method: z.string().refine((name) => name !== 'subscriptions/listen') });

const response = z.union([z.object({ id, result: z.unknown() }), z.object({ id, error: z.unknown() })]);

const cancellation = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: id }),
});

type RequestId = z.output<typeof id>;

/** The id of the request that a message takes back; undefined for any other message. */
export const cancelledBy = (message: unknown): RequestId | undefined =>
  cancellation.safeParse(message).data?.params.requestId;

export class OpenRequests {
  readonly #open = new Set<RequestId>();
  #tell = () => {};

  get ids(): readonly RequestId[] {
    return [...this.#open];
  }

  /** Of the side that asks. */
  readonly asked = (message: unknown): void => {
    const asked = request.safeParse(message).data;
    if (asked) this.#open.add(asked.id);
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) this.#close(cancelled);
  };

  /** Of the side that is asked. */
  readonly answered = (message: unknown): void => {
    const answered = response.safeParse(message).data;
    if (answered) this.#close(answered.id);
  };

  /** Resolves when all are answered; to be waited for once. */
  async allAnswered(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#tell = resolve;
    });
  }

  #close(requestId: RequestId): void {
    this.#open.delete(requestId);
    if (this.#open.size === 0) this.#tell();
  }
}
