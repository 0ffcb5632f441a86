import { describe, expect, it } from 'vitest';
import { overloadCheck } from '../../../src/transports/http/app.ts';
import { ManualClock } from '../../manual-clock.helper.ts';

/** Three seconds of an event loop that has work for a part of the time, and of some requests a second. */
function afterThreeSeconds({ busy = 1, perSecond = 0 }) {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const sum = { idle: 0, active: 0, utilization: 0 };
  const isOverloaded = overloadCheck(clock, () => ({ ...sum }));
  let finished = 0;
  const pass = ({ busy, perSecond }: { busy: number; perSecond: number }) => {
    clock.advance(3_000);
    sum.idle += 1 - busy;
    sum.active += busy;
    finished += 3 * perSecond;
  };
  pass({ busy, perSecond });
  return { pass, isOver: (inProgress: number) => isOverloaded({ inProgress, finished }) };
}

describe('too much work', () => {
  it('is a busy event loop with so many requests that a new one would wait for more than five seconds', () => {
    const { isOver } = afterThreeSeconds({ perSecond: 6 });
    expect(isOver(30)).toBe(false);
    expect(isOver(31)).toBe(true);
  });

  it('is not what many clients of a fast server do', () => {
    expect(afterThreeSeconds({ perSecond: 1_000 }).isOver(64)).toBe(false);
  });

  it('is not a first long request with a few others behind it', () => {
    const { isOver } = afterThreeSeconds({});
    expect(isOver(16)).toBe(false);
    expect(isOver(17)).toBe(true);
  });

  it('is not that many requests wait for something else', () => {
    expect(afterThreeSeconds({ busy: 0.5 }).isOver(1_000)).toBe(false);
  });

  it('is over when there is less work', () => {
    const { pass, isOver } = afterThreeSeconds({ perSecond: 1 });
    expect(isOver(20)).toBe(true);
    pass({ busy: 0.2, perSecond: 1 });
    expect(isOver(20)).toBe(false);
  });
});
