/**
 * What hosts of the older era are asked in the middle of a call. A host that has closed its pipe, or a server that takes
 * no new requests, gets no answer to that any more: then nobody has answered, and the call ends with that.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { PendingRequests } from './open-requests.ts';

/** As a host says that its user has closed the question. */
const NOT_ANSWERED = { action: 'cancel' };

export class Elicitations {
  readonly #transport: Transport;
  readonly #open = new PendingRequests();
  #isOver = false;

  /** Reads along from now on, whether a server is connected already or will be. */
  constructor(transport: Transport) {
    this.#transport = transport;
    const { onmessage: deliver } = transport;
    const send = transport.send.bind(transport);
    transport.onmessage = (message: JSONRPCMessage, extra) => {
      this.#open.onResponse(message);
      deliver?.(message, extra);
    };
    transport.send = async (message, options) => {
      this.#open.onRequest(message);
      await send(message, options);
      if (this.#isOver) this.end();
    };
  }

  /** From now on nobody answers. */
  end(): void {
    this.#isOver = true;
    for (const id of this.#open.ids)
      this.#transport.onmessage?.({ jsonrpc: '2.0', id, result: NOT_ANSWERED });
  }
}
