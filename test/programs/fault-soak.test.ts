import { expect, it } from 'vitest';
import { runFaultSoak } from '../fault-soak/soak.ts';

// The short form of `npm run soak -- faults`, which has more of everything.
it('loses, doubles and misreports nothing, and reads nothing from before its own writes, whatever goes wrong', async () => {
  const report = await runFaultSoak({ seed: 20_261_121, writes: 100, reads: 250, withFaults: true });
  const { lost, twiceUntold, claimedWrongly, olderThanOwnWrite, neverHeld } = report;
  const counts = { lost, twiceUntold, claimedWrongly, olderThanOwnWrite, neverHeld };
  expect(counts, report.examples.join('\n')).toEqual({
    lost: 0,
    twiceUntold: 0,
    claimedWrongly: 0,
    olderThanOwnWrite: 0,
    neverHeld: 0,
  });
  // Otherwise nothing was tried of what happens when the requests of the hour are used up.
  expect(report.writesRefusedForQuota + report.readsRefusedForQuota).toBeGreaterThan(0);
  // The limit is only for what hangs.
}, 600_000);
