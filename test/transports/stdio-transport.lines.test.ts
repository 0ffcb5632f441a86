import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from '../../src/transports/stdio-transport.ts';
import { cuts, pieces } from './pieces.helper.ts';

const MAX = 40;

function linesOf(bytes: Buffer, at: readonly number[]) {
  const splitter = new LineSplitter(MAX);
  return pieces(bytes, at).flatMap((piece) => [...splitter.split(piece)]);
}

test('lines do not depend on where the bytes are cut, and a line that is too long costs no other line', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { maxLength: 10 }),
      cuts,
      (all, at) => {
        const lines = all.map((line) => Buffer.from(line.replaceAll('\n', ' ')).toString());
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const expected = lines.map((line) => (Buffer.byteLength(line) <= MAX ? line : undefined));
        expect(linesOf(bytes, at)).toEqual(expected);
      },
    ),
  );
});

test('a line without an end is not returned', () => {
  expect(linesOf(Buffer.from('one\ntwo'), [])).toEqual(['one']);
});
