/**
 * What the texts for a model are made of. Names and memos were typed by users or sent by banks: they stand in JSON
 * quotes, on one line, with nothing invisible in them, apart from the server's own words.
 */
import type { z } from 'zod';
import type { Money } from './units.ts';

/** What the lines of one answer share: its currency, and the ids of the things that its rows name. */
export class Prose {
  readonly money: Money;
  readonly #ids = new Map<string, string>();

  constructor(money: Money) {
    this.money = money;
  }

  /**
   * A name, whose id is told once for the whole answer; where two things share a name, beside it. Something that has
   * only an id is told by its kind and id; nothing at all is empty.
   */
  named(kind: string, id: string | null, name: string | null): string {
    if (name === null) return id === null ? '' : `${kind} ${id}`;
    const quoted = quote(name);
    if (id === null) return quoted;
    const key = `${kind} ${quoted}`;
    if (!this.#ids.has(key)) this.#ids.set(key, id);
    return this.#ids.get(key) === id ? quoted : `${quoted} (${id})`;
  }

  /** The ids that `named` promised. */
  get legend(): string[] {
    return this.#ids.size > 0 ? ['ids:', ...[...this.#ids].map(([name, id]) => `  ${name} ${id}`)] : [];
  }
}

/** One value as the text of a row; the rows that belong to it follow, indented. */
export type Line = (value: unknown, prose: Prose) => string;

export const line =
  <Schema extends z.ZodType>(
    schema: Schema,
    render: (value: z.output<Schema>, prose: Prose) => string,
  ): Line =>
  (value, prose) =>
    render(schema.parse(value), prose);

export type Part = string | false | null | undefined;

/** The parts of a row that there are. */
export const join = (...parts: Part[]) => parts.filter(Boolean).join(' · ');

/** The words of a part that there are. */
export const phrase = (...words: Part[]) => words.filter(Boolean).join(' ');

export const indent = (rows: readonly string[]) => rows.map((text) => `\n  ${text}`).join('');

// Line separators, directional marks, tags; the joiners stay, which emoji and some scripts are written with.
const invisible = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu;

/** Text from outside as a JSON string, with what would break or disguise the line escaped as well. */
export const quote = (text: string) =>
  JSON.stringify(text).replace(invisible, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(''),
  );

const escapeUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;
