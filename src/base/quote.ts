/**
 * Quotes text from outside: names, memos and notes that users typed, and other text of the service. A quoted text stays on
 * one line, and nothing in it is invisible or changes the direction of the line.
 */

/** A letter of a script in which joiners change the letters, such as Arabic or Devanagari, but not Latin. */
const joined = String.raw`(?![\p{Script=Latin}\p{Script=Inherited}\p{Default_Ignorable_Code_Point}])[\p{L}\p{M}]`;

/** Format characters that are visible next to these characters, and therefore hide nothing. */
const needed = [
  // A colour emoji, or a keycap such as 1️⃣.
  String.raw`(?<=\p{Extended_Pictographic})\ufe0f`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  // Several emoji that are shown as one.
  String.raw`(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=${joined})[\u200c\u200d](?=${joined})`,
].join('|');

/** Control characters, line separators, marks of direction, tags, variation selectors, joiners. */
const unseen = new RegExp(
  String.raw`(?!${needed})[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]`,
  'gu',
);

const escapeUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;

/** Escapes invisible characters in the strings of a JSON text. The JSON value stays the same. Removes line breaks between strings. */
export const escapeUnseen = (json: string) =>
  json.replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(''),
  );

/** Quotes a text as a JSON string. It has only one parameter, so that it can be passed to `map`. */
export const quote = (text: string): string => escapeUnseen(JSON.stringify(text));

/** Quotes at most the first `max` characters. */
export const quoteStart = (text: string, max: number): string =>
  quote(text.length > max ? `${text.slice(0, max)}…` : text);

/** Longer than any id. */
const MAX_WORD_LENGTH = 200;
const plain = new RegExp(`^[\\w.,:;=+'/-]{0,${MAX_WORD_LENGTH}}$`);

/** For a text that should be one word, such as an id, a date or a type: unchanged if it is one word, else quoted. */
export const word = (text: string) => (plain.test(text) ? text : quoteStart(text, MAX_WORD_LENGTH));

/** Removes invisible characters, for places where quotes do not fit. */
export const visible = (text: string) => text.replace(unseen, '');
