import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { parseJsonInParts } from '../../src/base/json-parts.ts';
import { atOnce } from '../../src/base/turns.ts';
import { fuzzRuns } from '../fuzz.helper.ts';

const parse = (json: string, partBytes: number, textOf = (bytes: Buffer) => bytes.toString()) =>
  atOnce(parseJsonInParts(Buffer.from(json), { textOf, partBytes }));

/** Text that looks like the separator between two elements, and what has to be escaped. */
const pieces = ['},{"id":', '"', '\\', '{', '}', '[', ']', ',', ':', '\n', 'é', '漢', '😀', '\ud800', 'a'];
const string = fc.string({ unit: fc.constantFrom(...pieces), maxLength: 6 });
const name = fc.oneof(fc.constantFrom('id', 'budget', '__proto__', 'constructor', ''), string);
const space = fc.constantFrom('', '', '', ' ', '\n\t', ' \r\n ');

/** JSON of any form, in which names may occur twice in an object. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom('null', 'true', '-1.5e3', '0', '[]', '{}', '[ ]'),
      fc.tuple(string, fc.boolean()).map(([text, isEscaped]) => quoted(text, isEscaped)),
    ),
    fc
      .tuple(space, fc.array(tie('json'), { maxLength: 5 }))
      .map(([gap, all]) => `[${gap}${all.join(`${gap},${gap}`)}]`),
    fc
      .tuple(space, fc.array(fc.tuple(name, tie('json')), { maxLength: 4 }))
      .map(([gap, all]) => `{${all.map(([key, value]) => `${quoted(key)}${gap}:${value}`).join(`,${gap}`)}}`),
    fc
      .tuple(name, fc.array(tie('json'), { maxLength: 6 }))
      .map(([key, all]) => `[${all.map((value) => `{${quoted(key)}:${value}}`).join(',')}]`),
  ),
}));

const quoted = (text: string, isEscaped = false) =>
  isEscaped
    ? `"${[...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
    : JSON.stringify(text);

/** `toStrictEqual` takes a field with the name `constructor` for the type of its object. */
const expectSame = (actual: unknown, expected: unknown) =>
  expect(isDeepStrictEqual(actual, expected), JSON.stringify(actual)).toBe(true);

const partBytes = fc.integer({ min: 1, max: 60 });

test('a text that is parsed in parts has the same value as with JSON.parse', () => {
  fc.assert(
    fc.property(json, partBytes, (text, bytes) => {
      expectSame(parse(text, bytes), JSON.parse(text));
    }),
    { numRuns: fuzzRuns(2_000) },
  );
});

test('a damaged text is refused in parts exactly if JSON.parse refuses it', () => {
  const seen = { valid: 0, invalid: 0 };
  const place = fc.nat();
  const damage = fc.oneof(
    fc.record({
      at: place,
      inserted: fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', ':', '0', ' ', 'x'),
    }),
    fc.record({ at: place, removed: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ at: place, removed: fc.constant(Number.POSITIVE_INFINITY) }),
    fc.record({ at: place, removed: fc.constant(1), inserted: fc.constantFrom(']', '}', ',', '"') }),
  );
  fc.assert(
    fc.property(json, fc.array(damage, { minLength: 1, maxLength: 2 }), partBytes, (text, all, bytes) => {
      const damaged = all.reduce((before, { at, ...each }) => {
        const start = at % (before.length + 1);
        const removed = 'removed' in each ? each.removed : 0;
        const inserted = 'inserted' in each ? each.inserted : '';
        const after = before.slice(0, start) + inserted + before.slice(start + removed);
        // Half of a pair of surrogates becomes another character in bytes.
        return Buffer.from(after).toString();
      }, text);
      const value = parseJson(damaged);
      seen[value === undefined ? 'invalid' : 'valid'] += 1;
      expectSame(parse(damaged, bytes), value);
    }),
    { numRuns: fuzzRuns(3_000) },
  );
  expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(100);
});

test.each([
  '[1,]',
  '[,1]',
  '[1,,2]',
  '[,]',
  '[1}',
  '{"a":[1}',
  '[1]]',
  ']',
  '[',
  '{"a":[{}',
  '',
  ' ',
  '[1][2]',
  '[1],[2]',
])('the text %j is refused in parts of any size', (text) => {
  for (const bytes of [1, 2, 3, 100]) expect(parse(text, bytes)).toBeUndefined();
});

test('bytes that are not valid UTF-8 are replaced as in the text of the whole', () => {
  for (const bytes of [[0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80]]) {
    const body = Buffer.concat([
      Buffer.from('[{"a":"'),
      Buffer.from(bytes),
      Buffer.from('"},{"a":"'),
      Buffer.from(bytes),
      Buffer.from('é"}]'),
    ]);
    const textOf = (part: Buffer) => part.toString();
    const value = atOnce(parseJsonInParts(body, { textOf, partBytes: 1 }));
    expect(value).toStrictEqual(JSON.parse(body.toString()));
  }
});

test('an outline with very deep nesting is parsed like any other', () => {
  const depth = 20_000;
  const text = `${'{"a":'.repeat(depth)}[1,2]${'}'.repeat(depth)}`;
  let value = parse(text, 1);
  for (let level = 0; level < depth; level += 1) value = Object(value).a;
  expect(value).toEqual([1, 2]);
});

test('no part is much longer than its limit, and other work can run after every few', () => {
  const rows = Array.from({ length: 3_000 }, (_, at) => ({
    id: `row ${at}`,
    memo: at % 7 === 0 ? '},{"id":"' : 'é',
    lines: [{ id: 'a' }, { id: at }],
  }));
  for (const spaces of [0, 2]) {
    const lengths: number[] = [];
    const textOf = (bytes: Buffer) => {
      lengths.push(bytes.length);
      return bytes.toString();
    };
    const bytes = Buffer.from(JSON.stringify({ data: { rows, others: rows } }, null, spaces));
    const steps = parseJsonInParts(bytes, { textOf, partBytes: 1_000 });
    let turns = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) turns += 1;
    expect(step.value).toEqual({ data: { rows, others: rows } });
    const outline = lengths.pop();
    expect(outline).toBeLessThan(bytes.length / 10);
    expect(Math.max(...lengths)).toBeLessThan(2_000);
    // Eight parts, each shorter than two thousand bytes.
    expect(turns).toBeGreaterThan(Math.floor(bytes.length / 16_000));
  }
});
