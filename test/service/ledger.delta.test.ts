import fc from 'fast-check';
import { describe, it } from 'vitest';
import { startDeltaCheck } from './ledger/delta-check.helper.ts';
import { apply, changes, smallLedger } from './ledger/random-changes.helper.ts';

describe('delta requests', () => {
  it('after any changes, the deltas of all 11 lists update a full copy to a fresh full read', () => {
    fc.assert(
      fc.property(changes(12), changes(12), (before, after) => {
        const ledger = smallLedger();
        for (const change of before) apply(ledger, change);
        const check = startDeltaCheck(ledger);
        for (const change of after) {
          apply(ledger, change);
        }
        check();
      }),
      { numRuns: 100 },
    );
  });
});
