/**
 * The messages between a host and this server: those that a transport reads or writes itself, such as cancellations,
 * subscriptions to resources by `subscriptions/listen` of the newer protocol era, and refusals; a transport whose messages can be
 * observed; and the requests that are not answered yet.
 */
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type MessageExtraInfo,
  ProtocolError,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { errorOf } from '../base/errors.ts';
import { isJsonObject, isTooDeep, parseJson } from '../base/json.ts';
import type { OnResourceUpdated, Subscription, Subscriptions } from '../mcp/subscriptions.ts';

/** A string or a whole number (JSON-RPC 2.0, section 4; MCP excludes null). */
const requestIdSchema = z.union([z.string(), z.number().int()]);

const cancellation = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId: requestIdSchema }),
});

/** The id of the request that a message cancels. Undefined for any other message. */
export const cancelledRequestId = (message: unknown): RequestId | undefined =>
  cancellation.safeParse(message).data?.params.requestId;

const listenSchema = z
  .object({
    method: z.literal('subscriptions/listen'),
    id: requestIdSchema,
    params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()).default([]) }) }),
  })
  // There are no URIs if the host does not listen to resources.
  .transform(({ id, params }) => ({ id, uris: params.notifications.resourceSubscriptions }));

/** Undefined for any other message. */
export const parseListenRequest = (message: unknown) => listenSchema.safeParse(message).data;

/** True if a request is answered by a stream that ends when the host wants. */
export const isEndless = (message: unknown) =>
  isJSONRPCRequest(message) && ['events/stream', 'subscriptions/listen'].includes(message.method);

/** Subscribes to the resources of the request, or returns the error response if `caller` would have too many. */
export function subscribe(
  { id, uris }: z.output<typeof listenSchema>,
  subscriptions: Subscriptions,
  onUpdated: OnResourceUpdated,
  caller?: string,
): Pick<Subscription, 'end'> | JSONRPCErrorResponse {
  try {
    return subscriptions.subscribeAll(uris, onUpdated, caller);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
  }
}

export const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
export const INTERNAL_ERROR = -32603;

/**
 * `message` says what is wrong and must not repeat anything from the request. `id` is null if that of the request is unknown
 * (JSON-RPC 2.0, section 5).
 */
export const createRefusal = (message: string, code = INVALID_REQUEST, id: RequestId | null = null) => ({
  jsonrpc: '2.0' as const,
  error: { code, message },
  id,
});

export type Refusal = ReturnType<typeof createRefusal>;

export type ParsedLine =
  | { readonly message: JSONRPCMessage }
  | { readonly refusal: Refusal }
  /** An invalid response, which must not be answered. */
  | { readonly error: Error };

const withId = z.object({ id: requestIdSchema, method: z.unknown() });

/** Undefined if the message is no request. */
export const idOf = (message: unknown) => withId.safeParse(message).data?.id;

const withUnusualArguments = z.looseObject({
  params: z.looseObject({ arguments: z.union([z.null(), z.string()]) }),
});

/** Some hosts send null for no arguments, or all arguments as the JSON text of an object. The SDK refuses both. */
export function withUsualArguments(message: unknown): unknown {
  const { data } = withUnusualArguments.safeParse(message);
  if (!data) return message;
  const { arguments: given, ...params } = data.params;
  if (given === null) return { ...data, params };
  const args = parseJson(given);
  return isJsonObject(args) ? { ...data, params: { ...params, arguments: args } } : message;
}

/** As many as the SDK takes by HTTP. */
export const MAX_BATCH = 100;

/**
 * Parses a line as protocol messages, or returns the error response. A batch, which version 2025-03-26 has, is the same as its
 * messages one after the other, and each is answered for itself.
 */
export function readLine(line: string): readonly ParsedLine[] {
  const value = parseJson(line);
  if (value === undefined) return [{ refusal: createRefusal('The line is not JSON.', PARSE_ERROR) }];
  if (!Array.isArray(value) || value.length === 0) return [readMessage(value)];
  if (value.length > MAX_BATCH)
    return [{ refusal: createRefusal(`A batch may have at most ${MAX_BATCH} messages.`) }];
  return value.map(readMessage);
}

function readMessage(given: unknown): ParsedLine {
  const value = withUsualArguments(given);
  const id = idOf(value);
  // If both sides answered invalid responses, they could do so without end.
  const refusal = (message: string): ParsedLine =>
    isResponse(value) ? { error: new Error(message) } : { refusal: createRefusal(message, undefined, id) };
  if (isTooDeep(value)) return refusal('The message is nested too deeply.');
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    return refusal('The line is not a JSON-RPC message.');
  }
}

const isResponse = (value: unknown) => isJsonObject(value) && ('result' in value || 'error' in value);

/** What one observer does does not depend on which observers were added before it. */
export interface TransportObserver {
  /**
   * Called with each message from the host before the server gets it. If it returns an error, that is sent to the host
   * and the server does not get the message.
   */
  readonly onReceive?: (message: JSONRPCMessage) => JSONRPCErrorResponse | undefined;
  /** Returns true to keep a message from being sent now. The observer may send it later. */
  readonly defer?: (message: JSONRPCMessage, options: TransportSendOptions | undefined) => boolean;
  /** Called with each message to the host before it is sent. */
  readonly onSend?: (message: JSONRPCMessage) => void;
  /** Called after a message was sent or could not be sent. */
  readonly onSent?: (message: JSONRPCMessage) => void;
}

/**
 * A transport of the SDK whose messages can be observed in both directions. It is the only place that stands between a
 * transport and its server; nothing replaces the methods of either. It knows no message in particular.
 */
export class ObservedTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  readonly #inner: Transport;
  readonly #observers: TransportObserver[] = [];

  constructor(inner: Transport) {
    this.#inner = inner;
    inner.onmessage = (message, extra) => this.deliver(message, extra);
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  observe(observer: TransportObserver): void {
    this.#observers.push(observer);
  }

  /** Handles a message as one from the host, whether the host sent it or this program made it. */
  deliver(message: JSONRPCMessage, extra?: MessageExtraInfo): void {
    try {
      const refusals = this.#observers.map((observer) => observer.onReceive?.(message));
      const refusal = refusals.find((each) => each !== undefined);
      if (refusal) this.send(refusal).catch((error: unknown) => this.#report(error));
      else this.onmessage?.(message, extra);
    } catch (error) {
      this.#report(error);
    }
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#observers.some((observer) => observer.defer?.(message, options))) return;
    for (const observer of this.#observers) observer.onSend?.(message);
    try {
      await this.#inner.send(message, options);
    } finally {
      for (const observer of this.#observers) observer.onSent?.(message);
    }
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

  #report(error: unknown): void {
    this.onerror?.(errorOf(error));
  }
}

/** Requests that one side sent and that are neither answered nor cancelled, by their ids. */
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
 * the question, so that the call ends. Returns a function that dismisses all questions, those asked later too.
 */
export function dismissibleElicitations(transport: ObservedTransport): () => void {
  const pending = new PendingRequests();
  let hasEnded = false;
  const dismissAll = () => {
    const result = { action: 'cancel' };
    for (const id of pending.ids) transport.deliver({ jsonrpc: '2.0', id, result });
  };
  transport.observe({
    onSend: (message) => {
      if (isJSONRPCRequest(message)) void pending.add(message.id);
      pending.remove(cancelledRequestId(message));
    },
    onSent: () => {
      if (hasEnded) dismissAll();
    },
    onReceive: (message) => {
      pending.removeAnswered(message);
      return undefined;
    },
  });
  return () => {
    hasEnded = true;
    dismissAll();
  };
}

/** An error of a transport, for the log. Its message can quote a host, so its length is limited. */
export const summaryOf = (error: Error) => `${error.name}: ${error.message}`.slice(0, 200);
