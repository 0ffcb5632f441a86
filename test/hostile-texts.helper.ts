/** Texts that try to break out of their place in a result, and helpers that detect it. */
import fc from 'fast-check';

/** Characters that are invisible, end a line or change its direction. There is no emoji, which may keep its selector. */
const parts = [
  'a',
  'B7',
  ' ',
  '"',
  '\\',
  '\n',
  '\r\n',
  '\t',
  '\u0000',
  '\u001b[2K',
  '\u0085',
  '\u009b',
  '\u2028',
  '\u2029',
  '\u200b',
  '\u200d',
  '\u202e',
  '\u2066',
  '\u2069',
  '\u061c',
  '\u034f',
  '\u3164',
  '\ufe0f',
  '\u{e0041}',
  '\u{e0101}',
  '\nids:\n',
  '\n2026-11-18 · $1,000,000.00 · ',
  '" · deleted · "',
];

export const hostileText = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((each) => each.join(''));

/** Characters that a text must not contain, except its own line ends. Defined independently of the code. */
export const forbidden =
  /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\u034f|[\u115f\u1160\u3164\uffa0]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]/u;

/** Replaces each text by a plain word. Empty texts stay empty, and equal texts stay equal. */
export function withPlainTexts<Data>(data: Data): Data {
  const words = new Map<string, string>([['', '']]);
  const plain = (_: string, value: unknown) => {
    if (typeof value !== 'string') return value;
    const known = words.get(value) ?? `w${words.size}`;
    words.set(value, known);
    return known;
  };
  return JSON.parse(JSON.stringify(data, plain));
}
