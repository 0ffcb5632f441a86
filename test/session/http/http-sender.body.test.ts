import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { serveHttp } from '../../local-server.helper.ts';
import { failureOf, hungUp, servePatiently, startSender } from '../sending.helper.ts';

const getAtMost = (maxBytes: number, { url }: { readonly url: string }) =>
  startSender().sender.send({ method: 'GET', url, headers: {}, maxBytes });

describe('the size limit of a body', () => {
  test('the size limit allows a body of exactly that size', async () => {
    const server = await serveHttp((_, response) => response.end('x'.repeat(1000)));
    expect((await getAtMost(1000, server)).body).toHaveLength(1000);
  });

  test('the size limit refuses one byte more', async () => {
    const server = await serveHttp((_, response) => response.end('x'.repeat(1001)));
    expect(await failureOf(getAtMost(1000, server))).toMatchObject({
      code: 'unexpected_response',
      message: expect.stringContaining('larger than'),
    });
  });

  test('the size limit is 64 KiB if the request sets none', async () => {
    let size = 64 * 1024;
    const server = await serveHttp((_, response) => response.end('x'.repeat(size)));
    expect((await startSender().get(server.url)).body).toHaveLength(size);
    size += 1;
    expect((await failureOf(startSender().get(server.url))).message).toMatch('larger than');
  });

  test('the size limit of an error response is 64 KiB, and its status counts also if its body is larger', async () => {
    let size = 64 * 1024;
    const server = await serveHttp((_, response) => response.writeHead(503).end('x'.repeat(size)));
    expect(await getAtMost(2 ** 20, server)).toMatchObject({ status: 503, body: 'x'.repeat(size) });
    size += 1;
    expect(await getAtMost(2 ** 20, server)).toMatchObject({ status: 503, body: '' });
  });

  test('the size limit of a compressed error response is 64 KiB', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const server = await serveHttp((_, response) =>
      response.writeHead(401, { 'content-encoding': 'gzip' }).end(bomb),
    );
    expect(await getAtMost(2 ** 20, server)).toMatchObject({ status: 401, body: '' });
  });

  test('the size limit closes the connection of a body without end', async () => {
    const server = await servePatiently();
    const failure = failureOf(getAtMost(1000, server));
    const exchange = await server.next();
    const closed = hungUp(exchange);
    exchange.response.write('x'.repeat(2000));
    expect((await failure).code).toBe('unexpected_response');
    await closed;
  });

  test.each([
    [20_000_000, 21_000],
    [2_000_000, 3_000],
  ])(
    'the size limit applies after decompression: %i bytes compressed to less than %i are refused',
    async (size, compressed) => {
      const bomb = gzipSync(Buffer.alloc(size));
      expect(bomb.length).toBeLessThan(compressed);
      const server = await serveHttp((_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      );
      expect(await failureOf(getAtMost(100_000, server))).toMatchObject({
        code: 'unexpected_response',
        message: expect.stringContaining('larger than'),
      });
    },
  );
});

describe('a compressed body', () => {
  const packedAs = (encoding: string, body: Buffer) =>
    serveHttp((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));

  test.each(['Bücher', randomBytes(6_000).toString('hex')])(
    'a gzip body is decompressed: %#',
    async (data) => {
      const server = await packedAs('gzip', gzipSync(`{"data":"${data}"}`));
      expect((await startSender().get(server.url)).body).toBe(`{"data":"${data}"}`);
    },
  );

  test('a body with the encoding identity is returned as it is', async () => {
    const server = await packedAs('identity', Buffer.from('{}'));
    expect((await startSender().get(server.url)).body).toBe('{}');
  });

  test.each([
    ['broken', Buffer.from('not gzip at all')],
    ['cut off', gzipSync('{"data":"Bücher"}').subarray(0, 20)],
  ])('a compressed body that is %s is an unexpected response', async (_, body) => {
    const server = await packedAs('gzip', body);
    expect((await failureOf(startSender().get(server.url))).code).toBe('unexpected_response');
  });

  test('a body with an unknown encoding is an unexpected response that names the encoding', async () => {
    const server = await packedAs('br', Buffer.from('...'));
    const failure = await failureOf(startSender().get(server.url));
    expect(failure).toMatchObject({ code: 'unexpected_response', message: expect.stringContaining('br') });
  });
});
