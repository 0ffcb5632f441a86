/**
 * What the texts for a model are made of. Names and memos were typed by users or sent by banks: they stand in quotes,
 * apart from the server's own words. Whatever else the service sends as text is a word, or is quoted too.
 */
import type { z } from 'zod';
import { quote, word } from '../platform/quote.ts';
import type { Money } from './units.ts';

export { quote, word };

/** What the lines of one answer share: its currency, and the ids of the things that its rows name. */
export class TextContext {
  readonly money: Money;
  readonly #names: ReadonlyMap<string, { readonly name: string }>;
  readonly #ids = new Map<string, string>();

  /** `names`, by id, are given where a person reads the text, to whom ids mean nothing. */
  constructor(money: Money, names: ReadonlyMap<string, { readonly name: string }> = new Map()) {
    this.money = money;
    this.#names = names;
  }

  /** What refers to something by its id. */
  reference(id: string): string {
    const thing = this.#names.get(id);
    return thing ? quote(thing.name) : word(id);
  }

  /**
   * A name, whose id is told once for the whole answer; where two things share a name, beside it. Something that has
   * only an id is told by its kind and id; nothing at all is empty.
   */
  named(kind: string, id: string | null, name: string | null): string {
    if (name === null) return id === null ? '' : `${kind} ${this.reference(id)}`;
    const quoted = quote(name);
    if (id === null) return quoted;
    const key = `${kind} ${quoted}`;
    if (!this.#ids.has(key)) this.#ids.set(key, id);
    return this.#ids.get(key) === id ? quoted : `${quoted} (${word(id)})`;
  }

  /** The ids that `named` promised. */
  get legend(): string[] {
    return this.#ids.size > 0 ? ['ids:', ...[...this.#ids].map(([name, id]) => `  ${name} ${word(id)}`)] : [];
  }
}

/** An answer in words. */
export interface FormattedText {
  /** Follows the name of the budget in the first line: which month, how many rows. */
  readonly heading?: readonly TextPart[];
  readonly lines: readonly string[];
}

/** One value as the text of a row; the rows that belong to it follow, indented. */
export type FormatRow = (value: unknown, prose: TextContext) => string;

export const rowFormat =
  <Schema extends z.ZodType>(
    schema: Schema,
    render: (value: z.output<Schema>, prose: TextContext) => string,
  ): FormatRow =>
  (value, prose) =>
    render(schema.parse(value), prose);

export type TextPart = string | false | null | undefined;

/** The parts of a row that there are. */
export const joinParts = (...parts: TextPart[]) => parts.filter(Boolean).join(' · ');

/** The words of a part that there are. */
export const joinWords = (...words: TextPart[]) => words.filter(Boolean).join(' ');

export const indentLines = (rows: readonly string[]) => rows.map((text) => `\n  ${text}`).join('');

const MAX_PROBLEMS = 10;

/** The first ten, since nobody corrects a thousand at once. */
export function listProblems(problems: readonly string[]): string {
  const rest = problems.length - MAX_PROBLEMS;
  return [...problems.slice(0, MAX_PROBLEMS), ...(rest > 0 ? [`and ${rest} more problems`] : [])].join('; ');
}
