import fc from 'fast-check';
import { describe, it } from 'vitest';
import { expectBalanced } from './ledger/balanced.helper.ts';
import { apply, changes, smallLedger } from './ledger/random-changes.helper.ts';

describe('ledger invariants', () => {
  it('the invariants of a ledger hold after any changes', () => {
    fc.assert(
      fc.property(changes(25), (all) => {
        const ledger = smallLedger();
        for (const change of all) apply(ledger, change);
        expectBalanced(ledger);
      }),
      { numRuns: 100 },
    );
  });
});
