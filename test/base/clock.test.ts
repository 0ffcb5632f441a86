import { expect, test } from 'vitest';
import { ageOf, certainAgeAt, momentOf, systemClock } from '../../src/base/clock.ts';
import { ManualClock } from '../manual-clock.helper.ts';

test('an age includes the time that the machine slept, although the monotonic clock stopped', () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const moment = momentOf(clock);
  clock.setWallClock(clock.now() + 3_600_000);
  expect(ageOf(clock, moment)).toBe(3_600_000);
});

test('an age includes all time, although the wall clock was set back', () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const moment = momentOf(clock);
  clock.advance(7_000);
  clock.setWallClock(clock.now() - 3_600_000);
  expect(ageOf(clock, moment)).toBe(7_000);
});

test('a sleep is not shortened by a wall clock that is set forward', async () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  let isAwake = false;
  const sleep = clock.sleep(1_000).then(() => {
    isAwake = true;
  });
  clock.setWallClock(clock.now() + 60_000);
  clock.advance(999);
  await Promise.resolve();
  expect(isAwake).toBe(false);
  clock.advance(1);
  await sleep;
  expect(isAwake).toBe(true);
});

test('the monotonic clock of the system never goes back', () => {
  const before = systemClock.monotonic();
  expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
});

test('a time that seems to be in the future is from before a restart, and only the time since then has certainly passed', () => {
  const at = (monotonic: number) => ({ wall: 0, monotonic });
  expect(certainAgeAt(at(7_000), at(2_000))).toBe(5_000);
  expect(certainAgeAt(at(7_000), at(7_000))).toBe(0);
  expect(certainAgeAt(at(7_000), at(7_001))).toBe(7_000);
});
