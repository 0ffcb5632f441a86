/**
 * The calls of a session, from when they have come until they are answered or cancelled.
 */
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';

export class Calls {
  readonly #open = new Map<RequestId, () => void>();

  /** Reads along what is answered from now on. */
  constructor(transport: Transport) {
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      try {
        await send(message, options);
      } finally {
        if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.end(message.id);
      }
    };
  }

  has(id: RequestId): boolean {
    return this.#open.has(id);
  }

  /** Resolves when it is over. */
  begin(id: RequestId): Promise<void> {
    return new Promise((resolve) => this.#open.set(id, resolve));
  }

  end(id: RequestId | undefined): void {
    if (id === undefined) return;
    this.#open.get(id)?.();
    this.#open.delete(id);
  }

  endAll(): void {
    for (const id of this.#open.keys()) this.end(id);
  }
}
