import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from '../../../src/transports/stdio/lines.ts';
import { MessageOutline } from '../../../src/transports/stdio/message-outline.ts';
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
        const expected = lines.map((text) => {
          const length = Buffer.byteLength(text);
          return length <= MAX ? { text, bytes: length } : { tooLong: expect.any(MessageOutline) };
        });
        expect(linesOf(bytes, at)).toEqual(expected);
      },
    ),
  );
});

test('a line without an end is not returned', () => {
  expect(linesOf(Buffer.from('one\ntwo'), [])).toEqual([{ text: 'one', bytes: 3 }]);
});

test('the id of a message that is too long is found', () => {
  const long = { jsonrpc: '2.0', method: 'tools/call', params: { text: 'x'.repeat(100) }, id: 7 };
  const [line, next] = linesOf(Buffer.from(`${JSON.stringify(long)}\n{}\n`), [0.1, 0.5]);
  expect(line).toMatchObject({ tooLong: { requestId: 7 } });
  expect(next).toEqual({ text: '{}', bytes: 2 });
});

test('the id of a request is found among any members', () => {
  const id = fc.oneof(fc.integer(), fc.string({ maxLength: 40 }));
  const others = fc.dictionary(
    fc.string({ maxLength: 10 }).filter((key) => key !== 'id' && key !== 'method'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(others, id, others, cuts, fc.nat(3), (before, id, after, at, indent) => {
      const request = { ...before, method: 'tools/call', params: { id: 'another', method: 1 }, id, ...after };
      const outline = new MessageOutline();
      for (const piece of pieces(Buffer.from(JSON.stringify(request, null, indent)), at)) outline.read(piece);
      expect(outline.requestId).toBe(id);
    }),
  );
});

test.each([
  ['a response, since its id is one of ours', { id: 1, result: { method: 'x' } }],
  ['a notification', { method: 'notifications/initialized', params: { id: 1 } }],
  ['a batch', [{ id: 1, method: 'ping' }]],
  ['a request whose id is no id', { id: { id: 1 }, method: 'ping' }],
  ['a request whose id is a fraction', { id: 1.5, method: 'ping' }],
  ['a request whose id is longer than the limit', { id: 'x'.repeat(1_000), method: 'ping' }],
  ['a text', '"id":1,"method":"ping"'],
])('no id is found in %s', (_, message) => {
  const outline = new MessageOutline();
  outline.read(Buffer.from(JSON.stringify(message)));
  expect(outline.requestId).toBeUndefined();
});

test('at most one short member is kept, whatever is read', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      const outline = new MessageOutline();
      outline.read(bytes);
      expect(String(outline.requestId ?? '').length).toBeLessThanOrEqual(512);
    }),
  );
});
