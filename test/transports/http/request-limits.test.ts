import { expect, test } from 'vitest';
import { type RequestLimit, RequestLimits } from '../../../src/transports/http/request-limits.ts';
import { ManualClock } from '../../manual-clock.helper.ts';

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const limits = new RequestLimits(clock);
  /** Undefined if the request is refused. */
  const admit = (...of: RequestLimit[]) => {
    const release = limits.admit(of);
    return typeof release === 'function' ? release : undefined;
  };
  return { clock, limits, admit };
}

test('a request over the limit of requests at once is refused until another one has ended', () => {
  const { limits, admit } = start();
  const ann = { of: 'ann', concurrent: 2 };
  const first = admit(ann);
  admit(ann);
  expect(limits.admit([ann])).toEqual({ reason: 'At most 2 requests at once.', retryAfterSeconds: 1 });
  expect(admit({ of: 'bob', concurrent: 2 })).toBeDefined();
  first?.();
  expect(admit(ann)).toBeDefined();
  expect(admit(ann)).toBeUndefined();
});

test('as many requests as a minute allows may come at once, and then as many as time has passed for', () => {
  const { clock, limits, admit } = start();
  const ann = { of: 'ann', perMinute: 6 };
  for (let count = 0; count < 6; count += 1) expect(admit(ann)).toBeDefined();
  expect(limits.admit([ann])).toEqual({ reason: 'At most 6 requests a minute.', retryAfterSeconds: 10 });
  clock.advance(9_000);
  expect(limits.admit([ann])).toMatchObject({ retryAfterSeconds: 1 });
  clock.advance(1_000);
  expect(admit(ann)).toBeDefined();
  expect(admit(ann)).toBeUndefined();
  // Longer than a minute allows no more than a minute.
  clock.advance(3_600_000);
  for (let count = 0; count < 6; count += 1) expect(admit(ann)).toBeDefined();
  expect(admit(ann)).toBeUndefined();
});

test('a request that one limit refuses does not count for the others', () => {
  const { admit } = start();
  const all = { of: 'all', concurrent: 10, perMinute: 2 };
  const ann = { of: 'ann', perMinute: 1 };
  expect(admit(ann, all)).toBeDefined();
  for (let count = 0; count < 20; count += 1) expect(admit(ann, all)).toBeUndefined();
  expect(admit({ of: 'bob', perMinute: 1 }, all)).toBeDefined();
  expect(admit({ of: 'eve', perMinute: 1 }, all)).toBeUndefined();
});

test('of a limit that many share, those who have sent little may use what those who have sent much leave free', () => {
  const { clock, admit } = start();
  const all = (sender: string) => ({ of: 'all', perMinute: 100, sender });
  const sendMany = () => {
    let admitted = 0;
    for (let count = 0; count < 1_000; count += 1) if (admit(all('eve'))) admitted += 1;
    return admitted;
  };
  expect(sendMany()).toBeGreaterThanOrEqual(49);
  expect(sendMany()).toBe(0);
  let admitted = 0;
  while (admit(all('ann'))) admitted += 1;
  expect(admitted).toBeGreaterThan(3);
  for (let count = 0; count < 25; count += 1) expect(admit(all(`new ${count}`))).toBeDefined();
  // However long it goes on, and also for those who had a part already.
  for (let minute = 0; minute < 10; minute += 1) {
    for (let second = 0; second < 60; second += 1) {
      clock.advance(1_000);
      sendMany();
    }
    expect(admit(all('ann'))).toBeDefined();
  }
  clock.advance(24 * 3_600_000);
  expect(sendMany()).toBeGreaterThanOrEqual(49);
});

test('of the places that many share, those who have sent much leave half free', () => {
  const { admit } = start();
  const all = (sender: string) => ({ of: 'all', concurrent: 100, sender });
  let admitted = 0;
  for (let count = 0; count < 1_000; count += 1) if (admit(all('eve'))) admitted += 1;
  expect(admitted).toBeGreaterThanOrEqual(50);
  expect(admitted).toBeLessThan(60);
  for (let count = 0; count < 40; count += 1) expect(admit(all(`new ${count}`))).toBeDefined();
});
