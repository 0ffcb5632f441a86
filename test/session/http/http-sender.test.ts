import { describe, expect, test } from 'vitest';
import { sendJson, serveHttp } from '../../local-server.helper.ts';
import { failureOf, hungUp, servePatiently, startSender } from '../sending.helper.ts';

describe('a request', () => {
  test('a request returns status, headers in lower case and body for every status', async () => {
    const server = await serveHttp((_, response) => sendJson(response, { grün: '€' }, 404));
    const { status, headers, body } = await startSender().get(server.url);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body)).toEqual({ grün: '€' });
  });

  test('a request sends method, path, query, headers and body as they are, and accepts gzip', async () => {
    const seen: unknown[] = [];
    const server = await serveHttp(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push(
        request.method,
        request.url,
        request.headers['x-own'],
        request.headers['accept-encoding'],
        body,
      );
      sendJson(response, {});
    });
    const { sender } = startSender();
    const url = `${server.url}/v1/a%2Fb?c=d%20e`;
    await sender.send({ method: 'PATCH', url, headers: { 'x-own': 'yes' }, body: '{"é":1}' });
    expect(seen).toEqual(['PATCH', '/v1/a%2Fb?c=d%20e', 'yes', 'gzip', '{"é":1}']);
  });

  test('a request leaves its connection to the next one', async () => {
    const server = await serveHttp((_, response) => sendJson(response, { data: 'x'.repeat(60_000) }));
    const { get } = startSender();
    for (let i = 0; i < 10; i++) await get(server.url);
    // Two, because undici frees a connection only a turn of the event loop after the end of the body.
    expect(server.connections.length).toBeLessThanOrEqual(2);
  });

  test('a request does not wait for another one that is slow', async () => {
    const server = await servePatiently();
    const { get } = startSender();
    const slow = get(`${server.url}/slow`);
    const first = await server.next();
    const quick = get(`${server.url}/quick`);
    sendJson((await server.next()).response, { quick: true });
    expect((await quick).body).toBe('{"quick":true}');
    sendJson(first.response, { slow: true });
    expect((await slow).body).toBe('{"slow":true}');
  });

  test('a request does not follow a redirect: no second request, no token elsewhere', async () => {
    let asked = 0;
    const elsewhere = await serveHttp((_, response) => {
      asked += 1;
      sendJson(response, {});
    });
    const server = await serveHttp((_, response) =>
      response.writeHead(302, { location: elsewhere.url }).end('gone'),
    );
    const { status, headers, body } = await startSender().get(server.url);
    expect([status, headers['location'], body]).toEqual([302, elsewhere.url, 'gone']);
    expect([asked, elsewhere.connections.length]).toEqual([0, 0]);
  });
});

describe('the time limit', () => {
  test('the time limit ends a request without a response, and closes the connection', async () => {
    const server = await servePatiently();
    const { get, clock } = startSender();
    const failure = failureOf(get(server.url));
    const exchange = await server.next();
    const closed = hungUp(exchange);
    clock.advance(40_000);
    expect(await failure).toMatchObject({ code: 'timed_out', message: 'No response within 40 s.' });
    await closed;
  });

  test('the time limit applies to the whole request, and single bytes do not extend it', async () => {
    const server = await servePatiently();
    const { get, clock } = startSender({ timeoutMs: 3000 });
    const failure = failureOf(get(server.url));
    const exchange = await server.next();
    const closed = hungUp(exchange);
    exchange.response.writeHead(200, { 'content-length': 1000 });
    for (let second = 0; second < 3; second++) {
      await new Promise<unknown>((written) => exchange.response.write('x', written));
      clock.advance(1000);
    }
    expect((await failure).code).toBe('timed_out');
    await closed;
  });

  test('the time limit does not affect a response a millisecond before it', async () => {
    const server = await servePatiently();
    const { get, clock } = startSender();
    const sent = get(server.url);
    const { response } = await server.next();
    clock.advance(39_999);
    sendJson(response, { in: 'time' });
    expect((await sent).body).toBe('{"in":"time"}');
  });

  test('the time limit starts again with every request', async () => {
    const server = await servePatiently();
    const { get, clock } = startSender();
    for (let i = 0; i < 3; i++) {
      const sent = get(server.url);
      const { response } = await server.next();
      clock.advance(30_000);
      sendJson(response, {});
      await sent;
    }
  });
});

describe('cancellation', () => {
  test('cancellation ends the request and closes the connection', async () => {
    const server = await servePatiently();
    const cancel = new AbortController();
    const failure = failureOf(startSender().get(server.url, cancel.signal));
    const closed = hungUp(await server.next());
    cancel.abort();
    expect((await failure).code).toBe('cancelled');
    await closed;
  });

  test('cancellation in the middle of a body ends the request', async () => {
    const server = await servePatiently();
    const cancel = new AbortController();
    const failure = failureOf(startSender().get(server.url, cancel.signal));
    const exchange = await server.next();
    const closed = hungUp(exchange);
    exchange.response.write('half', () => cancel.abort());
    expect((await failure).code).toBe('cancelled');
    await closed;
  });

  test('cancellation before the start sends no request', async () => {
    const server = await servePatiently();
    const { get } = startSender();
    expect((await failureOf(get(`${server.url}/never`, AbortSignal.abort()))).code).toBe('cancelled');
    const sent = get(`${server.url}/later`);
    sendJson((await server.next()).response, {});
    await sent;
    expect(server.paths).toEqual(['/later']);
  });

  test('cancellation of one request does not affect another', async () => {
    const server = await servePatiently();
    const { get } = startSender();
    const cancel = new AbortController();
    const failure = failureOf(get(`${server.url}/cancelled`, cancel.signal));
    const cancelled = await server.next();
    const sent = get(`${server.url}/kept`);
    const kept = await server.next();
    const closed = hungUp(cancelled);
    cancel.abort();
    expect((await failure).code).toBe('cancelled');
    await closed;
    sendJson(kept.response, { kept: true });
    expect((await sent).body).toBe('{"kept":true}');
    expect(server.paths).toEqual(['/cancelled', '/kept']);
  });

  test('cancellation after the end does not affect the next request', async () => {
    const server = await servePatiently();
    const { get } = startSender();
    const cancel = new AbortController();
    const first = get(server.url, cancel.signal);
    sendJson((await server.next()).response, { n: 1 });
    await first;
    const second = get(server.url);
    const { response } = await server.next();
    cancel.abort();
    sendJson(response, { n: 2 });
    expect((await second).body).toBe('{"n":2}');
  });
});
