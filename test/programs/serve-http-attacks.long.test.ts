import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../auth/temporary-directory.helper.ts';
import { connectModern } from '../hosts.helper.ts';
import { Household } from '../household.helper.ts';
import { type HttpProgram, startHttpProgram } from '../http-program.helper.ts';
import {
  closed,
  connected,
  exchange,
  type Opened,
  opened,
  type RawAnswer,
  requestOf,
} from '../raw-http.helper.ts';

const OURS = 'our-own-token-for-calls-by-http-0001';
const THEIRS = 'the-token-of-another-caller-by-http-2';
const PAGE = 'http://localhost:6274';

let home: Household;
let program: HttpProgram;
/** A host that sends one byte less than announced and keeps the connection open during the other attacks. */
let withholding: Opened;
beforeAll(async () => {
  home = await Household.start();
  const args = ['--allowed-origins', PAGE];
  program = await startHttpProgram(args, { ...home.env(), BUDGET_MCP_HTTP_TOKEN: OURS });
  const request = requestOf('POST', '/mcp', { body: initialize, headers: { authorization } });
  withholding = await opened(program.port, request.slice(0, -1));
});
afterAll(async () => {
  expect(await program.stop()).toBe(0);
  await home.close();
});

const authorization = `Bearer ${OURS}`;
const send = (bytes: string) => exchange(program.port, bytes);
const post = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  send(requestOf('POST', '/mcp', { body, headers: { authorization, ...headers } }));
const get = (target: string, headers: Readonly<Record<string, string>> = {}) =>
  send(requestOf('GET', target, { headers }));

const errorOf = ({ body }: RawAnswer): unknown => JSON.parse(body).error;

const call = (id: number, method: string, params = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const initialize = call(1, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1' },
});
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = (method: string) =>
  [
    call(1, method, { _meta: envelope }),
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
  ] as const;

describe('who may come in', () => {
  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:3000', '169.254.169.254'])(
    'a request with the host name %s is refused, as from a page with DNS rebinding',
    async (host) => {
      expect(await post(initialize, { host })).toMatchObject({ status: 403 });
    },
  );

  test.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://localhost:7001',
    'http://127.0.0.1:6274',
    'https://localhost:6274',
    'tauri://localhost',
    'capacitor://localhost',
    'vscode-webview://localhost',
    'moz-extension://localhost',
    'null',
    'file://',
    'nonsense',
  ])('a page of %s is refused, even its preflight request', async (origin) => {
    expect(await post(initialize, { origin })).toMatchObject({ status: 403 });
    const preflight = await send(requestOf('OPTIONS', '/mcp', { headers: { origin } }));
    expect(preflight.status).toBe(403);
    expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('a page of an allowed origin with a token may call', async () => {
    const origin = PAGE;
    const preflight = await send(requestOf('OPTIONS', '/mcp', { headers: { origin } }));
    expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': origin } });
    expect(preflight.headers['access-control-allow-headers']).toMatch(
      /Authorization.*Mcp-Method.*Mcp-Name.*Mcp-Protocol-Version.*Mcp-Session-Id/,
    );
    const answer = await post(initialize, { origin });
    expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': origin } });
    expect(answer.headers['access-control-expose-headers']).toContain('Mcp-Session-Id');
  });

  test.each([
    ['no token', undefined, 401],
    ['a wrong one', `Bearer ${THEIRS}`, 401],
    ['a part of the right one', `Bearer ${OURS.slice(0, -1)}`, 401],
    ['more than the right one', `Bearer ${OURS}1`, 401],
    ['an empty one', 'Bearer ', 400],
    ['another scheme', `Basic ${OURS}`, 400],
  ])('a request with %s is refused', async (_, given, status) => {
    for (const bytes of [
      requestOf('GET', '/mcp', { headers: given === undefined ? {} : { authorization: given } }),
      requestOf('POST', '/mcp', {
        body: initialize,
        headers: given === undefined ? {} : { authorization: given },
      }),
    ]) {
      const answer = await send(bytes);
      expect(answer).toMatchObject({ status, headers: { 'www-authenticate': /^Bearer / } });
      expect(answer.body).not.toContain(OURS);
    }
  });

  test('a request with a token in the address is refused', async () => {
    expect(await get(`/mcp?access_token=${OURS}`)).toMatchObject({ status: 401 });
  });

  test('a request with the token of the budgeting service is refused', async () => {
    const token = `Bearer ${home.service.accessToken}`;
    expect(await post(initialize, { authorization: token })).toMatchObject({ status: 401 });
  });
});

describe('a body', () => {
  test.each([
    ['with a Content-Length', { 'content-length': String(100 * 2 ** 20) }],
    ['without a Content-Length', {}],
  ])('a body of 100 MB %s is refused after a few MB', async (_, headers) => {
    const all = { authorization, 'content-type': 'application/json', host: 'localhost', ...headers };
    const sending = request({ port: program.port, path: '/mcp', method: 'POST', headers: all });
    sending.on('error', () => {});
    let sent = 0;
    const pump = () => {
      while (sent < 100) {
        sent += 1;
        if (!sending.write(Buffer.alloc(2 ** 20, ' '))) return sending.once('drain', pump);
      }
      return sending.end();
    };
    pump();
    const [answer] = await once(sending, 'response');
    sending.destroy();
    expect(answer.statusCode).toBe(413);
    expect(sent).toBeLessThan(50);
  });

  test.each(['', '{', '{"jsonrpc":"2.0",}', 'null and void', '\u0000', '"\ud800'])(
    'a body that is not JSON is a parse error: %j',
    async (body) => {
      const answer = await post(body);
      expect(answer.status).toBe(400);
      expect(errorOf(answer)).toMatchObject({ code: -32700 });
    },
  );

  test.each([
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', '{"a":'.repeat(100_000) + 1 + '}'.repeat(100_000)],
    [
      'arguments of a tool',
      call(1, 'tools/call', { arguments: {} }).replace('{}', '['.repeat(1_000) + ']'.repeat(1_000)),
    ],
  ])('a body of deeply nested %s is refused', async (_, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ code: -32600 });
  });

  test.each(['null', '1', '"initialize"', '{}', '[]', '[[]]', '{"method":"initialize"}'])(
    'a body that is not a message is refused: %s',
    async (body) => {
      expect((await post(body)).status).toBe(400);
    },
  );

  test('a body of another type than JSON is refused', async () => {
    expect(await post(initialize, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
  });

  test('a body with both a length and chunks, which two servers may read differently, is refused', async () => {
    const bytes = requestOf('POST', '/mcp', {
      body: '0\r\n\r\n',
      headers: { authorization, 'transfer-encoding': 'chunked' },
    });
    expect(await send(bytes)).toMatchObject({ status: 400 });
  });
});

describe('a message', () => {
  test('a message with an unknown method is refused in both eras', async () => {
    const unknown = await post(...modern('no/such'));
    expect(unknown.status).toBe(404);
    expect(errorOf(unknown)).toMatchObject({ code: -32601 });
    const begun = await post(initialize);
    const session = { 'mcp-session-id': begun.headers['mcp-session-id'] ?? '' };
    expect((await post(call(2, 'no/such'), session)).body).toContain('-32601');
  });

  test('a batch is refused without a session and in the newer era', async () => {
    expect(await post(`[${call(1, 'tools/list')},${call(2, 'tools/list')}]`)).toMatchObject({ status: 400 });
    const [body, headers] = modern('tools/list');
    expect(await post(`[${body},${body}]`, headers)).toMatchObject({ status: 400 });
    expect(await post(`[${initialize},${initialize}]`)).toMatchObject({ status: 400 });
  });

  test('a message of an unknown protocol version is refused', async () => {
    const [body, headers] = modern('tools/list');
    const other = { ...headers, 'mcp-protocol-version': '2099-01-01' };
    expect((await post(body.replaceAll('2026-07-28', '2099-01-01'), other)).status).toBe(400);
  });
});

describe('a session', () => {
  const begin = async (headers = {}) => {
    const { status, headers: got } = await post(initialize, headers);
    expect(status).toBe(200);
    return got['mcp-session-id'] ?? '';
  };

  test('a session of one caller does not exist for another', async () => {
    const file = join(await temporaryDirectory(), 'tokens');
    await writeFile(file, `${OURS}\n${THEIRS}\n`, { mode: 0o600 });
    const two = await startHttpProgram(['--demo', '--http-token-file', file]);
    try {
      const as = (token: string, body: string, headers = {}) =>
        exchange(
          two.port,
          requestOf('POST', '/mcp', { body, headers: { authorization: `Bearer ${token}`, ...headers } }),
        );
      const ours = (await as(OURS, initialize)).headers['mcp-session-id'] ?? '';
      const stolen = await as(THEIRS, call(2, 'tools/list'), { 'mcp-session-id': ours });
      const invented = await as(THEIRS, call(2, 'tools/list'), { 'mcp-session-id': 'invented' });
      expect(stolen.status).toBe(404);
      const own = { date: '', 'x-request-id': '' };
      expect({ ...stolen.headers, ...own }).toEqual({ ...invented.headers, ...own });
      expect(stolen.body).toBe(invented.body);
      const answer = await exchange(
        two.port,
        requestOf('DELETE', '/mcp', {
          headers: { authorization: `Bearer ${THEIRS}`, 'mcp-session-id': ours },
        }),
      );
      expect(answer.status).toBe(404);
      expect((await as(OURS, call(2, 'tools/list'), { 'mcp-session-id': ours })).status).toBe(200);
    } finally {
      await two.stop();
    }
  });

  test('a session that a program began is refused to a page', async () => {
    const id = await begin();
    const headers = { 'mcp-session-id': id, origin: PAGE };
    expect((await post(call(2, 'tools/list'), headers)).status).toBe(404);
  });

  test('a session has an id that cannot be guessed, and ends when it is deleted', async () => {
    const ids = [await begin(), await begin()];
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(new Set(ids).size).toBe(2);
    const headers = { authorization, 'mcp-session-id': ids[0] ?? '' };
    expect((await send(requestOf('DELETE', '/mcp', { headers }))).status).toBe(200);
    expect((await post(call(2, 'tools/list'), headers)).status).toBe(404);
  });

  test('every request but initialize needs a session', async () => {
    expect(await post(call(1, 'tools/list'))).toMatchObject({
      status: 400,
      body: expect.stringContaining('Mcp-Session-Id'),
    });
    expect((await get('/mcp', { authorization })).status).toBe(405);
  });
});

describe('an address', () => {
  test.each(['//mcp', '/mcp;x', '/MCP', '/mcp%00', '/mcp%2f', '/.env', '/', '/mcp/tools'])(
    'an address similar to the right one is not found: %s',
    async (target) => {
      expect(await get(target, { authorization })).toMatchObject({ status: 404 });
    },
  );

  test.each([
    '/mcp/',
    '/healthz/../mcp',
    '/%6dcp',
    '/%2e%2e/mcp',
    '/healthz/%2e%2e/mcp',
    'http://evil.example/mcp',
  ])('an address that resolves to the right one has the same access checks: %s', async (target) => {
    expect(await get(target)).toMatchObject({ status: 401 });
    expect(await get(target, { host: 'evil.example' })).toMatchObject({ status: 403 });
  });

  test.each(['/mcp/../healthz', '/healthz', '/mcp/%2e%2e/healthz'])(
    'the health check reveals only that the server runs: %s',
    async (target) => {
      expect(await get(target)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    },
  );

  test.each(['*', 'mcp', '/mcp\\..\\healthz', 'http://', 'ftp://localhost/mcp'])(
    'an invalid address is refused: %s',
    async (target) => {
      expect(await get(target, { authorization })).toMatchObject({ status: 400 });
    },
  );

  test('the server does not connect to another address in a request', async () => {
    expect(await send('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n')).toMatchObject({
      status: 0,
    });
  });

  test.each(['PUT', 'PATCH', 'TRACE', 'PROPFIND'])('the method %s is refused', async (method) => {
    const answer = await send(requestOf(method, '/mcp', { headers: { authorization, connection: 'close' } }));
    expect(answer.status).toBe(405);
  });
});

describe('headers', () => {
  test('headers of more than 16 kB are refused', async () => {
    expect(await get('/mcp', { x: 'y'.repeat(17_000) })).toMatchObject({ status: 431 });
  });

  test('a missing or invalid Host header is refused', async () => {
    for (const bytes of ['GET /mcp HTTP/1.1\r\n\r\n', 'GET /mcp HTTP/1.0\r\n\r\n'])
      expect(await send(bytes)).toMatchObject({ status: 400 });
    for (const host of ['a b', 'localhost:99999', 'user@localhost', '[::1'])
      expect([400, 403]).toContain((await get('/mcp', { host, authorization })).status);
  });

  test('a request whose authorization header comes after the first hundred headers is refused', async () => {
    const bytes = `GET /mcp HTTP/1.1\r\nhost: localhost\r\n${'a: b\r\n'.repeat(2_000)}authorization: ${authorization}\r\n\r\n`;
    // Node 24 refuses the request by itself, and earlier versions drop the headers.
    expect([401, 431]).toContain((await send(bytes)).status);
  });
});

/** This process also needs a few files. */
const permitted = Number(execFileSync('sh', ['-c', 'ulimit -Hn']).toString()) - 500;
const many = Math.min(10_000, Number.isNaN(permitted) ? 10_000 : permitted);

describe('connections', () => {
  test(`${many} connections without a request do not keep out a host`, async () => {
    const half: Socket[] = [];
    // As many at once as the system queues for the server.
    while (half.length < many) {
      const some = await Promise.all(Array.from({ length: 200 }, () => connected(program.port)));
      for (const socket of some.slice(100)) socket.write('POST /mcp HTTP/1.1\r\nhost: local');
      half.push(...some);
    }
    const host = await connectModern({ http: { url: program.url, token: OURS } });
    expect((await host.call('list_accounts')).text).toContain('accounts');
    await host.close();
    // The last connections end too, at the limit for receiving a request.
    await Promise.all(half.map(closed));
  });

  test('connections that send their headers very slowly are closed, and others are still served', async () => {
    const slow = await connected(program.port);
    slow.write('GET /mcp HTTP/1.1\r\nhost: localhost\r\n');
    while (!slow.destroyed) {
      expect((await get('/healthz')).status).toBe(200);
      slow.write('x: y\r\n');
    }
  });
});

test('a connection whose body does not arrive is closed after half a minute', async () => {
  await closed(withholding.socket);
  expect(await withholding.until('\r\n\r\n')).toMatch(/^HTTP\/1\.1 408 /);
});

test('the output of the program contains no token and nothing that was sent to it', () => {
  expect(program.written()).toBe(
    `budget-mcp listens on ${program.url}\nCallers need a token. Web pages of ${PAGE} may call too.\n`,
  );
});
