/**
 * Splits bytes into lines, and reads each as a protocol message. It keeps at most one line of at most `maxBytes` bytes. From a longer line it reads only what is
 * needed to answer it.
 */
import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isTooDeep, parseJson } from '../../base/json.ts';
import { createRefusal, PARSE_ERROR, type Refusal } from '../json-rpc-refusal.ts';
import { requestIdSchema } from '../pending-requests.ts';
import { MessageOutline } from './message-outline.ts';

export type Line =
  | { readonly text: string; readonly bytes: number }
  | { readonly tooLong: Pick<MessageOutline, 'requestId'> };

const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);

export class LineSplitter {
  readonly #maxBytes: number;
  /** The beginning of a line. It is larger than needed, so that many small pieces cost no more than a large one. */
  #buffer = EMPTY;
  #length = 0;
  /** Set while the current line is too long. */
  #outline: MessageOutline | undefined;

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
    if (!this.#outline && this.#length + piece.length > this.#maxBytes) {
      this.#outline = new MessageOutline();
      this.#outline.read(this.#buffer.subarray(0, this.#length));
      this.#buffer = EMPTY;
    }
    if (this.#outline) this.#outline.read(piece);
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
    const line = this.#outline
      ? { tooLong: this.#outline }
      : { text: this.#buffer.toString('utf8', 0, this.#length), bytes: this.#length };
    this.#buffer = EMPTY;
    this.#length = 0;
    this.#outline = undefined;
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
