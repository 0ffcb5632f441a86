import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeUnseen, quote, quoteStart, visible, word } from '../../src/base/quote.ts';
import { fuzzRuns } from '../fuzz.helper.ts';

describe('a quoted text', () => {
  test.each([
    ['Café שוק 食品', 'letters of any script'],
    ['👩‍👧 👩🏽‍💻 🏳️‍🌈 ❤️‍🔥', 'emoji that are shown as one'],
    ['☕️ 1️⃣', 'the selector that gives an emoji its colour'],
    ['نمی‌دانم क्‍ष', 'joiners between letters that need them'],
  ])('a quoted text keeps %s (%s)', (text) => {
    expect(quote(text)).toBe(`"${text}"`);
  });

  test.each([
    ['variation selectors', 'a\ufe00b\ufe0f', '"a\\ufe00b\\ufe0f"'],
    [
      'the supplementary ones, which can encode any bytes',
      'a\u{e0100}\u{e01ef}',
      '"a\\udb40\\udd00\\udb40\\uddef"',
    ],
    ['a second selector after an emoji', '☕\ufe0f\ufe0f', '"☕\ufe0f\\ufe0f"'],
    ['joiners where none are needed', 'a\u200db\u200c', '"a\\u200db\\u200c"'],
    ['line separators and C1 controls', '\u2028\u2029\u0085\u009b', '"\\u2028\\u2029\\u0085\\u009b"'],
    ['marks of direction', '\u202e\u2066\u200f\u061c', '"\\u202e\\u2066\\u200f\\u061c"'],
    ['letters that are blank', '\u115f\u3164\u034f', '"\\u115f\\u3164\\u034f"'],
  ])('a quoted text has %s escaped', (_, text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });

  test('a quoted text can be limited in length', () => {
    expect(quoteStart('abcdef', 3)).toBe('"abc…"');
    expect(quoteStart('abc', 3)).toBe('"abc"');
  });
});

test.each([
  '5b3f1a6e-9d0c-4a52-8f6e-0a1b2c3d4e5f_2026-11-21',
  '2026-11-20T08:00:00+00:00',
  'DD/MM/YYYY',
  '123,456.78',
  '',
])('the word %j is not quoted', (text) => {
  expect(word(text)).toBe(text);
});

test.each([
  ['two words', '"two words"'],
  ['line\nbreak', '"line\\nbreak"'],
  ['x" · deleted', '"x\\" · deleted"'],
  ['x'.repeat(201), `"${'x'.repeat(200)}…"`],
])('%j is not one word and is quoted', (text, quoted) => {
  expect(word(text)).toBe(quoted);
});

test('a text without quotes has no invisible characters', () => {
  expect(visible('د.إ.\u200f')).toBe('د.إ.');
  expect(visible('$\n\u202e')).toBe('$');
});

test('escaping invisible characters does not change the value of a JSON text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      expect(JSON.parse(escapeUnseen(json))).toEqual(JSON.parse(json));
    }),
    { numRuns: fuzzRuns(200) },
  );
});
