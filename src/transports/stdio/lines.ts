/** Splits bytes into lines, and reads each as a protocol message. It keeps at most one line of at most `maxBytes` bytes. */
import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isTooDeep, parseJson } from '../../base/json.ts';
import { createRefusal, PARSE_ERROR, type Refusal, requestIdSchema } from '../messages.ts';

/** Undefined for a line that is too long. */
export type Line = { readonly text: string; readonly bytes: number } | undefined;

const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);

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
    this.#isTooLong ||= this.#length + piece.length > this.#maxBytes;
    if (this.#isTooLong) this.#buffer = EMPTY;
    else this.#append(piece);
  }

  #append(piece: Buffer): void {
    const length = this.#length + piece.length;
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

export type ParsedLine =
  | { readonly message: JSONRPCMessage }
  | { readonly refusal: Refusal }
  /** An invalid response, which must not be answered. */
  | { readonly error: Error };

const withId = z.object({ id: requestIdSchema, method: z.unknown() });
const response = z.union([z.object({ result: z.unknown() }), z.object({ error: z.unknown() })]);

/** Parses a line as a protocol message, or returns the error response. */
export function readMessage(line: string): ParsedLine {
  const value = parseJson(line);
  if (value === undefined) return { refusal: createRefusal('The line is not JSON.', PARSE_ERROR) };
  const id = withId.safeParse(value).data?.id;
  // If both sides answered invalid responses, they could do so without end.
  const refusal = (message: string): ParsedLine =>
    isResponse(value) ? { error: new Error(message) } : { refusal: createRefusal(message, undefined, id) };
  // The protocol has no batches since 2025-06-18.
  if (Array.isArray(value)) return refusal('Batches are not supported: send each message separately.');
  if (isTooDeep(value)) return refusal('The message is nested too deeply.');
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    return refusal('The line is not a JSON-RPC message.');
  }
}

const isResponse = (value: unknown) => response.safeParse(value).success;
