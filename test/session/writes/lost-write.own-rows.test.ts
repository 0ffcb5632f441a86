import { expect, test } from 'vitest';
import { OwnRows } from '../../../src/session/writes/lost-write.ts';
import { ManualClock } from '../../manual-clock.helper.ts';

test('created rows are remembered for twenty minutes, and removed when later rows are added', () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const rows = new OwnRows(clock);
  rows.add(['first', 'second']);
  expect([rows.has('first'), rows.has('second'), rows.has('third')]).toEqual([true, true, false]);
  clock.advance(1_000);
  rows.add(['third']);
  clock.advance(20 * 60_000 - 1_001);
  rows.add([]);
  expect(rows.has('first')).toBe(true);
  clock.advance(1);
  rows.add(['fourth']);
  expect(['first', 'second', 'third', 'fourth'].map((id) => rows.has(id))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
