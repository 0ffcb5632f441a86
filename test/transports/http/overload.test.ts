import { describe, expect, it } from 'vitest';
import { Overload } from '../../../src/transports/http/overload.ts';
import { ManualClock } from '../../manual-clock.helper.ts';

/** An event loop that has had work for a part of each second. */
function watched(busy: { part: number }) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const sum = { idle: 0, active: 0, utilization: 0 };
  const usage = () => {
    sum.idle += 1 - busy.part;
    sum.active += busy.part;
    return { ...sum };
  };
  return { clock, overload: new Overload(clock, usage) };
}

describe('too much work', () => {
  it('is a busy event loop with many requests in progress', () => {
    const { clock, overload } = watched({ part: 1 });
    clock.advance(1_000);
    expect(overload.isOver(17)).toBe(true);
    expect(overload.isOver(16)).toBe(false);
  });

  it('is not that many requests wait', () => {
    const { clock, overload } = watched({ part: 0.5 });
    clock.advance(1_000);
    expect(overload.isOver(1_000)).toBe(false);
  });

  it('is looked at once a second', () => {
    const busy = { part: 1 };
    const { clock, overload } = watched(busy);
    expect(overload.isOver(17)).toBe(false);
    clock.advance(1_000);
    expect(overload.isOver(17)).toBe(true);
    busy.part = 0;
    clock.advance(999);
    expect(overload.isOver(17)).toBe(true);
    clock.advance(1);
    expect(overload.isOver(17)).toBe(false);
  });
});
