import { expect, it } from 'vitest';
import { runFaultSoak } from './soak.helper.ts';

it('the soak finds no fault if nothing goes wrong', async () => {
  const report = await runFaultSoak({ seed: 1, writes: 60, reads: 120, withFaults: false });
  expect(report).toMatchObject({
    lost: 0,
    twiceUnreported: 0,
    claimedWrongly: 0,
    deniedWrongly: 0,
    olderThanOwnWrite: 0,
    neverExisted: 0,
    claims: { written: 60, 'not written': 0, unknown: 0 },
    examples: [],
  });
}, 60_000);

it('the soak finds no fault with a service that lacks the newer operations, whose writes are not written', async () => {
  const report = await runFaultSoak({ seed: 2, writes: 60, reads: 120, withFaults: false, version: '1.77' });
  expect(report).toMatchObject({
    lost: 0,
    twiceUnreported: 0,
    claimedWrongly: 0,
    deniedWrongly: 0,
    olderThanOwnWrite: 0,
    neverExisted: 0,
    claims: { unknown: 0 },
    examples: [],
  });
  expect(report.claims['not written']).toBeGreaterThan(0);
  expect(report.claims.written).toBeGreaterThan(report.claims['not written']);
}, 60_000);
