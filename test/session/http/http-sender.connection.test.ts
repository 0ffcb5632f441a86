import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startForwardProxy } from '../../forward-proxy.helper.ts';
import { sendJson, serveHttp, serveTcp, unusedUrl } from '../../local-server.helper.ts';
import { failureOf, startSender } from '../sending.helper.ts';

describe('a service that cannot be reached', () => {
  test.each(['127.0.0.1', 'localhost'])(
    'a service that refuses the connection on %s is unreachable',
    async (host) => {
      const url = (await unusedUrl()).replace('127.0.0.1', host);
      const failure = await failureOf(startSender().get(url));
      expect(failure).toMatchObject({ code: 'unreachable', retryable: true });
      expect(failure.message).toContain('ECONNREFUSED');
    },
  );
});

describe('a lost connection', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

  test.each<[string, (socket: Socket) => void]>([
    ['with a reset before the headers', (socket) => socket.resetAndDestroy()],
    ['with an end before the headers', (socket) => socket.end()],
    ['in the middle of the headers', (socket) => socket.end(head)],
    [
      'with a reset in the middle of the body',
      (socket) => socket.write(`${head}content-length: 100\r\n\r\n{"da`, () => socket.resetAndDestroy()),
    ],
    [
      'with an end short of its Content-Length',
      (socket) => socket.end(`${head}content-length: 100\r\n\r\n{"data": {}}`),
    ],
    [
      'with an end before the last chunk',
      (socket) => socket.end(`${head}transfer-encoding: chunked\r\n\r\n5\r\n{"dat\r\n`),
    ],
    [
      'with an end in the middle of a chunk',
      (socket) => socket.end(`${head}transfer-encoding: chunked\r\n\r\n5\r\n{"d`),
    ],
  ])('a connection %s is lost, and the request may be repeated', async (_, breakOff) => {
    const server = await serveTcp(breakOff);
    const failure = await failureOf(startSender().get(server.url));
    expect(failure).toMatchObject({ code: 'connection_lost', retryable: true });
    expect(server.connections).toHaveLength(1);
  });

  test('a lost connection does not affect the next request', async () => {
    let times = 0;
    const server = await serveHttp((request, response) => {
      times += 1;
      if (times === 1) request.socket.resetAndDestroy();
      else sendJson(response, { times });
    });
    const { get } = startSender();
    expect((await failureOf(get(server.url))).code).toBe('connection_lost');
    expect((await get(server.url)).body).toBe('{"times":2}');
  });

  test('a connection that the service has closed while it was idle is not used for a write', async () => {
    const closed: Promise<unknown>[] = [];
    const server = await serveTcp((socket) => {
      closed.push(once(socket, 'finish'));
      socket.end(`${head}content-length: 2\r\n\r\n{}`);
    });
    const { sender, get } = startSender();
    await get(server.url);
    await Promise.all(closed);
    const sent = await sender.send({ method: 'POST', url: server.url, headers: {}, body: '{}' });
    expect(sent.status).toBe(200);
    expect(server.connections).toHaveLength(2);
  });

  test('a server that does not speak HTTP gives an unexpected response', async () => {
    const server = await serveTcp((socket) => socket.end('220 mail.example.com ESMTP\r\n'));
    const failure = await failureOf(startSender().get(server.url));
    expect(failure).toMatchObject({ code: 'unexpected_response', retryable: false });
  });
});

describe('a proxy', () => {
  const answering = () => serveHttp((_, response) => sendJson(response, { from: 'origin' }));

  test('a configured proxy carries the request, also to a name that only the proxy can resolve', async () => {
    const proxy = await startForwardProxy(await answering());
    const { get } = startSender({ proxy: { httpProxy: proxy.url, httpsProxy: '', noProxy: '' } });
    expect((await get('http://budget.invalid/v1/user')).body).toBe('{"from":"origin"}');
    expect(proxy.requested).toHaveLength(1);
    expect(proxy.requested[0]?.target).toContain('budget.invalid');
  });

  test('a proxy is not used for the hosts of noProxy', async () => {
    const origin = await answering();
    const proxy = await startForwardProxy(origin);
    const noProxy = 'other.example.com,127.0.0.1';
    const { get } = startSender({ proxy: { httpProxy: proxy.url, httpsProxy: proxy.url, noProxy } });
    expect((await get(origin.url)).body).toBe('{"from":"origin"}');
    expect(proxy.connections).toHaveLength(0);
  });

  test('empty proxy settings mean no proxy', async () => {
    const origin = await answering();
    const { get } = startSender({ proxy: { httpProxy: '', httpsProxy: '', noProxy: '' } });
    expect((await get(origin.url)).body).toBe('{"from":"origin"}');
  });

  test('a proxy gets a tunnel for https and never sees the token, and if it refuses, the service is unreachable', async () => {
    const proxy = await startForwardProxy();
    const { get } = startSender({ proxy: { httpProxy: '', httpsProxy: proxy.url, noProxy: '' } });
    expect((await failureOf(get('https://budget.invalid/v1/user'))).code).toBe('unreachable');
    expect(proxy.requested.map(({ target }) => target)).toEqual(['budget.invalid:443']);
    expect(JSON.stringify(proxy.requested)).not.toContain('secret');
  });

  test('a proxy that does not exist makes the service unreachable', async () => {
    const { get } = startSender({ proxy: { httpProxy: await unusedUrl(), httpsProxy: '', noProxy: '' } });
    expect((await failureOf(get('http://budget.invalid/v1/user'))).code).toBe('unreachable');
  });
});
