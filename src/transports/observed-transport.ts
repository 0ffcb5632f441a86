/**
 * A transport of the SDK whose messages can be observed in both directions. It is the only place that stands between a
 * transport and its server; nothing replaces the methods of either. It knows no message in particular.
 */
import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  MessageExtraInfo,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/server';

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
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}
