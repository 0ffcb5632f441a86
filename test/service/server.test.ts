import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoBudgets } from '../../src/service/demo-data.ts';
import { startService } from '../../src/service/server.ts';
import { ask, bearer, errorOf, type RunningService, startTestService } from './running-service.ts';

const globals = [Request, Response];
const reported: unknown[] = [];
let service: RunningService;
beforeAll(async () => {
  service = await startTestService({ reportError: (error) => reported.push(error) });
});
afterAll(() => service.close());

describe('every response', () => {
  test.each<[string, number, RequestInit]>([
    ['/user', 200, {}],
    ['/budgets/last-used/transactions?since_date=never', 400, {}],
    ['/user', 401, { headers: {} }],
    ['/nowhere', 404, {}],
  ])('is application/json; charset=utf-8: %s with %i', async (path, status, init) => {
    const answer = await ask(service, path, init);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  });

  test.each([200, 401, 404])('may be read by a page of any origin: %i', async (status) => {
    const path = status === 404 ? '/nowhere' : '/user';
    const token = status === 401 ? {} : bearer(service.accessToken);
    const answer = await ask(service, path, { headers: { Origin: 'https://app.example', ...token } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(answer.headers.get('Access-Control-Expose-Headers')).toBe('X-Rate-Limit');
  });

  test('is gzip for a client that accepts it, and plain for one that does not', async () => {
    const headers = bearer(service.accessToken);
    const zipped = await ask(service, '/budgets', { headers: { ...headers, 'Accept-Encoding': 'gzip' } });
    const plain = await ask(service, '/budgets', { headers: { ...headers, 'Accept-Encoding': 'identity' } });
    const refused = await ask(service, '/budgets', {
      headers: { ...headers, 'Accept-Encoding': 'gzip;q=0' },
    });
    expect([zipped, plain, refused].map((answer) => answer.headers.get('Content-Encoding'))).toEqual([
      'gzip',
      null,
      null,
    ]);
    expect(plain.headers.get('Vary')).toBe('Accept-Encoding');
    expect(zipped.body).toEqual(plain.body);
  });
});

describe('preflight', () => {
  const preflight = (path: string, method: string) =>
    fetch(service.baseUrl + path, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('allows %s without a token', async (method) => {
    const response = await preflight('/budgets/last-used/transactions', method);
    expect(response.status).toBe(204);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Access-Control-Allow-Methods')?.split(',')).toContain(method);
    expect(response.headers.get('Access-Control-Allow-Headers')?.split(',')).toEqual([
      'Authorization',
      'Content-Type',
    ]);
  });

  test('uses up nothing of the rate limit', async () => {
    const headers = bearer(service.access.issueToken(service.user));
    await preflight('/user', 'GET');
    expect((await ask(service, '/user', { headers })).headers.get('X-Rate-Limit')).toMatch(/^1\//);
  });
});

describe('404.1 not_found', () => {
  const notFound = { status: 404, id: '404.1', name: 'not_found', detail: 'Invalid URI' };

  test.each([
    '/',
    '/users',
    '/budgets/',
    '/budgets/last-used/nothing',
    '/budgets/unknown/nothing',
    '/budgets/last-used/accounts/x/nothing',
    '/../v2/budgets',
  ])('for a path that is no operation: %s', async (path) => {
    expect(await errorOf(service, path)).toEqual(notFound);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'for a method that the path does not have: %s',
    async (method) => {
      const init = { method, headers: bearer(service.accessToken) };
      expect(await errorOf(service, '/budgets/last-used/months', init)).toEqual(notFound);
    },
  );

  test('outside /v1 for everybody, as JSON', async () => {
    for (const path of ['/', '/v1x/user', '/favicon.ico']) {
      const response = await fetch(service.appUrl + path);
      expect([response.status, await response.json()]).toEqual([
        404,
        { error: { id: '404.1', name: 'not_found', detail: 'Invalid URI' } },
      ]);
    }
  });
});

describe('400 bad_request', () => {
  test('for an address that is no URL, as JSON', async () => {
    const { hostname, port } = new URL(service.appUrl);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    socket.end('GET /v1/user HTTP/1.1\r\nHost: not a host\r\nConnection: close\r\n\r\n');
    const answer = (await socket.toArray()).join('');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/content-type: application\/json; charset=utf-8/i);
    expect(answer).toContain('"name":"bad_request"');
  });
});

describe('500 internal_server_error', () => {
  test('for a bug of the service: reported to the operator, without a word of it to the caller', async () => {
    const [ledger] = demoBudgets({ now: service.clock.now(), transactions: 10 });
    if (!ledger) throw new Error('no demo budget');
    const bug = new Error('index out of range in /private/place');
    ledger.payees = () => {
      throw bug;
    };
    const headers = bearer(service.access.issueToken(service.access.addUser([ledger])));
    const answer = await ask(service, `/budgets/${ledger.id}/payees`, { headers });
    expect(answer).toMatchObject({
      status: 500,
      body: { error: { id: '500', name: 'internal_server_error', detail: 'An unexpected error occurred.' } },
    });
    expect(answer.headers.get('X-Rate-Limit')).toMatch(/^1\//);
    expect(reported).toEqual([bug]);
  });
});

describe('503 service_unavailable', () => {
  test('for everybody during maintenance, with a token or without, counting nothing', async () => {
    const headers = bearer(service.access.issueToken(service.user));
    const unavailable = { status: 503, id: '503', name: 'service_unavailable' };
    service.maintenance = true;
    expect(await errorOf(service, '/user', { headers })).toMatchObject(unavailable);
    expect(await errorOf(service, '/user', { headers: {} })).toMatchObject(unavailable);
    service.maintenance = false;
    expect((await ask(service, '/user', { headers })).headers.get('X-Rate-Limit')).toMatch(/^1\//);
  });
});

describe('the service', () => {
  test('listens on 127.0.0.1 and nowhere else', async () => {
    const { protocol, hostname, port } = new URL(service.baseUrl);
    expect([protocol, hostname]).toEqual(['http:', '127.0.0.1']);
    expect(service.baseUrl).toBe(`${service.appUrl}/v1`);
    const elsewhere = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal);
    for (const { address } of elsewhere) {
      await expect(once(connect(Number(port), address), 'connect')).rejects.toThrow('ECONNREFUSED');
    }
  });

  test('closes at once, ending connections that are kept alive', async () => {
    const other = await startTestService({ transactions: 10 });
    await ask(other, '/user');
    const { hostname, port } = new URL(other.appUrl);
    const idle = connect(Number(port), hostname);
    await once(idle, 'connect');
    await other.close();
    await other.close();
    if (!idle.closed) await once(idle, 'close');
    await expect(fetch(`${other.baseUrl}/user`)).rejects.toThrow();
  });

  test('does not start on a port that is taken', async () => {
    const port = Number(new URL(service.appUrl).port);
    await expect(startService({ clock: service.clock, port, transactions: 10 })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  test('leaves the Request and Response of its process alone', () => {
    expect([Request, Response]).toEqual(globals);
  });
});
