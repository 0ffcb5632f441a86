import fc from 'fast-check';
import { expect, it } from 'vitest';
import { afterDelivery } from '../../src/mcp/watch-deliveries.ts';
import { type Watch, Watches } from '../../src/session/watches.ts';
import { MemoryStore, SharedMemory } from '../../src/store/memory-store.ts';
import { fuzzRuns } from '../fuzz.helper.ts';
import { ManualClock } from '../manual-clock.helper.ts';

const BEGIN = Date.parse('2026-11-20T12:00:00Z');

const begun: Watch = {
  ...{ id: 'sub_1', begin: 'b', principal: '', event: 'large_transaction', arguments: {}, input: {} },
  ...{ budgetId: '', expiresAt: Number.MAX_VALUE, checkedAt: BEGIN, last: 0, lost: 0, occurrences: [] },
  rule: { day: '2026-11-20', active: [], reported: [] },
  callback: {
    url: 'https://example.com/',
    secret: '',
    attempts: 0,
    nextAt: BEGIN,
    isPaused: false,
    lostShown: 0,
  },
};

function found(watch: Watch, count: number, at: number): Watch {
  const occurrences = Array.from({ length: count }, (_, nth) => {
    const number = watch.last + nth + 1;
    return { number, eventId: `evt_${number}`, at, data: {} };
  });
  return {
    ...watch,
    last: watch.last + count,
    occurrences: [...watch.occurrences, ...occurrences],
  };
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('found' as const), count: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constant('pause' as const), hours: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ kind: fc.constantFrom('accepted' as const, 'too large' as const) }),
);

it('what is lost is never fewer, and is whatever was neither delivered nor waits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const clock = new ManualClock(BEGIN);
      const watches = new Watches(new MemoryStore(clock, new SharedMemory()), clock);
      await watches.change(() => ({ value: [begun], result: undefined }));
      const accepted = new Set<number>();
      let lost = 0;
      for (const each of steps) {
        if (each.kind === 'pause') clock.advance(each.hours * 3_600_000);
        await watches.changeOne(begun, (watch, { wall }) => {
          if (each.kind === 'found') return found(watch, each.count, wall);
          const [first] = watch.occurrences;
          if (each.kind === 'pause' || !first) return watch;
          if (each.kind === 'accepted') accepted.add(first.number);
          const outcome =
            each.kind === 'accepted' ? { accepted: '' } : { error: 'http_4xx' as const, status: 413 };
          return afterDelivery(watch, first.number, outcome, wall);
        });
        const [watch = begun] = await watches.list();
        expect(watch.lost).toBeGreaterThanOrEqual(lost);
        lost = watch.lost;
        expect(watch.occurrences.length).toBeLessThanOrEqual(100);
        const waiting = new Set(watch.occurrences.map(({ number }) => number));
        for (let number = lost + 1; number <= watch.last; number += 1)
          expect(accepted.has(number) || waiting.has(number)).toBe(true);
      }
    }),
    { numRuns: fuzzRuns(100) },
  );
});
