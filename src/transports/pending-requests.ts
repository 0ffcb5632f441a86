/** Requests that one side sent and that are neither answered nor cancelled, by their ids. */
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server';
import { cancelledRequestId } from './messages.ts';
import type { ObservedTransport } from './observed-transport.ts';

const DISMISSED = { action: 'cancel' };

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

/**
 * Questions to hosts of the older protocol era in the middle of a call. After the host has closed its pipe, or while the
 * server stops, no answer can come any more. Then the server gets the answer that a host gives when its user dismisses
 * the question, so that the call ends.
 */
export class Elicitations {
  readonly #transport: ObservedTransport;
  readonly #pending = new PendingRequests();
  #hasEnded = false;

  constructor(transport: ObservedTransport) {
    this.#transport = transport;
    transport.observe({
      onSend: (message) => this.#onSend(message),
      onSent: () => {
        if (this.#hasEnded) this.#dismissAll();
      },
      onReceive: (message) => {
        this.#pending.removeAnswered(message);
        return undefined;
      },
    });
  }

  /** Dismisses all questions, those asked later too. */
  end(): void {
    this.#hasEnded = true;
    this.#dismissAll();
  }

  #onSend(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) void this.#pending.add(message.id);
    this.#pending.remove(cancelledRequestId(message));
  }

  #dismissAll(): void {
    for (const id of this.#pending.ids) this.#transport.deliver({ jsonrpc: '2.0', id, result: DISMISSED });
  }
}
