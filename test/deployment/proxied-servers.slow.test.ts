import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Arrivals } from '../arrivals.helper.ts';
import { noCaddy } from '../caddy.helper.ts';
import { newHome } from '../home.helper.ts';
import { composeDirectory } from './compose-file.helper.ts';
import { startProxied, triesBodiesAgain } from './proxied-servers.helper.ts';

const post = (body: string) => ({ method: 'POST', body });

/** More than three, so that each server gets some. */
const NINE = Array.from({ length: 9 }, (_, index) => index);

describe.skipIf(noCaddy)('the Caddyfile of docs/compose', () => {
  test('is valid for a name of a site, which gets HTTPS', async () => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      ...(await newHome()),
      SITE: 'budget.example.com',
    };
    const caddy = async (command: string) =>
      promisify(execFile)(
        'caddy',
        [command, '--config', join(composeDirectory, 'Caddyfile'), '--adapter', 'caddyfile'],
        {
          env,
        },
      );
    expect((await caddy('validate')).stderr).not.toContain('"level":"warn"');
    const { stdout } = await caddy('adapt');
    expect(stdout).toContain('"listen":[":443"]');
    expect(stdout).toContain('"host":["budget.example.com"]');
    for (const number of [1, 2, 3]) expect(stdout).toContain(`"dial":"server-${number}:3000"`);
  });

  test('keeps the requests with one token at one server, and has tokens for all servers', async () => {
    const { site, servers, tokens } = await startProxied();
    for (const [nth, headers] of (await tokens()).entries())
      for (const index of NINE) {
        const response = await fetch(`${site}/mcp`, { ...post(`${index}`), headers });
        expect(await response.text()).toBe(servers[nth]?.address);
      }
  });

  test('sends the requests of a token to another server while its own is not ready', async () => {
    const { site, servers, tokens } = await startProxied();
    const [headers] = await tokens();
    const [first = expect.unreachable()] = servers;
    const answering = async () =>
      (await fetch(`${site}/mcp`, { ...post(''), ...(headers && { headers }) })).text();
    first.isReady = false;
    await expect.poll(answering).not.toBe(first.address);
    const other = await answering();
    for (const _ of NINE) expect(await answering()).toBe(other);
    first.isReady = true;
    await expect.poll(answering).toBe(first.address);
  });

  test('tries another server where a connection is refused, and answers 502 only if the request was sent nowhere', async () => {
    const { site, servers, received } = await startProxied();
    servers[0]?.stop();
    const read = await Promise.all(NINE.map(() => fetch(`${site}/.well-known/oauth-protected-resource`)));
    for (const { status } of read) expect(status).toBe(200);
    servers[1]?.stop();
    const written = await Promise.all(NINE.map((index) => fetch(`${site}/mcp`, post(`${index}`))));
    const answered = written.filter(({ status }) => status === 200);
    expect(received().filter(({ method }) => method === 'POST')).toHaveLength(answered.length);
    if (triesBodiesAgain) expect(answered).toHaveLength(NINE.length);
    for (const { status, headers } of written.filter((each) => !answered.includes(each))) {
      expect(status).toBe(502);
      expect(headers.get('retry-after')).toBe('5');
    }
  });

  test.each(['a write', ''])(
    'does not send a POST again whose connection broke after it was sent: "%s"',
    async (body) => {
      const { site, received } = await startProxied((_, response) => response.destroy());
      const { status, headers } = await fetch(`${site}/mcp`, post(body));
      expect(status).toBe(502);
      expect(headers.get('retry-after')).toBe('5');
      expect(received().map((each) => each.body)).toEqual([body]);
    },
  );

  test('answers clients of OAuth with a reason that they know, so that they try again instead of signing in again', async () => {
    const { site } = await startProxied((_, response) => response.destroy());
    const response = await fetch(`${site}/oauth/token`, post('grant_type=refresh_token'));
    const { status, headers } = response;
    expect([status, headers.get('retry-after')]).toEqual([502, '5']);
    expect(headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' });
  });

  test('passes each event of a stream on at once, and the end of the connection to the server', async () => {
    const streams = new Arrivals<ServerResponse>();
    const { site } = await startProxied((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: first\n\n');
      streams.add(response);
    });
    const { body } = await fetch(`${site}/mcp`);
    const events = body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await events?.read())?.value).toBe('data: first\n\n');
    const stream = await streams.next();
    const disconnected = once(stream, 'close');
    stream.write('data: second\n\n');
    expect((await events?.read())?.value).toBe('data: second\n\n');
    await events?.cancel();
    await disconnected;
  });

  test('tells the servers the address of the caller and an id for the request, which the caller cannot choose', async () => {
    const { site, received } = await startProxied();
    const given = { 'x-forwarded-for': '203.0.113.7', 'x-request-id': 'chosen' };
    await fetch(`${site}/mcp`, { headers: given });
    await fetch(`${site}/mcp`, { headers: given });
    const [first, second] = received().map(({ headers }) => headers);
    expect(first?.['x-forwarded-for']).toBe('127.0.0.1');
    expect(first?.['x-request-id']).toMatch(/^[\w-]{36}$/);
    expect(second?.['x-request-id']).not.toBe(first?.['x-request-id']);
  });

  test('does not say which program it is, and keeps the state of the servers to itself', async () => {
    const { site, received } = await startProxied();
    const { headers } = await fetch(`${site}/mcp`);
    expect([...headers.keys()]).not.toContain('server');
    expect([...headers.keys()]).not.toContain('via');
    const before = received().length;
    expect((await fetch(`${site}/readyz`)).status).toBe(404);
    expect(received()).toHaveLength(before);
  });

  test('refuses a body that is too large, after which all servers go on to get requests', async () => {
    const { site, servers, tokens } = await startProxied();
    const ofServers = await tokens();
    for (const headers of ofServers) {
      const large = { ...post('a'.repeat(3_000_000)), headers };
      const refused = await fetch(`${site}/mcp`, large).catch(() => undefined);
      expect(refused?.status ?? 502).toBeGreaterThanOrEqual(400);
    }
    for (const [nth, headers] of ofServers.entries())
      expect(await (await fetch(`${site}/mcp`, { headers })).text()).toBe(servers[nth]?.address);
  });
});
