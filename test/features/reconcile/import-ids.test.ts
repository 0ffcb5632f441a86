import fc from 'fast-check';
import { expect, it } from 'vitest';
import { importIdsOf } from '../../../src/features/reconcile/import-ids.ts';

const row = { date: '2026-11-03', amount: -12_340 };

it('importIdsOf counts the rows of one amount and day', () => {
  expect(importIdsOf([row, { ...row, amount: 5 }, row], new Set())).toEqual([
    'YNAB:-12340:2026-11-03:1',
    'YNAB:5:2026-11-03:1',
    'YNAB:-12340:2026-11-03:2',
  ]);
});

it('importIdsOf uses no id that the account has', () => {
  const taken = new Set(['YNAB:-12340:2026-11-03:1', 'YNAB:-12340:2026-11-03:3']);
  expect(importIdsOf([row, row, row], taken)).toEqual([
    'YNAB:-12340:2026-11-03:2',
    'YNAB:-12340:2026-11-03:4',
    'YNAB:-12340:2026-11-03:5',
  ]);
});

it('importIdsOf gives every row an id of its own that fits into the field', () => {
  const amounts = fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant(1), amounts)), (all) => {
      const ids = importIdsOf(
        all.map((amount) => ({ ...row, amount })),
        new Set(),
      );
      expect(new Set(ids).size).toBe(all.length);
      for (const id of ids) expect(id.length).toBeLessThanOrEqual(36);
    }),
  );
});
