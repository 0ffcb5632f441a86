import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RedisClock } from '../../src/store/redis-clock.ts';
import { ManualClock } from '../manual-clock.helper.ts';

/** What happens to one of three machines: time passes on all of them, it is in use, or it sleeps, or clocks are set. */
const event = fc.oneof(
  fc.record({ kind: fc.constant('pass'), machine: fc.nat(2), milliseconds: fc.nat(10_000) }),
  fc.record({ kind: fc.constant('ask'), machine: fc.nat(2), milliseconds: fc.nat(50) }),
  fc.record({ kind: fc.constant('sleep'), machine: fc.nat(2), milliseconds: fc.nat(10_000) }),
  fc.record({
    kind: fc.constant('set'),
    machine: fc.nat(2),
    milliseconds: fc.integer({ min: -1e9, max: 1e9 }),
  }),
);

describe('the clock of machines that share a Redis', () => {
  it('is never ahead of the time that has passed, never goes back, and is not before what others have written', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const locals = [0, 1, 2].map((i) => {
          const clock = new ManualClock(0);
          clock.advance(i * 1e6 + 0.5);
          return clock;
        });
        const clocks = locals.map((local) => new RedisClock(local));
        const last = [0, 0, 0];
        let redis = { wall: 1e12, monotonic: 0 };
        let passed = 0;
        const pass = (milliseconds: number, sleeping?: number) => {
          passed += milliseconds;
          redis = { ...redis, wall: redis.wall + milliseconds };
          for (const [i, local] of locals.entries()) if (i !== sleeping) local.advance(milliseconds);
        };
        for (const { kind, machine, milliseconds } of events) {
          const [clock, before] = [clocks[machine], last[machine]];
          if (!clock || before === undefined) continue;
          if (kind === 'pass') pass(milliseconds);
          else if (kind === 'sleep') pass(milliseconds, machine);
          else if (kind === 'set') redis = { ...redis, wall: redis.wall + milliseconds };
          else {
            const sent = clock.monotonic();
            pass(milliseconds);
            redis = { ...redis, monotonic: Math.max(redis.monotonic, sent) };
            const answer = redis;
            pass(milliseconds);
            clock.set(answer);
            expect(clock.now()).toBe(answer.wall);
            expect(clock.monotonic()).toBeGreaterThanOrEqual(answer.monotonic);
          }
          expect(clock.monotonic()).toBeGreaterThanOrEqual(before);
          expect(clock.monotonic()).toBeLessThanOrEqual(passed);
          last[machine] = clock.monotonic();
        }
      }),
    );
  });

  it('loses no time however long each answer takes', () => {
    const local = new ManualClock(0);
    const clock = new RedisClock(local);
    for (let i = 0; i < 100; i += 1) {
      const monotonic = clock.monotonic();
      local.advance(10);
      clock.set({ wall: 0, monotonic });
    }
    expect(clock.monotonic()).toBe(1_000);
  });
});
