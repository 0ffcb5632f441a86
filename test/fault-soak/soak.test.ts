import { expect, it } from 'vitest';
import { runFaultSoak } from './soak.helper.ts';

it('the soak finds no fault if nothing goes wrong', async () => {
  const report = await runFaultSoak({ seed: 1, writes: 60, reads: 120, withFaults: false });
  expect(report).toMatchObject({
    lost: 0,
    twiceUnreported: 0,
    claimedWrongly: 0,
    olderThanOwnWrite: 0,
    neverExisted: 0,
    claims: { written: 60, 'not written': 0, unknown: 0 },
    examples: [],
  });
}, 60_000);
