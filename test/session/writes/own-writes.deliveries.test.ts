import { expect, onTestFinished, test, vi } from 'vitest';
import { Deliveries } from '../../../src/session/writes/own-writes.ts';
import { ManualClock } from '../../manual-clock.helper.ts';

test('many outcomes may be on their way at once, without a warning of Node.js', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  onTestFinished(() => {
    process.off('warning', warned);
  });
  const deliveries = new Deliveries(new ManualClock('2026-11-23T12:00:00Z'));
  const ends = Array.from({ length: 30 }, (_, index) => {
    const end = vi.fn(async () => {});
    deliveries.follow({ answered: index % 2 === 0 ? undefined : new Promise(() => {}) }, end);
    return end;
  });
  // Node.js warns in a later turn.
  await new Promise(setImmediate);
  expect(warned).not.toHaveBeenCalled();
  for (const end of ends) expect(end).not.toHaveBeenCalled();
});
