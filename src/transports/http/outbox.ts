/**
 * Notifications to a host of the older protocol era that has no stream open. They are kept, each once and in order, until
 * the host opens one. The protocol does not require a host to have a stream open, and connections break.
 */
import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/server';
import type { ObservedTransport } from '../observed-transport.ts';

export class Outbox {
  readonly #transport: ObservedTransport;
  readonly #deferred = new Map<string, JSONRPCMessage>();
  /** The newest stream, while it is open. */
  #stream: symbol | undefined;

  constructor(transport: ObservedTransport) {
    this.#transport = transport;
    transport.observe({ defer: (message, options) => this.#defer(message, options) });
  }

  /** The current stream is not read any more. */
  close(): void {
    this.#stream = undefined;
  }

  /** A stream was opened. It stays open until `disconnected` resolves or a newer stream is opened. */
  async open(disconnected: Promise<void>): Promise<void> {
    const stream = Symbol('stream');
    this.#stream = stream;
    void disconnected.then(() => {
      if (this.#stream === stream) this.#stream = undefined;
    });
    const deferred = [...this.#deferred.values()];
    this.#deferred.clear();
    for (const message of deferred) await this.#transport.send(message);
  }

  /** A message that belongs to a call has the stream of that call. */
  #defer(message: JSONRPCMessage, options: TransportSendOptions | undefined): boolean {
    const hasOwnStream = !('method' in message) || options?.relatedRequestId !== undefined;
    if (hasOwnStream || this.#stream) return false;
    this.#deferred.set(JSON.stringify(message), message);
    return true;
  }
}
