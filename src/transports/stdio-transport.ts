/**
 * A transport with one protocol message per line, on a pair of streams. It has backpressure: if the host does not read,
 * requests wait, and then no more input is read. A line that is not a message is refused, and the next line is read.
 *
 * The limits, whatever the host does:
 *
 *   - A line that is too long is skipped and answered with an error.
 *   - At most `MAX_CONCURRENT` requests are in progress. A request counts until its answer has left the process.
 *   - No request is started while the output is full.
 *   - Requests that cannot be started yet wait. While more than `MAX_WAITING_BYTES` of them wait, no line is read.
 *
 * Cancellations and responses of the host do not wait for the output. They only wait while no line is read.
 */
import { EventEmitter, once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from '@modelcontextprotocol/server';
import { BudgetError, errorOf } from '../base/errors.ts';
import {
  cancelledRequestId,
  createRefusal,
  INTERNAL_ERROR,
  type ParsedLine,
  type Refusal,
  readLine,
} from './messages.ts';

export interface StdioTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  /**
   * Prepares what a request needs before the server gets it. Undefined if nothing is to be prepared. If it rejects, the
   * request is refused.
   */
  readonly prepare?: (request: JSONRPCRequest) => Promise<unknown> | undefined;
}

interface WaitingRequest {
  readonly request: JSONRPCRequest;
  readonly bytes: number;
}

export const MAX_MESSAGE_BYTES = 10 * 2 ** 20;
/** An answer may have a megabyte. Assistants make about ten calls at once. */
export const MAX_CONCURRENT = 32;
export const MAX_WAITING_BYTES = 2 ** 20;

export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** `progress` when fewer requests may be waiting or open, and the two ends below. */
  readonly #events = new EventEmitter();
  /** Resolves when the input has ended. */
  readonly ended: Promise<unknown> = once(this.#events, 'ended');
  /** Resolves when the transport is closed by either side. */
  readonly closed: Promise<unknown> = once(this.#events, 'closed');
  readonly #options: StdioTransportOptions;
  readonly #lines = new LineSplitter(MAX_MESSAGE_BYTES);
  /** The requests that the server got and whose answers have not left the process. */
  readonly #open = new Set<RequestId>();
  #waiting: WaitingRequest[] = [];
  #isPreparing = false;
  #isClosed = false;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { output } = this.#options;
    output.on('error', (error) => {
      if (this.#isClosed) return;
      this.onerror?.(error);
      void this.close();
    });
    output.on('drain', () => this.#startWaiting());
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
    await this.#waitUntil(() => this.#open.size === 0 && this.#waiting.length === 0);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.input.destroy();
    this.#events.emit('progress');
    this.#events.emit('closed');
    this.onclose?.();
  }

  async #readAll(): Promise<void> {
    const chunks: AsyncIterable<Buffer> = this.#options.input;
    try {
      for await (const chunk of chunks) {
        for (const line of this.#lines.split(chunk)) await this.#receive(line);
        await this.#waitUntil(() => this.#waitingBytes() < MAX_WAITING_BYTES);
      }
    } catch (error) {
      this.#report(error);
    }
    this.#events.emit('ended');
  }

  /** A refusal is sent before the next line is read, because it may be longer than the refused line. */
  async #receive(line: Line): Promise<void> {
    if (!line) return this.#refuse(createRefusal(`A message may have at most ${MAX_MESSAGE_BYTES} bytes.`));
    if (line.text.trim() === '') return;
    const parts = readLine(line.text);
    for (const part of parts) await this.#take(part, line.bytes / parts.length);
  }

  async #take(parsed: ParsedLine, bytes: number): Promise<void> {
    if ('refusal' in parsed) return this.#refuse(parsed.refusal);
    if ('error' in parsed) return this.#report(parsed.error);
    try {
      this.#accept(parsed.message, bytes);
    } catch (error) {
      this.#report(error);
    }
  }

  #accept(message: JSONRPCMessage, bytes: number): void {
    if ('id' in message && 'method' in message) {
      // A host that gets no answer to a ping may end this process and the requests in progress.
      if (message.method === 'ping' && !this.#options.output.writableNeedDrain) this.#deliver(message);
      else {
        this.#waiting.push({ request: message, bytes });
        this.#startWaiting();
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

  /** Starts the waiting requests that may start now. A request waits while another with its id is in progress. */
  #startWaiting(): void {
    while (
      !this.#isPreparing &&
      this.#open.size < MAX_CONCURRENT &&
      !this.#options.output.writableNeedDrain
    ) {
      const [next] = this.#waiting;
      if (!next || this.#open.has(next.request.id)) break;
      const preparation = this.#options.prepare?.(next.request);
      if (preparation !== undefined) {
        void this.#waitFor(preparation, next);
        break;
      }
      this.#waiting.shift();
      this.#deliver(next.request);
    }
    this.#events.emit('progress');
  }

  /** Requests stay in their order, and the host can cancel them while they wait. */
  async #waitFor(preparation: Promise<unknown>, next: WaitingRequest): Promise<void> {
    this.#isPreparing = true;
    try {
      await preparation;
    } catch (error) {
      this.#report(error);
      if (this.#waiting.includes(next)) {
        this.#waiting = this.#waiting.filter((each) => each !== next);
        await this.#refuse(createRefusal(messageOf(error), INTERNAL_ERROR, next.request.id));
      }
    } finally {
      this.#isPreparing = false;
    }
    this.#startWaiting();
  }

  #deliver(request: JSONRPCRequest): void {
    // A subscription stays open without limit, so it does not count.
    if (request.method !== 'subscriptions/listen') this.#open.add(request.id);
    this.onmessage?.(request);
  }

  #settle(id: RequestId | undefined): void {
    if (id !== undefined) this.#open.delete(id);
    this.#startWaiting();
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

  /** Closing the transport interrupts the input, which is no error. */
  #report(error: unknown): void {
    if (!this.#isClosed) this.onerror?.(errorOf(error));
  }

  async #waitUntil(isReached: () => boolean): Promise<void> {
    while (!this.#isClosed && !isReached()) await once(this.#events, 'progress');
  }

  #waitingBytes(): number {
    return this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

/** The message of an unexpected error stays in the log. */
const messageOf = (error: unknown) =>
  error instanceof BudgetError
    ? error.explanation
    : 'Internal error in this server. The details are in its log.';

/** Undefined for a line that is too long. */
export type Line = { readonly text: string; readonly bytes: number } | undefined;

const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);

/** Splits bytes into lines. It keeps at most one line of at most `maxBytes` bytes. */
export class LineSplitter {
  readonly #maxBytes: number;
  /** The beginning of a line. It is larger than needed, so that many small pieces cost no more than a large one. */
  #buffer = EMPTY;
  #length = 0;
  #isTooLong = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that end in this chunk. */
  *split(chunk: Buffer): Generator<Line> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  #add(piece: Buffer): void {
    const length = this.#length + piece.length;
    this.#isTooLong ||= length > this.#maxBytes;
    if (this.#isTooLong) {
      this.#buffer = EMPTY;
      return;
    }
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * length, 1024), this.#maxBytes));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    piece.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  #take(): Line {
    const line = this.#isTooLong
      ? undefined
      : { text: this.#buffer.toString('utf8', 0, this.#length), bytes: this.#length };
    this.#buffer = EMPTY;
    this.#length = 0;
    this.#isTooLong = false;
    return line;
  }
}
