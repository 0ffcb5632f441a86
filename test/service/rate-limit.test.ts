import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Access } from '../../src/service/access.ts';
import { RateLimit } from '../../src/service/rate-limit.ts';
import { startService } from '../../src/service/server.ts';
import { ManualClock } from '../manual-clock.ts';
import { ask, bearer, errorOf, type RunningService, startTestService } from './running-service.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('the window of the rate limit', () => {
  test('never lets more than the limit through in any hour, and refuses only when the hour is full', () => {
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

describe('requests over HTTP', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startTestService({ rateLimit: 3 });
  });
  afterAll(() => service.close());

  /** A fresh token, so that no test counts another's requests. */
  const freshToken = () => bearer(service.access.issueToken(service.user));

  test('X-Rate-Limit counts the requests of the token, whatever their path and outcome', async () => {
    const headers = freshToken();
    const seen = [];
    for (const path of ['/user', '/nowhere', '/budgets/unknown']) {
      seen.push((await ask(service, path, { headers })).headers.get('X-Rate-Limit'));
    }
    expect(seen).toEqual(['1/3', '2/3', '3/3']);
  });

  test('past the limit is 429 too_many_requests without X-Rate-Limit, on every path', async () => {
    const headers = freshToken();
    for (let i = 0; i < 3; i++) await ask(service, '/user', { headers });
    for (const path of ['/user', '/budgets', '/nowhere']) {
      const answer = await ask(service, path, { headers });
      expect(answer.headers.has('X-Rate-Limit')).toBe(false);
      expect(answer).toMatchObject({
        status: 429,
        body: { error: { id: '429', name: 'too_many_requests', detail: expect.any(String) } },
      });
    }
  });

  test('the window rolls: a place is free an hour after the request that took it', async () => {
    const headers = freshToken();
    const get = async () => {
      const { status, headers: answered } = await ask(service, '/user', { headers });
      return [status, answered.get('X-Rate-Limit')];
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

  test('refused requests do not count: the token is free again after an hour of trying', async () => {
    const headers = freshToken();
    for (let i = 0; i < 3; i++) await ask(service, '/user', { headers });
    for (let i = 0; i < 6; i++) {
      service.clock.advance(10 * minute - 1);
      expect((await ask(service, '/user', { headers })).status).toBe(429);
    }
    service.clock.advance(6);
    expect((await ask(service, '/user', { headers })).headers.get('X-Rate-Limit')).toBe('1/3');
  });

  test('each token has its own window, also two tokens of one user', async () => {
    const headers = freshToken();
    for (let i = 0; i < 4; i++) await ask(service, '/user', { headers });
    expect((await ask(service, '/user', { headers: freshToken() })).headers.get('X-Rate-Limit')).toBe('1/3');
  });

  test('a request without a valid token is counted for nobody and says nothing of limits', async () => {
    const headers = freshToken();
    for (const wrong of [{}, bearer('nobody')]) {
      const answer = await ask(service, '/user', { headers: wrong });
      expect([answer.status, answer.headers.has('X-Rate-Limit')]).toEqual([401, false]);
    }
    expect((await ask(service, '/user', { headers })).headers.get('X-Rate-Limit')).toBe('1/3');
  });

  test('a user who may not come in uses up the limit all the same', async () => {
    const user = service.access.addUser([]);
    user.subscription = 'trial_expired';
    const headers = bearer(service.access.issueToken(user));
    expect((await ask(service, '/user', { headers })).headers.get('X-Rate-Limit')).toBe('1/3');
    for (let i = 0; i < 2; i++) await ask(service, '/user', { headers });
    expect(await errorOf(service, '/user', { headers })).toMatchObject({ status: 429 });
  });
});

test('the limit is 200 an hour when nobody says otherwise', async () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const service = await startService({ clock, transactions: 10 });
  const { headers } = await ask(service, '/user');
  await service.close();
  expect(headers.get('X-Rate-Limit')).toBe('1/200');
});
