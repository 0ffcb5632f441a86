/**
 * Makes the ids of requests to a host unique among all machines that answer for its session. The SDK counts from 0 in each
 * server, so that the answer to a question of one machine could be taken for that to a question of another one.
 */
import { randomBytes } from 'node:crypto';
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { cancelledRequestId } from '../request-id.ts';

const RANDOM_BYTES = 9;

export class QuestionIds implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  readonly #inner: Transport;
  readonly #prefix = `${randomBytes(RANDOM_BYTES).toString('base64url')}.`;

  constructor(inner: Transport) {
    this.#inner = inner;
    inner.onmessage = (message, extra) => this.onmessage?.(this.#withOwnId(message), extra);
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  /** Whether this is the id of a request that was sent here. */
  isOwn(id: RequestId | undefined): boolean {
    return typeof id === 'string' && id.startsWith(this.#prefix);
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.#inner.send(this.#withUniqueId(message), options);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  setSupportedProtocolVersions(versions: string[]): void {
    this.#inner.setSupportedProtocolVersions?.(versions);
  }

  #withUniqueId(message: JSONRPCMessage): JSONRPCMessage {
    if (isJSONRPCRequest(message)) return { ...message, id: this.#prefix + message.id };
    const cancelled = cancelledRequestId(message);
    if (cancelled === undefined || !('params' in message)) return message;
    return { ...message, params: { ...message.params, requestId: this.#prefix + cancelled } };
  }

  #withOwnId(message: JSONRPCMessage): JSONRPCMessage {
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return message;
    return this.isOwn(message.id)
      ? { ...message, id: Number(String(message.id).slice(this.#prefix.length)) }
      : message;
  }
}
