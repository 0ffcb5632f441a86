/**
 * Building blocks of text for a model, and the room for it. Names and memos come from users or banks, so they are quoted to
 * keep them apart from the server's own words. Any other text of the service is a single word or is quoted too. A model pays for
 * each token of an answer, and hosts cut or hide long ones. Tokens are estimated by bytes.
 */
import type { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { quote, quoteStart, word } from '../base/quote.ts';
import type { ReferenceKind } from '../base/schema/meaning.ts';
import type { References } from './references/references.ts';
import type { Money } from './units.ts';

export { quote, quoteStart, word };

/** About 2,000 tokens with the first and the last line. */
export const DEFAULT_BYTES = 4_800;
/** For a call that asks for more rows than the default. The rest of `MAX_BYTES` is for notes. */
const LONG_BYTES = 22_000;
/** For the rows of structured content. The rest of `MAX_JSON_BYTES` is for its other fields. */
const JSON_BYTES = 28_500;

const uuid = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gi;
/** A UUID of 36 bytes has as many tokens as 74 bytes of other text. */
const EXTRA_BYTES_OF_UUID = 38;

const listedNumber = /[[,]-?\d/g;
/** A short number in a list has a token for each of its few bytes. */
const EXTRA_BYTES_OF_LISTED_NUMBER = 6;

/** A line of text with its line break, or JSON with the comma after it. */
export const sizeOf = (text: string): number =>
  Buffer.byteLength(text) + 1 + EXTRA_BYTES_OF_UUID * (text.match(uuid)?.length ?? 0);

/** The bytes that are left in an answer. Its rows take from them. */
export class Room {
  #text: number;
  #json: number;

  /** By default it is not limited. */
  constructor(text = Number.POSITIVE_INFINITY, json = Number.POSITIVE_INFINITY) {
    this.#text = text;
    this.#json = json;
  }

  /** With `structured`, the rows also have to fit the structured content, where they are larger. */
  static forAnswer({ structured = false } = {}): Room {
    return new Room(DEFAULT_BYTES, structured ? JSON_BYTES : undefined);
  }

  get isLimited(): boolean {
    return Number.isFinite(this.#text);
  }

  /** For a call that asks for a long answer. */
  extend(): void {
    this.#text += LONG_BYTES - DEFAULT_BYTES;
  }

  /** Takes the bytes of a row if there is room for them, or if the row is shown anyway. */
  take(text: string, row: JsonObject, isForced = false): boolean {
    if (!this.isLimited) return true;
    const [ofText, ofJson] = [sizeOf(text), this.#sizeOfJson(row)];
    const isTaken = isForced || (ofText <= this.#text && ofJson <= this.#json);
    if (isTaken) {
      this.#text -= ofText;
      this.#json -= ofJson;
    }
    return isTaken;
  }

  #sizeOfJson(row: JsonObject): number {
    if (!Number.isFinite(this.#json)) return 0;
    const json = JSON.stringify(row);
    return sizeOf(json) + EXTRA_BYTES_OF_LISTED_NUMBER * (json.match(listedNumber)?.length ?? 0);
  }
}

/** Abbreviates ids, and says what a text may refer to. */
export type IdLookup = Pick<References, 'shortId' | 'nameOf' | 'find'>;

export interface TextOptions {
  /** The names by id, for text that a person reads: ids mean nothing to a person, so it has none. */
  readonly names?: ReadonlyMap<string, { readonly name: string }>;
  /** Without it, as for a budget that is not cached, ids are complete. */
  readonly lookup?: IdLookup | undefined;
  /** Without it, the length of the text is not limited. */
  readonly room?: Room | undefined;
}

/** The currency of a result, the room that its lines have, and how they refer to things. */
export class TextContext {
  readonly money: Money;
  readonly room: Room;
  readonly #names: ReadonlyMap<string, { readonly name: string }> | undefined;
  readonly #lookup: IdLookup | undefined;
  readonly #implied = new Set<string>();

  constructor(money: Money, { names, lookup, room = new Room() }: TextOptions = {}) {
    this.money = money;
    this.room = room;
    this.#names = names;
    this.#lookup = lookup;
  }

  /** Rows leave out a thing that the first line names. */
  imply(id: string): void {
    this.#implied.add(id);
  }

  /** A reference to an entity by its id: its name, with the id if the name alone does not refer to it. */
  reference(id: string, kind: ReferenceKind): string {
    const entity = this.#names?.get(id);
    if (entity) return quote(entity.name);
    const name = this.#lookup?.nameOf(kind, id);
    return name === undefined ? word(id) : this.withId(kind, id, name);
  }

  /** A name in quotes, followed by the id if the name alone does not refer to the thing. */
  withId(kind: ReferenceKind, id: string, name: string): string {
    return joinWords(quote(name), this.#lookup && inBrackets(this.idUnlessNamed(kind, id, name)));
  }

  /** The id of a thing that a next step needs, such as a transaction. Empty in text for a person. */
  id(kind: ReferenceKind, id: string): string {
    if (this.#names) return '';
    return word(this.#lookup?.shortId(kind, id) ?? id);
  }

  /** The id of a thing whose name a row contains. Empty if the name is enough to refer to it. */
  idUnlessNamed(kind: ReferenceKind, id: string, name: string): string {
    const found = this.#lookup?.find(kind, name);
    return found?.length === 1 && found[0] === id ? '' : this.id(kind, id);
  }

  /**
   * A name, with the id if the name alone does not refer to the thing, as without lookup. An entity without a name is
   * shown by kind and id. Without both, the text is empty.
   */
  named(kind: ReferenceKind, id: string | null, name: string | null): string {
    if (id !== null && this.#implied.has(id)) return '';
    if (name === null) return id === null ? '' : `${kind} ${this.reference(id, kind)}`;
    return joinWords(quote(name), id !== null && inBrackets(this.idUnlessNamed(kind, id, name)));
  }
}

const inBrackets = (id: string): TextPart => id !== '' && `(${id})`;

export interface FormattedText {
  /** Parts of the first line after the name of the budget, such as the month and the number of rows. */
  readonly heading?: readonly TextPart[];
  readonly lines: readonly TextPart[];
}

/** Formats one value as a row. Rows that belong to it follow on indented lines. */
export type FormatRow = (value: unknown, context: TextContext) => string;

export const rowFormat =
  <Schema extends z.ZodType>(
    schema: Schema,
    render: (value: z.output<Schema>, context: TextContext) => string,
  ): FormatRow =>
  (value, context) =>
    render(schema.parse(value), context);

export type TextPart = string | false | null | undefined;

/** The lines or parts that are present. */
export const present = (parts: readonly TextPart[]): string[] => parts.flatMap((part) => part || []);

export const joinParts = (...parts: TextPart[]) => present(parts).join(' · ');

export const joinWords = (...words: TextPart[]) => present(words).join(' ');

/** Such as `1 transaction` or `3 transactions`. `one` is a word that gets an s. */
export const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;

export const indentLines = (rows: readonly string[]) => rows.map((text) => `\n  ${text}`).join('');

/** The first `max` texts, and the number of the others. `what` follows "more". */
export function firstOf(texts: readonly string[], max: number, what = ''): string[] {
  const rest = texts.length - max;
  return rest > 0 ? [...texts.slice(0, max), joinWords(`and ${rest} more`, what)] : [...texts];
}

const MAX_PROBLEMS = 10;

/** The first ten problems. More would not help the reader. */
export const listProblems = (problems: readonly string[]): string =>
  firstOf(problems, MAX_PROBLEMS, 'problems').join('; ');
