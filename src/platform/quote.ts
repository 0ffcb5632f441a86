/**
 * How text from outside stands in a text of ours: names, memos and notes that somebody typed, and whatever the service
 * sends. It stays on one line, and nothing in it is invisible or changes the direction of the line.
 */

/** Of a script whose letters joiners change: Arabic and Devanagari are, Latin is not. */
const joined = String.raw`(?![\p{Script=Latin}\p{Script=Inherited}\p{Default_Ignorable_Code_Point}])[\p{L}\p{M}]`;

/** Format characters that are part of what a person sees; they need these neighbours, and hide nothing beside them. */
const needed = [
  // An emoji in colour, a keycap such as 1️⃣.
  String.raw`(?<=\p{Extended_Pictographic})\ufe0f`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  // Several emoji that are drawn as one.
  String.raw`(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=${joined})[\u200c\u200d](?=${joined})`,
].join('|');

/** Control characters, line separators, marks of direction, tags, variation selectors, joiners. */
const unseen = new RegExp(
  String.raw`(?!${needed})[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]`,
  'gu',
);

const escapeUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;

/** JSON that says the same with what cannot be seen in its strings escaped. Line breaks between them are lost. */
export const escapeUnseen = (json: string) =>
  json.replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(''),
  );

/** As a JSON string. One parameter only, so that it can be given to `map`. */
export const quote = (text: string): string => escapeUnseen(JSON.stringify(text));

/** The same, with what comes after `most` characters cut off. */
export const quoteStart = (text: string, most: number): string =>
  quote(text.length > most ? `${text.slice(0, most)}…` : text);

/** Ids are longer than other words, and none is so long. */
const WORD = 200;
const plain = new RegExp(`^[\\w.,:;=+'/-]{0,${WORD}}$`);

/** What should be one word, such as an id, a date or a type: as it is where it is one, and quoted where it is not. */
export const word = (text: string) => (plain.test(text) ? text : quoteStart(text, WORD));

/** Without what cannot be seen, for places that have no room for quotes. */
export const visible = (text: string) => text.replace(unseen, '');
