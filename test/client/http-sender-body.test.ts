import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { serveHttp } from '../local-server.ts';
import { failureOf, hungUp, servePatiently, startSender } from './sending.ts';

describe('the bound on a body', () => {
  test('allows a body of that size', async () => {
    const server = await serveHttp((_, response) => response.end('x'.repeat(1000)));
    expect((await startSender({ maxBodyBytes: 1000 }).get(server.url)).body).toHaveLength(1000);
  });

  test('refuses one byte more', async () => {
    const server = await serveHttp((_, response) => response.end('x'.repeat(1001)));
    const failure = await failureOf(startSender({ maxBodyBytes: 1000 }).get(server.url));
    expect(failure).toMatchObject({
      code: 'unexpected_response',
      message: expect.stringContaining('larger than'),
    });
  });

  test('hangs up on a body without end', async () => {
    const server = await servePatiently();
    const failure = failureOf(startSender({ maxBodyBytes: 1000 }).get(server.url));
    const exchange = await server.next();
    const closed = hungUp(exchange);
    exchange.response.write('x'.repeat(2000));
    expect((await failure).code).toBe('unexpected_response');
    await closed;
  });

  test('holds unpacked: 20 MB in some 20 KB are refused', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    expect(bomb.length).toBeLessThan(100_000);
    const server = await serveHttp((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const failure = await failureOf(startSender({ maxBodyBytes: 100_000 }).get(server.url));
    expect(failure).toMatchObject({
      code: 'unexpected_response',
      message: expect.stringContaining('larger than'),
    });
  });
});

describe('a packed body', () => {
  const packedAs = (encoding: string, body: Buffer) =>
    serveHttp((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));

  test('of gzip is unpacked', async () => {
    const server = await packedAs('gzip', gzipSync('{"data":"Bücher"}'));
    expect((await startSender().get(server.url)).body).toBe('{"data":"Bücher"}');
  });

  test('that is not packed may say so', async () => {
    const server = await packedAs('identity', Buffer.from('{}'));
    expect((await startSender().get(server.url)).body).toBe('{}');
  });

  test.each([
    ['broken', Buffer.from('not gzip at all')],
    ['cut off', gzipSync('{"data":"Bücher"}').subarray(0, 20)],
  ])('that is %s is an unexpected response', async (_, body) => {
    const server = await packedAs('gzip', body);
    expect((await failureOf(startSender().get(server.url))).code).toBe('unexpected_response');
  });

  test('in a way that nobody asked for is an unexpected response that names it', async () => {
    const server = await packedAs('br', Buffer.from('...'));
    const failure = await failureOf(startSender().get(server.url));
    expect(failure).toMatchObject({ code: 'unexpected_response', message: expect.stringContaining('br') });
  });
});
