import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeHtml, decodeHtmlInJson } from '../../src/base/html-text.ts';

const pieces = [
  '&',
  'amp;',
  '&amp;',
  '&lt;',
  '&#39;',
  '&#x2019;',
  '&copy;',
  '&#0;',
  '&#xd800;',
  '\\',
  '"',
  '<',
  'é',
  'a',
];
const text = fc.string({ unit: fc.constantFrom(...pieces), maxLength: 8 });

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (plain: string) =>
  plain.replace(/[&<>"']/g, (character) => escapes[character] ?? character);

test('what was escaped is decoded once', () => {
  fc.assert(
    fc.property(text, (plain) => {
      expect(decodeHtml(escapeHtml(plain))).toBe(plain);
    }),
  );
});

test('every string of a JSON text is decoded, also where JSON escapes the &', () => {
  const json = fc.tuple(fc.dictionary(text, fc.oneof(text, fc.array(text))), fc.boolean());
  fc.assert(
    fc.property(json, ([value, isEscaped]) => {
      const written = JSON.stringify(value);
      const sent = isEscaped ? written.replaceAll('&', '\\u0026') : written;
      const decoded = Object.entries(value).map(([name, each]) => [
        decodeHtml(name),
        Array.isArray(each) ? each.map(decodeHtml) : decodeHtml(each),
      ]);
      expect(JSON.parse(decodeHtmlInJson(sent))).toEqual(Object.fromEntries(decoded));
    }),
  );
});

test.each([
  ['B&amp;H Photo', 'B&H Photo'],
  ['&lt;b&gt; &quot;x&quot; &apos;y&#39; &#x1F600;', '<b> "x" \'y\' 😀'],
  ['&AMP;', '&'],
  ['AT&T, R&D; &copy; &eacute; &nbsp;', 'AT&T, R&D; &copy; &eacute; &nbsp;'],
  ['&#0; &#xd800; &#x110000; &#99999999;', '&#0; &#xd800; &#x110000; &#99999999;'],
])('%s is %s', (sent, decoded) => {
  expect(decodeHtml(sent)).toBe(decoded);
});

test('the ids of imports stay as they are', () => {
  const ids = { import_id: 'a&amp;"b', duplicate_import_ids: ['a&amp;b', 'c'] };
  const row = { ...ids, import_payee_name: 'B&amp;H', memo: '"import_id": "a&amp;b"' };
  expect(JSON.parse(decodeHtmlInJson(JSON.stringify(row)))).toEqual({
    ...ids,
    import_payee_name: 'B&H',
    memo: '"import_id": "a&b"',
  });
});
