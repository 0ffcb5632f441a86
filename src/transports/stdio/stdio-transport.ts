/**
 * Protocol messages as lines on a pair of streams. It takes no more than it can answer: where the host does not read,
 * requests wait, and then nothing more is read. A line that is no message is refused, and the next one is read.
 *
 * What is bounded, whatever the host does:
 *
 *   - A line that is too long is skipped, and answered with an error.
 *   - At most `AT_ONCE` requests are under way. A request counts until its answer has left the process.
 *   - No request is begun while the output is full.
 *   - Requests that cannot be begun yet wait; with more than `MAX_WAITING_BYTES` of them no line is read.
 *
 * Cancellations and answers of the host do not wait, so they are heard while it does not read. Behind more than
 * `MAX_WAITING_BYTES` of requests they are not.
 */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from '@modelcontextprotocol/server';
import { INVALID_REQUEST, type Refusal, refused } from '../error-response.ts';
import { cancelledRequestId } from '../request-id.ts';
import { type Line, LineSplitter } from './line-splitter.ts';
import { readMessage } from './read-message.ts';

export interface StdioTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
}

interface WaitingRequest {
  readonly request: JSONRPCRequest;
  readonly bytes: number;
}

export const MAX_MESSAGE_BYTES = 10 * 2 ** 20;
/** An answer may have a megabyte. Assistants make some ten calls at once. */
export const AT_ONCE = 32;
export const MAX_WAITING_BYTES = 2 ** 20;

export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Resolves when the host has nothing more to say. */
  readonly ended: Promise<void>;
  /** Resolves when it is closed, by whichever side. */
  readonly closed: Promise<void>;
  readonly #options: StdioTransportOptions;
  readonly #lines = new LineSplitter(MAX_MESSAGE_BYTES);
  /** The requests that the server has seen, until their answers have left. */
  readonly #open = new Set<RequestId>();
  #waiting: WaitingRequest[] = [];
  #isClosed = false;
  #resolveEnded = () => {};
  #resolveClosed = () => {};
  /** To be called when fewer requests are waiting or open. */
  readonly #onProgress = new Set<() => void>();

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  async start(): Promise<void> {
    const { output } = this.#options;
    output.on('error', (error) => {
      if (this.#isClosed) return;
      this.onerror?.(error);
      void this.close();
    });
    output.on('drain', () => this.#begin());
    void this.#readAll();
  }

  /** Resolves when the message has left the process. */
  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#write(message);
    } finally {
      if (!('method' in message)) this.#settle(message.id);
    }
  }

  /** Resolves when every request has been answered or cancelled. */
  async allAnswered(): Promise<void> {
    await this.#until(() => this.#open.size === 0 && this.#waiting.length === 0);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.input.destroy();
    this.#progress();
    this.#resolveClosed();
    this.onclose?.();
  }

  async #readAll(): Promise<void> {
    const chunks: AsyncIterable<Buffer> = this.#options.input;
    try {
      for await (const chunk of chunks) {
        for (const line of this.#lines.split(chunk)) await this.#receive(line);
        await this.#until(() => this.#waitingBytes() < MAX_WAITING_BYTES);
      }
    } catch (error) {
      this.#report(error);
    }
    this.#resolveEnded();
  }

  /** The answer to a line that is refused has to leave before the next line is read: it may be the longer one. */
  async #receive(line: Line): Promise<void> {
    if ('tooLong' in line) {
      const problem = `A message holds at most ${MAX_MESSAGE_BYTES} bytes.`;
      return this.#refuse(refused(problem, INVALID_REQUEST, line.tooLong.requestId));
    }
    if (line.text.trim() === '') return;
    const reading = readMessage(line.text);
    if ('refusal' in reading) return this.#refuse(reading.refusal);
    if ('error' in reading) return this.#report(reading.error);
    try {
      this.#accept(reading.message, line.bytes);
    } catch (error) {
      this.#report(error);
    }
  }

  #accept(message: JSONRPCMessage, bytes: number): void {
    if ('id' in message && 'method' in message) {
      // A host that gets no answer to a ping may end the server, and what is under way with it.
      if (message.method === 'ping' && !this.#options.output.writableNeedDrain) this.#deliver(message);
      else {
        this.#waiting.push({ request: message, bytes });
        this.#begin();
      }
    } else {
      this.onmessage?.(message);
      const cancelled = cancelledRequestId(message);
      if (cancelled !== undefined) this.#cancel(cancelled);
    }
  }

  #cancel(id: RequestId): void {
    this.#waiting = this.#waiting.filter(({ request }) => request.id !== id);
    this.#settle(id);
  }

  /** Begins what may be begun now. Of two requests with one id, the second waits until the first is answered. */
  #begin(): void {
    while (this.#open.size < AT_ONCE && !this.#options.output.writableNeedDrain) {
      const [next] = this.#waiting;
      if (!next || this.#open.has(next.request.id)) break;
      this.#waiting.shift();
      this.#deliver(next.request);
    }
    this.#progress();
  }

  #deliver(request: JSONRPCRequest): void {
    // A stream stays open for as long as the host likes.
    if (request.method !== 'subscriptions/listen') this.#open.add(request.id);
    this.onmessage?.(request);
  }

  #settle(id: RequestId | undefined): void {
    if (id !== undefined) this.#open.delete(id);
    this.#begin();
  }

  #refuse(refusal: Refusal): Promise<void> {
    return this.#write(refusal).catch((error: unknown) => this.#report(error));
  }

  #write(message: JSONRPCMessage | Refusal): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The transport is closed.'));
    return new Promise((resolve, reject) => {
      this.#options.output.write(`${JSON.stringify(message)}\n`, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }

  /** To close it ends the input in the middle, which is no error. */
  #report(error: unknown): void {
    if (!this.#isClosed) this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }

  #progress(): void {
    for (const resolve of this.#onProgress) resolve();
    this.#onProgress.clear();
  }

  async #until(isReached: () => boolean): Promise<void> {
    while (!this.#isClosed && !isReached())
      await new Promise<void>((resolve) => this.#onProgress.add(resolve));
  }

  #waitingBytes(): number {
    return this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}
