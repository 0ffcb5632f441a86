import { expect, it } from 'vitest';
import { runFaultSoak } from '../fault-soak/soak.helper.ts';

// A short form of the first part of `npm run soak -- faults`.
it('with all faults, no write is lost, done twice or misreported, and no read is older than the own writes', async () => {
  const report = await runFaultSoak({ seed: 20_261_121, writes: 100, reads: 250, withFaults: true });
  expect(report, report.examples.join('\n')).toMatchObject({
    lost: 0,
    twiceUnreported: 0,
    claimedWrongly: 0,
    deniedWrongly: 0,
    olderThanOwnWrite: 0,
    neverExisted: 0,
  });
  // Otherwise the soak did not try what happens when the requests of the hour are used up.
  expect(report.writesRefusedForQuota + report.readsRefusedForQuota).toBeGreaterThan(0);
  // This limit only ends a test that hangs.
}, 600_000);
