/**
 * What a host of the older era is to be told while it has no stream open on which it could be: kept, each once and in
 * its order, until it opens one. The protocol does not oblige hosts to have one, and their connections break.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

export class Outbox {
  readonly #send: Transport['send'];
  readonly #kept = new Map<string, JSONRPCMessage>();
  /** The newest stream, while it is open. */
  #stream: symbol | undefined;

  /** Takes over what is sent from now on. */
  constructor(transport: Transport) {
    this.#send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      const isNews = 'method' in message && options?.relatedRequestId === undefined;
      if (!isNews || this.#stream) return this.#send(message, options);
      this.#kept.set(JSON.stringify(message), message);
    };
  }

  /** No stream is there that anybody reads. */
  close(): void {
    this.#stream = undefined;
  }

  /** A stream is there until `gone` resolves, or a newer one is. */
  async open(gone: Promise<void>): Promise<void> {
    const stream = Symbol('stream');
    this.#stream = stream;
    void gone.then(() => {
      if (this.#stream === stream) this.#stream = undefined;
    });
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    for (const message of kept) await this.#send(message);
  }
}
