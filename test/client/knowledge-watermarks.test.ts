/** How new an answer has to be to count for a write, and from which knowledge a lost write is looked for. */
import { describe, expect, test } from 'vitest';
import { KnowledgeWatermarks } from '../../src/client/knowledge-watermarks.ts';
import { LAG_MS } from '../../src/replica/watermarks.ts';
import { ManualClock } from '../manual-clock.ts';

function start() {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const watermarks = new KnowledgeWatermarks(clock);
  const record = (knowledge: number) => watermarks.recordKnowledge('b')(knowledge);
  return { clock, watermarks, record };
}

describe('An answer', () => {
  test('is as new as any where none had more knowledge', () => {
    const { watermarks, record } = start();
    expect([record(9), record(9), record(8), record(10)]).toEqual([true, true, false, true]);
    expect(watermarks.newest('b')).toBe(10);
    expect(watermarks.newest('another')).toBeUndefined();
  });

  test('with less knowledge counts once the highest was told longer ago than a copy may lag', () => {
    const { clock, watermarks, record } = start();
    record(9);
    clock.advance(LAG_MS);
    expect(record(5)).toBe(false);
    clock.advance(1);
    expect(record(5)).toBe(true);
    expect(watermarks.newest('b')).toBe(5);
  });

  test('that was asked for early makes what came since no older', () => {
    const { clock, watermarks, record } = start();
    const early = watermarks.recordKnowledge('b');
    clock.advance(10_000);
    record(9);
    expect(early(9)).toBe(true);
    clock.advance(LAG_MS);
    expect(record(5)).toBe(false);
  });
});

describe('The knowledge that a lost write is looked for from', () => {
  test('is that of an answer that was asked for within the last second', () => {
    const { clock, watermarks, record } = start();
    expect(watermarks.recent('b')).toBeUndefined();
    record(9);
    clock.advance(1_000);
    expect(watermarks.recent('b')).toBe(9);
    expect(watermarks.recent('another')).toBeUndefined();
    clock.advance(1);
    expect(watermarks.recent('b')).toBeUndefined();
  });

  test('is never that of an answer that is older than another one', () => {
    const { watermarks, record } = start();
    record(9);
    record(8);
    expect(watermarks.recent('b')).toBe(9);
  });

  test('is what a write has told', async () => {
    const { watermarks } = start();
    await watermarks.runWrite('b', async (learn) => learn(9));
    expect([watermarks.recent('b'), watermarks.newest('b')]).toEqual([9, 9]);
  });

  test('is what a write has told even where that is less than before: the service was set back', async () => {
    const { watermarks, record } = start();
    record(9);
    await watermarks.runWrite('b', async (learn) => learn(5));
    expect([watermarks.recent('b'), watermarks.newest('b')]).toEqual([5, 5]);
  });

  test('is unknown after a write that tells none', async () => {
    const { watermarks, record } = start();
    record(9);
    await watermarks.runWrite('b', async () => {});
    expect([watermarks.recent('b'), watermarks.newest('b')]).toEqual([undefined, 9]);
  });

  test('is unknown after a write where an answer from before it or during it tells more', async () => {
    const { watermarks } = start();
    const before = watermarks.recordKnowledge('b');
    await watermarks.runWrite('b', async (learn) => {
      watermarks.recordKnowledge('b')(10);
      learn(9);
    });
    expect(watermarks.recent('b')).toBe(9);
    expect(before(11)).toBe(true);
    expect(watermarks.recent('b')).toBeUndefined();
  });

  test('is never that of a read during a write, or of one that a write has come after', async () => {
    const { watermarks } = start();
    await watermarks.runWrite('b', async () => void watermarks.recordKnowledge('b')(9));
    expect(watermarks.recent('b')).toBeUndefined();
    const between = watermarks.recordKnowledge('b');
    await watermarks.runWrite('b', async () => {});
    between(9);
    expect(watermarks.recent('b')).toBeUndefined();
    watermarks.recordKnowledge('b')(9);
    expect(watermarks.recent('b')).toBe(9);
  });

  test('is that of reads again after a write that failed', async () => {
    const { watermarks, record } = start();
    const failure = new Error('It failed.');
    await expect(watermarks.runWrite('b', () => Promise.reject(failure))).rejects.toBe(failure);
    record(9);
    expect(watermarks.recent('b')).toBe(9);
  });
});
