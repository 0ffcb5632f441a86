/**
 * HTML escapes in texts of the service. What came from a bank is escaped there, such as `B&amp;H Photo`. Only what every
 * escaping function writes is decoded: the five characters of markup, and numbers. Of the two thousand names that HTML has,
 * many are words that a person may have written.
 */

const escaped = '(?:amp|lt|gt|quot|apos|#\\d{1,7}|#x[\\da-f]{1,6});';
const inText = new RegExp(`&${escaped}`, 'gi');
/** JSON may escape `&` too. The first two are left as they are: an escaped backslash, and ids of imports, which are no texts. */
const inJson = new RegExp(
  String.raw`\\\\|"(?:duplicate_)?import_ids?"\s*:\s*(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\])|(?:&|\\u0026)${escaped}`,
  'gi',
);

const characters = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** `name` is what is between `&` and `;`. Undefined if there is no such character. */
function characterOf(name: string): string | undefined {
  if (!name.startsWith('#')) return characters.get(name);
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const exists = code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
  return exists ? String.fromCodePoint(code) : undefined;
}

const nameIn = (found: string) => found.slice(found.lastIndexOf('&') + 1, -1).toLowerCase();

/** Decodes once: `&amp;lt;` becomes `&lt;`. */
export const decodeHtml = (text: string): string =>
  text.includes('&') ? text.replace(inText, (found) => characterOf(nameIn(found)) ?? found) : text;

/** The JSON text of the same value with every string decoded, except the ids of imports. */
export function decodeHtmlInJson(json: string): string {
  if (!json.includes('&') && !json.includes('\\u0026')) return json;
  return json.replace(inJson, (found) => {
    if (!found.endsWith(';')) return found;
    const character = characterOf(nameIn(found.replace('\\u0026', '&')));
    return character === undefined ? found : JSON.stringify(character).slice(1, -1);
  });
}
