import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoBudgets } from '../../src/service/demo-data.ts';
import { startService } from '../../src/service/server.ts';
import {
  bearer,
  errorOf,
  type RunningService,
  sendRequest,
  startTestService,
} from './running-service.helper.ts';

const globals = [Request, Response];
const reported: unknown[] = [];
let service: RunningService;
beforeAll(async () => {
  service = await startTestService({ reportError: (error) => reported.push(error) });
});
afterAll(() => service.close());

describe('all responses', () => {
  test.each<[string, number, RequestInit]>([
    ['/user', 200, {}],
    ['/budgets/last-used', 200, {}],
    ['/budgets/last-used/transactions?since_date=never', 400, {}],
    ['/user', 401, { headers: {} }],
    ['/nowhere', 404, {}],
  ])(
    'a response has the content type application/json; charset=utf-8: %s with %i',
    async (path, status, init) => {
      const response = await sendRequest(service, path, init);
      expect(response.status).toBe(status);
      expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    },
  );

  test.each([200, 401, 404])('a response can be read by a page of any origin: %i', async (status) => {
    const path = status === 404 ? '/nowhere' : '/user';
    const token = status === 401 ? {} : bearer(service.accessToken);
    const response = await sendRequest(service, path, {
      headers: { Origin: 'https://app.example', ...token },
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Access-Control-Expose-Headers')).toBe('X-Rate-Limit');
  });

  test('a response is compressed with gzip only if the client accepts it', async () => {
    const headers = bearer(service.accessToken);
    const compressed = await sendRequest(service, '/budgets', {
      headers: { ...headers, 'Accept-Encoding': 'gzip' },
    });
    const plain = await sendRequest(service, '/budgets', {
      headers: { ...headers, 'Accept-Encoding': 'identity' },
    });
    const refused = await sendRequest(service, '/budgets', {
      headers: { ...headers, 'Accept-Encoding': 'gzip;q=0' },
    });
    expect([compressed, plain, refused].map((response) => response.headers.get('Content-Encoding'))).toEqual([
      'gzip',
      null,
      null,
    ]);
    expect(plain.headers.get('Vary')).toBe('Accept-Encoding');
    expect(compressed.body).toEqual(plain.body);
  });
});

describe('CORS preflight', () => {
  const preflight = (path: string, method: string) =>
    fetch(service.baseUrl + path, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type',
      },
    });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'preflight allows %s without a token',
    async (method) => {
      const response = await preflight('/budgets/last-used/transactions', method);
      expect(response.status).toBe(204);
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(response.headers.get('Access-Control-Allow-Methods')?.split(',')).toContain(method);
      expect(response.headers.get('Access-Control-Allow-Headers')?.split(',')).toEqual([
        'Authorization',
        'Content-Type',
      ]);
    },
  );

  test('preflight does not count in the rate limit', async () => {
    const headers = bearer(service.access.issueToken(service.user));
    await preflight('/user', 'GET');
    expect((await sendRequest(service, '/user', { headers })).headers.get('X-Rate-Limit')).toMatch(/^1\//);
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
  ])('a path that is no operation gets 404.1: %s', async (path) => {
    expect(await errorOf(service, path)).toEqual(notFound);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'a method that the path does not have gets 404.1: %s',
    async (method) => {
      const init = { method, headers: bearer(service.accessToken) };
      expect(await errorOf(service, '/budgets/last-used/months', init)).toEqual(notFound);
    },
  );

  test('a path outside /v1 gets 404.1 as JSON without a token', async () => {
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
  test('an invalid URL gets 400 as JSON', async () => {
    const { hostname, port } = new URL(service.appUrl);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    socket.end('GET /v1/user HTTP/1.1\r\nHost: not a host\r\nConnection: close\r\n\r\n');
    const response = (await socket.toArray()).join('');
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toMatch(/content-type: application\/json; charset=utf-8/i);
    expect(response).toContain('"name":"bad_request"');
  });
});

describe('500 internal_server_error', () => {
  test('a bug of the service gets 500, is reported to the operator, and the response does not contain its message', async () => {
    const [ledger] = demoBudgets({ now: service.clock.now(), transactions: 10 });
    if (!ledger) throw new Error('no demo budget');
    const bug = new Error('index out of range in /private/place');
    ledger.payees = () => {
      throw bug;
    };
    const headers = bearer(service.access.issueToken(service.access.addUser([ledger])));
    const response = await sendRequest(service, `/budgets/${ledger.id}/payees`, { headers });
    expect(response).toMatchObject({
      status: 500,
      body: { error: { id: '500', name: 'internal_server_error', detail: 'An unexpected error occurred.' } },
    });
    expect(response.headers.get('X-Rate-Limit')).toMatch(/^1\//);
    expect(reported).toEqual([bug]);
  });
});

describe('503 service_unavailable', () => {
  test('during maintenance all requests get 503, with or without a token, and are not counted', async () => {
    const headers = bearer(service.access.issueToken(service.user));
    const unavailable = { status: 503, id: '503', name: 'service_unavailable' };
    service.maintenance = true;
    expect(await errorOf(service, '/user', { headers })).toMatchObject(unavailable);
    expect(await errorOf(service, '/user', { headers: {} })).toMatchObject(unavailable);
    service.maintenance = false;
    expect((await sendRequest(service, '/user', { headers })).headers.get('X-Rate-Limit')).toMatch(/^1\//);
  });
});

describe('the server', () => {
  test('the service listens on 127.0.0.1 only', async () => {
    const { protocol, hostname, port } = new URL(service.baseUrl);
    expect([protocol, hostname]).toEqual(['http:', '127.0.0.1']);
    expect(service.baseUrl).toBe(`${service.appUrl}/v1`);
    const externalAddresses = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal);
    for (const { address } of externalAddresses) {
      await expect(once(connect(Number(port), address), 'connect')).rejects.toThrow('ECONNREFUSED');
    }
  });

  test('closing the service ends idle connections immediately', async () => {
    const otherService = await startTestService({ transactions: 10 });
    await sendRequest(otherService, '/user');
    const { hostname, port } = new URL(otherService.appUrl);
    const idle = connect(Number(port), hostname);
    await once(idle, 'connect');
    await otherService.close();
    await otherService.close();
    if (!idle.closed) await once(idle, 'close');
    await expect(fetch(`${otherService.baseUrl}/user`)).rejects.toThrow();
  });

  test('the service does not start on a port that is in use', async () => {
    const port = Number(new URL(service.appUrl).port);
    await expect(startService({ clock: service.clock, port, transactions: 10 })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  test('the service does not replace the global Request and Response', () => {
    expect([Request, Response]).toEqual(globals);
  });
});
