/**
 * A transport with one protocol message per line, on a pair of streams. A line that is too long or not a message is refused, and
 * the next line is read. When the input has ended, the requests in progress can still be answered.
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

const MAX_MESSAGE_BYTES = 10 * 2 ** 20;

export class StdioTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** `settled` when a request has its answer, and the two ends below. */
  readonly #events = new EventEmitter();
  /** Resolves when the input has ended. */
  readonly ended: Promise<unknown> = once(this.#events, 'ended');
  /** Resolves when the transport is closed by either side. */
  readonly closed: Promise<unknown> = once(this.#events, 'closed');
  readonly #options: StdioTransportOptions;
  readonly #lines = new LineSplitter(MAX_MESSAGE_BYTES);
  /** The requests whose answers have not left the process. */
  readonly #open = new Set<RequestId>();
  /** Those of them that wait for a preparation, in their order. */
  #waiting: JSONRPCRequest[] = [];
  #isPreparing = false;
  #isClosed = false;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#options.output.on('error', (error) => {
      if (this.#isClosed) return;
      this.onerror?.(error);
      void this.close();
    });
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
    while (!this.#isClosed && this.#open.size > 0) await once(this.#events, 'settled');
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.input.destroy();
    this.#events.emit('settled');
    this.#events.emit('closed');
    this.onclose?.();
  }

  async #readAll(): Promise<void> {
    const chunks: AsyncIterable<Buffer> = this.#options.input;
    try {
      for await (const chunk of chunks) for (const line of this.#lines.split(chunk)) this.#receive(line);
    } catch (error) {
      this.#report(error);
    }
    this.#events.emit('ended');
  }

  #receive(line: string | undefined): void {
    if (line === undefined)
      this.#refuse(createRefusal(`A message may have at most ${MAX_MESSAGE_BYTES} bytes.`));
    else if (line.trim() !== '') for (const parsed of readLine(line)) this.#take(parsed);
  }

  #take(parsed: ParsedLine): void {
    try {
      if ('refusal' in parsed) this.#refuse(parsed.refusal);
      else if ('error' in parsed) this.#report(parsed.error);
      else this.#accept(parsed.message);
    } catch (error) {
      this.#report(error);
    }
  }

  /** A host that gets no answer to a ping may end this process. So a ping waits for no preparation. */
  #accept(message: JSONRPCMessage): void {
    if ('id' in message && 'method' in message) {
      // A subscription stays open without limit, so it does not count.
      if (message.method !== 'subscriptions/listen') this.#open.add(message.id);
      if (message.method !== 'ping') {
        this.#waiting.push(message);
        this.#deliverWaiting();
        return;
      }
    }
    this.onmessage?.(message);
    const cancelled = cancelledRequestId(message);
    if (cancelled === undefined) return;
    this.#waiting = this.#waiting.filter(({ id }) => id !== cancelled);
    this.#settle(cancelled);
  }

  #deliverWaiting(): void {
    while (!this.#isPreparing) {
      const [next] = this.#waiting;
      if (!next) return;
      const preparation = this.#options.prepare?.(next);
      if (preparation !== undefined) {
        void this.#waitFor(preparation, next);
        return;
      }
      this.#waiting.shift();
      this.onmessage?.(next);
    }
  }

  /** Requests stay in their order, and the host can cancel them while they wait. */
  async #waitFor(preparation: Promise<unknown>, next: JSONRPCRequest): Promise<void> {
    this.#isPreparing = true;
    try {
      await preparation;
    } catch (error) {
      this.#report(error);
      if (this.#waiting.includes(next)) {
        this.#waiting = this.#waiting.filter((each) => each !== next);
        this.#refuse(createRefusal(messageOf(error), INTERNAL_ERROR, next.id));
      }
    } finally {
      this.#isPreparing = false;
    }
    this.#deliverWaiting();
  }

  #settle(id: RequestId | undefined): void {
    if (id !== undefined) this.#open.delete(id);
    this.#events.emit('settled');
  }

  #refuse(refusal: Refusal): void {
    this.#write(refusal)
      .catch((error: unknown) => this.#report(error))
      .finally(() => this.#settle(refusal.id ?? undefined));
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
}

/** The message of an unexpected error stays in the log. */
const messageOf = (error: unknown) =>
  error instanceof BudgetError
    ? error.explanation
    : 'Internal error in this server. The details are in its log.';

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

  /** The lines that end in this chunk. Undefined for one that is too long. */
  *split(chunk: Buffer): Generator<string | undefined> {
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

  #take(): string | undefined {
    const line = this.#isTooLong ? undefined : this.#buffer.toString('utf8', 0, this.#length);
    this.#buffer = EMPTY;
    this.#length = 0;
    this.#isTooLong = false;
    return line;
  }
}
