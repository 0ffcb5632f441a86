/** One session of a host of the older protocol era: its server, and what is open between the two. */
import {
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { yieldTurn } from '../../platform/clock.ts';
import { Elicitations } from '../elicitations.ts';
import { ObservedTransport } from '../observed-transport.ts';
import { PendingRequests } from '../pending-requests.ts';
import { Outbox } from './outbox.ts';

export interface McpSessionOptions {
  readonly id: string;
  readonly caller: string;
  readonly holder: string;
  readonly server: Server;
  /** Called when the host ends the session. */
  readonly onDeleted: () => Promise<void>;
  readonly onError: (error: Error) => void;
}

const REQUEST_TIMEOUT = -32001;

export class McpSession {
  readonly id: string;
  readonly caller: string;
  readonly holder: string;
  readonly http: WebStandardStreamableHTTPServerTransport;
  readonly elicitations: Elicitations;
  readonly outbox: Outbox;
  readonly calls = new PendingRequests();
  /** The number of requests in progress, streams included. */
  open = 0;
  usedAt = 0;
  readonly #server: Server;
  /** What the server is connected to; it sends and receives through `http`. */
  readonly #transport: ObservedTransport;
  readonly #onError: (error: Error) => void;

  constructor({ id, caller, holder, server, onDeleted, onError }: McpSessionOptions) {
    this.id = id;
    this.caller = caller;
    this.holder = holder;
    this.#server = server;
    this.#onError = onError;
    this.http = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: onDeleted,
    });
    this.#transport = new ObservedTransport(this.http);
    this.#transport.onerror = onError;
    this.#transport.observe({ onSent: (message) => this.calls.removeAnswered(message) });
    this.elicitations = new Elicitations(this.#transport);
    this.outbox = new Outbox(this.#transport);
  }

  connect(): Promise<void> {
    return this.#server.connect(this.#transport);
  }

  /** Ends the stream, which another one has replaced. */
  closeStream(): void {
    this.outbox.close();
    this.http.closeStandaloneSSEStream();
  }

  /** Ends a call that its host has cancelled. A cancelled call gets no answer, so its stream has to be closed here. */
  async cancelCall(call: RequestId | undefined): Promise<void> {
    if (call === undefined || !this.calls.has(call)) return;
    // Questions that belong to the call are cancelled on its stream first.
    await yieldTurn();
    this.http.closeSSEStream(call);
    this.calls.remove(call);
  }

  /**
   * Cancels a call whose host has disconnected: streams are not resumed here, so the answer cannot be delivered. If a write
   * was sent, its outcome is stored for the call that repeats it.
   */
  cancelUndeliverable(requestId: RequestId): void {
    if (!this.calls.has(requestId)) return;
    this.#deliverCancellation(requestId, 'The connection of the call was closed.');
    // A cancelled call gets no answer, so it is removed here.
    this.calls.remove(requestId);
  }

  /** Cancels a call that has taken too long, and tells the host so. */
  timeOutCall(requestId: RequestId): void {
    const error = { code: REQUEST_TIMEOUT, message: 'It took too long and was cancelled.' };
    this.#deliverCancellation(requestId, error.message);
    // This is not the answer of the call.
    this.calls.remove(requestId);
    this.#transport.send({ jsonrpc: '2.0', id: requestId, error }).catch(this.#onError);
  }

  async close(): Promise<void> {
    this.calls.removeAll();
    await this.#server.close().catch(this.#onError);
  }

  /** Cancels a call in the server by the notification that its host would send. */
  #deliverCancellation(requestId: RequestId, reason: string): void {
    const params = { requestId, reason };
    this.#transport.deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }
}
