/** The text of a file, in whichever encoding it is, with `\n` at the end of each line. Pure. */
import { decodedText } from '../../../base/decoded-text.ts';
import { invalidInput } from '../../../base/errors.ts';
import { knownNames } from './column-words.ts';

/**
 * By a byte order mark, by zero bytes at every second place, as UTF-8 if it is valid, and else in the code page whose letters make
 * words. Throws `invalid_input` if it is no text.
 */
export function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0x50 && second === 0x4b) throw notText('a spreadsheet or an archive');
  if (first === 0x25 && second === 0x50) throw notText('a PDF');
  const wide = wideEncodingOf(bytes);
  const text =
    unlessInvalid(() => (wide ? decode(bytes, wide) : decodedText(bytes, true))) ?? decodeByWords(bytes);
  if (text.includes('\0')) throw notText('no text');
  return text.replace(/\r\n?/g, '\n');
}

const notText = (what: string) => invalidInput(`The file is ${what}. Export CSV, OFX, QIF, CAMT or MT940.`);

/** UTF-16 without a mark, by the bytes that are zero in most letters of a bank's file. */
function wideEncodingOf(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, 2_000);
  const zeros = [0, 1].map((parity) => sample.filter((byte, at) => at % 2 === parity && byte === 0).length);
  const [even = 0, odd = 0] = zeros;
  const isMost = (count: number, other: number) => count * 4 > sample.length && other * 20 < count;
  return isMost(odd, even) ? 'utf-16le' : isMost(even, odd) ? 'utf-16be' : undefined;
}

const decode = (bytes: Uint8Array, encoding: string, options?: { readonly stream: boolean }) =>
  new TextDecoder(encoding, { fatal: true }).decode(bytes, options);

/** Decoders throw for bytes that are no text in their encoding. */
function unlessInvalid(decoded: () => string): string | undefined {
  try {
    return decoded();
  } catch {
    return undefined;
  }
}

/** The characters of windows-1252 from 0x80 to 0x9f. The decoder of Node.js 20 takes them for control characters. */
const OF_WINDOWS = [...'€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'];

const western = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (each) => OF_WINDOWS[each.charCodeAt(0) - 0x80] ?? each);

/** Those of languages of many banks. If several make as many words, the first one is taken. */
const codePages = [
  'windows-1250',
  'windows-1251',
  'windows-1254',
  'windows-1257',
  'windows-1253',
  'koi8-r',
  'ibm866',
  'gb18030',
  'shift_jis',
  'euc-kr',
];
/** Enough bytes to see the names of columns and many rows. */
const SAMPLE = 20_000;

function decodeByWords(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, SAMPLE);
  let best = { score: wordsIn(western(sample)), encoding: '' };
  for (const encoding of codePages) {
    // The last letter may be cut.
    const text = unlessInvalid(() => decode(sample, encoding, { stream: true }));
    const score = text === undefined ? Number.NEGATIVE_INFINITY : wordsIn(text);
    if (score > best.score) best = { score, encoding };
  }
  const { encoding } = best;
  return (encoding === '' ? undefined : unlessInvalid(() => decode(bytes, encoding))) ?? western(bytes);
}

const CHECKED = 4_000;

const scripts = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u,
  /\p{Script=Hangul}/u,
];

/** How much the letters beyond ASCII look like those of words: one script, small after the first, no signs within. */
function wordsIn(text: string): number {
  let score = 0;
  const words = text.split(/[\s,;|"]+/).filter((each) => /[\u0080-\uffff]/.test(each));
  for (const word of words.slice(0, CHECKED)) {
    const letters = word.replace(/[^\u0080-\uffff]/g, '');
    const found = scripts.filter((script) => script.test(word));
    const [inner = ''] = /\p{L}.*\p{L}|\p{L}/u.exec(word) ?? [];
    if (found.length > 1 || /\p{L}[^\p{L}\p{M}\s!-@[-`{-~]+\p{L}/u.test(inner)) score -= 4;
    else if (/\p{Ll}\p{Lu}/u.test(word)) score -= 2;
    else if (/[^\p{L}\p{M}\s!-@[-`{-~€£–—…„“”’«»§°]/u.test(letters)) score -= 2;
    // Texts of Japan have kana and those of Korea Hangul, and the same bytes are rare signs in another code page.
    else if (/[\u3041-\u30ff\uac00-\ud7a3]/.test(word)) score += 3;
    // A word of one script that has no letters of ASCII is no word of a Latin language.
    else if (scripts[0]?.test(word)) score += letters === inner && inner.length > 2 ? -2 : 1;
    else score += 2;
  }
  const lines = text
    .split(/[\r\n]+/, 30)
    .map((line) => line.split(/[,;\t|]/).map((cell) => cell.replaceAll('"', '')));
  return score + 5 * Math.max(...lines.map(knownNames));
}
