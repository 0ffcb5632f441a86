import fc from 'fast-check';
import { describe, it } from 'vitest';
import { copyOf } from './copy.ts';
import { apply, changes, smallLedger } from './random-changes.ts';

describe('delta requests', () => {
  it('lead from a full copy to a fresh full read on all 11 lists, whatever was changed in between', () => {
    fc.assert(
      fc.property(changes(12), changes(12), (before, after) => {
        const ledger = smallLedger();
        for (const change of before) apply(ledger, change);
        const check = copyOf(ledger);
        for (const change of after) {
          apply(ledger, change);
        }
        check();
      }),
      { numRuns: 100 },
    );
  });
});
