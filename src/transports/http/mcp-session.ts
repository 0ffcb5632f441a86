/** One session of a host of the older protocol era: its server, and what is open between the two. */
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type RequestId,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { yieldTurn } from '../../platform/clock.ts';
import { parseJson } from '../../platform/json.ts';
import { Elicitations } from '../elicitations.ts';
import { ObservedTransport } from '../observed-transport.ts';
import { PendingRequests } from '../pending-requests.ts';
import { cancelledRequestId } from '../request-id.ts';
import { Outbox } from './outbox.ts';
import { QuestionIds } from './question-ids.ts';

export interface McpSessionOptions {
  readonly id: string;
  readonly caller: string;
  readonly holder: string;
  readonly server: Server;
  /** Whether other machines answer for the session too. */
  readonly isShared: boolean;
  readonly onDeleted: () => Promise<void>;
  readonly onError: (error: Error) => void;
}

const REQUEST_TIMEOUT = -32001;

/** No resource has a longer address. */
const MAX_URI_LENGTH = 512;

const subscriptionChange = z.object({
  method: z.enum(['resources/subscribe', 'resources/unsubscribe']),
  params: z.object({ uri: z.string().max(MAX_URI_LENGTH) }),
});

export interface SubscriptionChange {
  readonly uri: string;
  /** Whether the subscription begins. */
  readonly isWanted: boolean;
}

/** The subscription that a message begins or ends. Undefined for any other message, and for an address of no resource. */
export function subscriptionChangeOf(message: unknown): SubscriptionChange | undefined {
  const { data } = subscriptionChange.safeParse(message);
  return data && { uri: data.params.uri, isWanted: data.method === 'resources/subscribe' };
}

export class McpSession {
  readonly id: string;
  readonly caller: string;
  readonly holder: string;
  readonly http: WebStandardStreamableHTTPServerTransport;
  readonly elicitations: Elicitations;
  readonly outbox: Outbox;
  readonly calls = new PendingRequests();
  /** The resources that its server has subscribed to. */
  readonly subscribed = new Set<string>();
  /** Whether other machines answer for it too. */
  readonly isShared: boolean;
  /** Whether this machine sends the notifications of the session. */
  isNotifier = true;
  /** The number of requests in progress, streams included. */
  open = 0;
  streams = 0;
  usedAt = 0;
  /** When its use was noted for other machines. */
  touchedAt = 0;
  readonly #server: Server;
  /** What the server is connected to; it sends and receives through `http`. */
  readonly #transport: ObservedTransport;
  /** Undefined if no other machine answers for the session. */
  readonly #questionIds: QuestionIds | undefined;
  readonly #onError: (error: Error) => void;
  #replays = 0;

  constructor({ id, caller, holder, server, isShared, onDeleted, onError }: McpSessionOptions) {
    this.id = id;
    this.caller = caller;
    this.holder = holder;
    this.isShared = isShared;
    this.#server = server;
    this.#onError = onError;
    this.http = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: onDeleted,
    });
    this.#questionIds = isShared ? new QuestionIds(this.http) : undefined;
    this.#transport = new ObservedTransport(this.#questionIds ?? this.http);
    this.#transport.onerror = onError;
    this.#transport.observe({ onSent: (message) => this.calls.removeAnswered(message) });
    this.elicitations = new Elicitations(this.#transport);
    this.outbox = new Outbox(this.#transport, () => this.isNotifier);
  }

  connect(): Promise<void> {
    return this.#server.connect(this.#transport);
  }

  /** Calls `listener` whenever the host is asked something. */
  onQuestion(listener: () => void): void {
    this.#transport.observe({ onSend: (message) => isJSONRPCRequest(message) && listener() });
  }

  /** Whether the message is for a question or a call of another machine, as far as this one knows. */
  isForOthers(message: unknown): boolean {
    if (!this.#questionIds) return false;
    const cancelled = cancelledRequestId(message);
    if (cancelled !== undefined) return !this.calls.has(cancelled);
    const isResponse = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    return isResponse && !this.#questionIds.isOwn(message.id);
  }

  /** Handles a message that arrived on another machine, if it is for a question or a call of this one. */
  async deliverPosted(message: unknown): Promise<void> {
    const isMessage =
      isJSONRPCResultResponse(message) ||
      isJSONRPCErrorResponse(message) ||
      (cancelledRequestId(message) !== undefined && isJSONRPCNotification(message));
    if (!isMessage || this.isForOthers(message)) return;
    this.http.onmessage?.(message);
    await this.cancelCall(cancelledRequestId(message));
  }

  /** Sends the server a request in the name of the host, which does not get the answer. Returns whether it succeeded. */
  async replay(method: string, params: Readonly<Record<string, unknown>>): Promise<boolean> {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(this.http.sessionId !== undefined && { 'mcp-session-id': this.id }),
    };
    const request = new Request('http://localhost/mcp', { method: 'POST', headers });
    this.#replays += 1;
    const message = { jsonrpc: '2.0', id: `replayed ${this.#replays}`, method, params };
    const response = await this.http.handleRequest(request, { parsedBody: message });
    const [, answer] = /^data: (.*)$/m.exec(await response.text()) ?? [];
    return answer !== undefined && isJSONRPCResultResponse(parseJson(answer));
  }

  /** Ends the stream, which another one has replaced. */
  closeStream(): void {
    this.outbox.close();
    this.http.closeStandaloneSSEStream();
  }

  notifyOfResource(uri: string): void {
    this.#server.sendResourceUpdated({ uri }).catch(this.#onError);
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
