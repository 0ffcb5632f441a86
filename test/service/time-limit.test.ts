import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { errorHandler } from '../../src/service/errors.ts';
import { timeLimit } from '../../src/service/time-limit.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const clock = new ManualClock('2026-11-21T12:00:00Z');
const reported: unknown[] = [];
let release: () => void = () => {};
const app = new Hono()
  .use(timeLimit(clock))
  .get('/computes/:milliseconds', (c) => {
    clock.advance(Number(c.req.param('milliseconds')));
    return c.json({ data: {} });
  })
  .get('/waits', async (c) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return c.json({ data: {} });
  })
  .onError(errorHandler((error) => reported.push(error)));

const unavailable = { error: { id: '503', name: 'service_unavailable', detail: expect.any(String) } };

describe('the time limit', () => {
  test('a request that computes for 30 seconds gets 503', async () => {
    const response = await app.request('/computes/30000');
    expect([response.status, await response.json()]).toEqual([503, unavailable]);
  });

  test('a request that waits for 30 seconds gets 503 at that time', async () => {
    const pending = app.request('/waits');
    clock.advance(30_000);
    const response = await pending;
    release();
    expect([response.status, await response.json()]).toEqual([503, unavailable]);
  });

  test('a request that takes one millisecond less succeeds', async () => {
    expect((await app.request('/computes/29999')).status).toBe(200);
    expect(reported).toEqual([]);
  });
});
