/** How new a response must be to be used for a write, and the knowledge from which a lost write is looked for. */
import { describe, expect, test } from 'vitest';
import { LAG_MS, Watermarks } from '../../../src/session/freshness/watermarks.ts';
import { ManualClock } from '../../manual-clock.helper.ts';

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const watermarks = new Watermarks(clock);
  const record = (knowledge: number) => watermarks.beginRequest('b', true)(knowledge);
  return { clock, watermarks, record };
}

describe('responses', () => {
  test('a response is current when none had a higher knowledge', () => {
    const { watermarks, record } = start();
    expect([record(9), record(9), record(8), record(10)]).toEqual([true, true, false, true]);
    expect(watermarks.highest('b')).toBe(10);
    expect(watermarks.highest('another')).toBeUndefined();
  });

  test('a response with lower knowledge is current when the highest knowledge was read longer ago than a copy can lag', () => {
    const { clock, watermarks, record } = start();
    record(9);
    clock.advance(LAG_MS);
    expect(record(5)).toBe(false);
    clock.advance(1);
    expect(record(5)).toBe(true);
    expect(watermarks.highest('b')).toBe(5);
  });

  test('a response to an earlier request does not make later knowledge older', () => {
    const { clock, watermarks, record } = start();
    const early = watermarks.beginRequest('b', true);
    clock.advance(10_000);
    record(9);
    expect(early(9)).toBe(true);
    clock.advance(LAG_MS);
    expect(record(5)).toBe(false);
  });
});

describe('the knowledge from which a lost write is looked for', () => {
  test('the recent knowledge is that of a response that was requested within the last second', () => {
    const { clock, watermarks, record } = start();
    expect(watermarks.baseline('b')).toBeUndefined();
    record(9);
    clock.advance(1_000);
    expect(watermarks.baseline('b')).toBe(9);
    expect(watermarks.baseline('another')).toBeUndefined();
    clock.advance(1);
    expect(watermarks.baseline('b')).toBeUndefined();
  });

  test('the recent knowledge is never that of a response with lower knowledge than another one', () => {
    const { watermarks, record } = start();
    record(9);
    record(8);
    expect(watermarks.baseline('b')).toBe(9);
  });

  test('the knowledge of a write is recent', async () => {
    const { watermarks } = start();
    await watermarks.runWrite('b', async (learn) => learn(9));
    expect([watermarks.baseline('b'), watermarks.highest('b')]).toEqual([9, 9]);
  });

  test('the knowledge of a write is recent although it is lower than before, because the service was reset', async () => {
    const { watermarks, record } = start();
    record(9);
    await watermarks.runWrite('b', async (learn) => learn(5));
    expect([watermarks.baseline('b'), watermarks.highest('b')]).toEqual([5, 5]);
  });

  test('the recent knowledge is unknown after a write whose response has none', async () => {
    const { watermarks, record } = start();
    record(9);
    await watermarks.runWrite('b', async () => {});
    expect([watermarks.baseline('b'), watermarks.highest('b')]).toEqual([undefined, 9]);
  });

  test('the recent knowledge is unknown when a response that was requested before or during a write has a higher knowledge than the write', async () => {
    for (const isDuring of [false, true]) {
      const { watermarks } = start();
      const before = watermarks.beginRequest('b');
      await watermarks.runWrite('b', async (learn) => {
        if (isDuring) expect(watermarks.beginRequest('b')(11)).toBe(true);
        learn(9);
      });
      if (!isDuring) expect([watermarks.baseline('b'), before(11)]).toEqual([9, true]);
      expect([watermarks.baseline('b'), watermarks.highest('b')]).toEqual([undefined, 11]);
    }
  });

  test('the recent knowledge is never that of a read during a write, or of a read before a later write', async () => {
    const { watermarks } = start();
    await watermarks.runWrite('b', async () => void watermarks.beginRequest('b', true)(9));
    expect(watermarks.baseline('b')).toBeUndefined();
    const between = watermarks.beginRequest('b', true);
    await watermarks.runWrite('b', async () => {});
    between(9);
    expect(watermarks.baseline('b')).toBeUndefined();
    watermarks.beginRequest('b', true)(9);
    expect(watermarks.baseline('b')).toBe(9);
  });

  test('after a failed write the recent knowledge is that of later reads', async () => {
    const { watermarks, record } = start();
    const failure = new Error('It failed.');
    await expect(watermarks.runWrite('b', () => Promise.reject(failure))).rejects.toBe(failure);
    record(9);
    expect(watermarks.baseline('b')).toBe(9);
  });
});

describe('writes of other processes', () => {
  const NOW = { wall: 0, monotonic: 0 };

  test('a baseline from before a write of another process does not count', () => {
    const { watermarks, record } = start();
    record(9);
    expect(watermarks.baseline('b')).toBe(9);
    watermarks.recordForeignWrite('b', NOW);
    expect(watermarks.baseline('b')).toBeUndefined();
    record(10);
    expect(watermarks.baseline('b')).toBe(10);
  });

  test('a request during which a write of another process was learned gives no baseline', () => {
    const { watermarks } = start();
    const recordKnowledge = watermarks.beginRequest('b', true);
    watermarks.recordForeignWrite('b', NOW);
    expect(recordKnowledge(9)).toBe(true);
    expect(watermarks.baseline('b')).toBeUndefined();
  });

  test('the knowledge of a write of another process makes lower responses out of date', () => {
    const { clock, watermarks, record } = start();
    clock.advance(60_000);
    watermarks.recordForeignWrite('b', { wall: 0, monotonic: 50_000 }, { knowledge: 12 });
    expect([record(11), watermarks.highest('b')]).toEqual([false, 12]);
    watermarks.recordForeignWrite('b', { wall: 0, monotonic: 55_000 }, { knowledge: 10 });
    expect(watermarks.highest('b')).toBe(12);
    clock.advance(LAG_MS - 10_000 + 1);
    expect(record(11)).toBe(true);
  });

  test('a time from before a restart of the machine counts as now', () => {
    const { clock, watermarks, record } = start();
    watermarks.recordForeignWrite('b', { wall: 0, monotonic: 1_000_000 }, { knowledge: 12 });
    clock.advance(LAG_MS + 1);
    expect(record(11)).toBe(true);
  });

  test('a write of another process does not end an own one', async () => {
    const { watermarks, record } = start();
    await watermarks.runWrite('b', async () => {
      watermarks.recordForeignWrite('b', NOW);
      record(9);
      expect(watermarks.baseline('b')).toBeUndefined();
    });
  });
});
