/**
 * Questions to hosts of the older protocol era in the middle of a call. After the host has closed its pipe, or while the
 * server stops, no answer can come any more. Then the server gets the answer that a host gives when its user dismisses
 * the question, so that the call ends.
 */
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/server';
import type { ObservedTransport } from './observed-transport.ts';
import { cancelledRequestId, PendingRequests } from './pending-requests.ts';

const DISMISSED = { action: 'cancel' };

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
