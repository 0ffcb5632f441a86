/**
 * Finds the id of a request that is too long to be stored, so that the request can be answered. It reads the bytes once,
 * in pieces of any size, and keeps at most one short member of the message at a time.
 */
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import { requestIdSchema } from '../pending-requests.ts';

/** The largest member that is read. A longer id or method is not recognised. */
const MAX_MEMBER_BYTES = 512;

const idMember = z.object({ id: requestIdSchema });
const methodMember = z.object({ method: z.string() });

const code = (character: string) => character.charCodeAt(0);
const QUOTE = code('"');
const BACKSLASH = code('\\');
const COMMA = code(',');
const OPENING = new Set([code('{'), code('[')]);
const CLOSING = new Set([code('}'), code(']')]);

export class MessageOutline {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The bytes of the current member of the outermost object, without nested values. */
  #member: number[] = [];
  #id: z.output<typeof requestIdSchema> | undefined;
  #isRequest = false;

  /** Undefined if the message is not a request. The id of a response belongs to a request of this program. */
  get requestId(): z.output<typeof requestIdSchema> | undefined {
    return this.#isRequest ? this.#id : undefined;
  }

  read(bytes: Uint8Array): void {
    for (const byte of bytes) this.#next(byte);
  }

  #next(byte: number): void {
    if (this.#isInString) {
      this.#keep(byte);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInString = false;
    } else if (byte === QUOTE) {
      this.#keep(byte);
      this.#isInString = true;
    } else if (OPENING.has(byte)) this.#depth += 1;
    else if (CLOSING.has(byte)) {
      this.#depth -= 1;
      if (this.#depth === 0) this.#endMember();
    } else if (byte === COMMA && this.#depth === 1) this.#endMember();
    else this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#member.length <= MAX_MEMBER_BYTES) this.#member.push(byte);
  }

  #endMember(): void {
    const member = parseJson(`{${Buffer.from(this.#member).toString()}}`);
    this.#member = [];
    const id = idMember.safeParse(member);
    if (id.success) this.#id = id.data.id;
    if (methodMember.safeParse(member).success) this.#isRequest = true;
  }
}
