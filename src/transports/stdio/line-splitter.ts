/**
 * Bytes to lines. It holds at most one line of at most `maxBytes` bytes; of a longer one it reads what an answer to it
 * needs, and drops the rest.
 */
import { MessageOutline } from './message-outline.ts';

export type Line =
  | { readonly text: string; readonly bytes: number }
  | { readonly tooLong: Pick<MessageOutline, 'requestId'> };

const NEWLINE = 0x0a;
const NOTHING = Buffer.alloc(0);

export class LineSplitter {
  readonly #maxBytes: number;
  /** The beginning of a line; more is allocated than is used, so that many small pieces cost no more than a large one. */
  #held = NOTHING;
  #length = 0;
  /** Of a line that is too long already. */
  #outline: MessageOutline | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end in this piece. */
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
      this.#outline.read(this.#held.subarray(0, this.#length));
      this.#held = NOTHING;
    }
    if (this.#outline) this.#outline.read(piece);
    else this.#hold(piece);
  }

  #hold(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * length, 1024), this.#maxBytes));
      this.#held.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    piece.copy(this.#held, this.#length);
    this.#length = length;
  }

  #take(): Line {
    const line = this.#outline
      ? { tooLong: this.#outline }
      : { text: this.#held.toString('utf8', 0, this.#length), bytes: this.#length };
    this.#held = NOTHING;
    this.#length = 0;
    this.#outline = undefined;
    return line;
  }
}
