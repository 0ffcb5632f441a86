/** Requests that one side sent and that are neither answered nor cancelled. */
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server';

export class PendingRequests {
  readonly #resolvers = new Map<RequestId, (isAnswered: boolean) => void>();

  get ids(): readonly RequestId[] {
    return [...this.#resolvers.keys()];
  }

  has(id: RequestId): boolean {
    return this.#resolvers.has(id);
  }

  /** Resolves when the request is removed, or replaced by another with the same id: whether it was answered. */
  add(id: RequestId): Promise<boolean> {
    this.remove(id);
    return new Promise((resolve) => this.#resolvers.set(id, resolve));
  }

  remove(id: RequestId | undefined, isAnswered = false): void {
    if (id === undefined) return;
    this.#resolvers.get(id)?.(isAnswered);
    this.#resolvers.delete(id);
  }

  /** Removes the request that `message` answers, if it is a response. */
  removeAnswered(message: JSONRPCMessage): void {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) this.remove(message.id, true);
  }

  removeAll(): void {
    for (const id of this.ids) this.remove(id);
  }
}
