/**
 * What a host of the older era is to be told while it has no stream open on which it could be: kept, each once and in
 * its order, until it opens one. The protocol does not oblige hosts to have one, and their connections break.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

export class Outbox {
  readonly #send: Transport['send'];
  readonly #kept = new Map<string, JSONRPCMessage>();
  #isOpen = false;

  /** Takes over what is sent from now on. */
  constructor(transport: Transport) {
    this.#send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      const isNews = 'method' in message && options?.relatedRequestId === undefined;
      if (!isNews || this.#isOpen) return this.#send(message, options);
      this.#kept.set(JSON.stringify(message), message);
    };
  }

  /** A stream is there until `signal` is aborted. */
  async open(signal: AbortSignal): Promise<void> {
    this.#isOpen = true;
    signal.addEventListener('abort', () => {
      this.#isOpen = false;
    });
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    for (const message of kept) await this.#send(message);
  }
}
