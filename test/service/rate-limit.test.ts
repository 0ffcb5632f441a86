import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Access } from '../../src/service/access.ts';
import { RateLimit } from '../../src/service/rate-limit.ts';
import { startService } from '../../src/service/server.ts';
import { ManualClock } from '../manual-clock.helper.ts';
import {
  bearer,
  errorOf,
  type RunningService,
  sendRequest,
  startTestService,
} from './running-service.helper.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('the rolling window', () => {
  test('the rate limit admits at most the limit in any hour, and refuses only when the limit is reached', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 20 * minute }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 8 }), (steps, limit) => {
        const clock = new ManualClock(0);
        const grant = { user: new Access(clock).addUser([]) };
        const rateLimit = new RateLimit(limit, clock);
        const admitted: number[] = [];
        for (const step of steps) {
          clock.advance(step);
          const pastHour = admitted.filter((time) => time > clock.now() - hour).length;
          expect(rateLimit.take(grant)).toBe(pastHour < limit ? pastHour + 1 : undefined);
          if (pastHour < limit) admitted.push(clock.now());
        }
      }),
    );
  });
});

describe('rate limit over HTTP', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startTestService({ rateLimit: 3 });
  });
  afterAll(() => service.close());

  /** A new token, so that tests do not share a limit. */
  const freshToken = () => bearer(service.access.issueToken(service.user));

  test('X-Rate-Limit counts all requests of a token, whatever their path and status', async () => {
    const headers = freshToken();
    const limits = [];
    for (const path of ['/user', '/nowhere', '/budgets/unknown']) {
      limits.push((await sendRequest(service, path, { headers })).headers.get('X-Rate-Limit'));
    }
    expect(limits).toEqual(['1/3', '2/3', '3/3']);
  });

  test('requests over the limit get 429 too_many_requests without X-Rate-Limit, on every path', async () => {
    const headers = freshToken();
    for (let i = 0; i < 3; i++) await sendRequest(service, '/user', { headers });
    for (const path of ['/user', '/budgets', '/nowhere']) {
      const response = await sendRequest(service, path, { headers });
      expect(response.headers.has('X-Rate-Limit')).toBe(false);
      expect(response).toMatchObject({
        status: 429,
        body: { error: { id: '429', name: 'too_many_requests', detail: expect.any(String) } },
      });
    }
  });

  test('a request is admitted again one hour after an earlier one', async () => {
    const headers = freshToken();
    const get = async () => {
      const { status, headers: responseHeaders } = await sendRequest(service, '/user', { headers });
      return [status, responseHeaders.get('X-Rate-Limit')];
    };
    expect(await get()).toEqual([200, '1/3']);
    service.clock.advance(30 * minute);
    expect(await get()).toEqual([200, '2/3']);
    expect(await get()).toEqual([200, '3/3']);
    service.clock.advance(30 * minute - 1);
    expect(await get()).toEqual([429, null]);
    service.clock.advance(1);
    expect(await get()).toEqual([200, '3/3']);
    expect(await get()).toEqual([429, null]);
  });

  test('refused requests do not count', async () => {
    const headers = freshToken();
    for (let i = 0; i < 3; i++) await sendRequest(service, '/user', { headers });
    for (let i = 0; i < 6; i++) {
      service.clock.advance(10 * minute - 1);
      expect((await sendRequest(service, '/user', { headers })).status).toBe(429);
    }
    service.clock.advance(6);
    expect((await sendRequest(service, '/user', { headers })).headers.get('X-Rate-Limit')).toBe('1/3');
  });

  test('each token has its own limit, two tokens of one user too', async () => {
    const headers = freshToken();
    for (let i = 0; i < 4; i++) await sendRequest(service, '/user', { headers });
    expect((await sendRequest(service, '/user', { headers: freshToken() })).headers.get('X-Rate-Limit')).toBe(
      '1/3',
    );
  });

  test('a request without a valid token is not counted and gets no X-Rate-Limit', async () => {
    const headers = freshToken();
    for (const invalid of [{}, bearer('nobody')]) {
      const response = await sendRequest(service, '/user', { headers: invalid });
      expect([response.status, response.headers.has('X-Rate-Limit')]).toEqual([401, false]);
    }
    expect((await sendRequest(service, '/user', { headers })).headers.get('X-Rate-Limit')).toBe('1/3');
  });

  test('requests that get 403 count too', async () => {
    const user = service.access.addUser([]);
    user.subscription = 'trial_expired';
    const headers = bearer(service.access.issueToken(user));
    expect((await sendRequest(service, '/user', { headers })).headers.get('X-Rate-Limit')).toBe('1/3');
    for (let i = 0; i < 2; i++) await sendRequest(service, '/user', { headers });
    expect(await errorOf(service, '/user', { headers })).toMatchObject({ status: 429 });
  });
});

test('the default limit is 200 requests an hour', async () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const service = await startService({ clock, transactions: 10 });
  const { headers } = await sendRequest(service, '/user');
  await service.close();
  expect(headers.get('X-Rate-Limit')).toBe('1/200');
});
