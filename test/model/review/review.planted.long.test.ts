import { expect, it } from 'vitest';
import type { FindingKind } from '../../../src/model/review/finding-kinds.ts';
import { type Finding, review } from '../../../src/model/review/review.ts';
import { pairKey, plantedHousehold } from './planted.helper.ts';

/** The rules were changed on other households (docs/questions.md, What came in). */
const FIRST_SEED = 201;
const HOUSEHOLDS = 20;

const keyOf = ({ row, other }: Finding) => (other ? pairKey(row.id, other.id) : row.id);

it('in 20 households, nearly all planted duplicates and pairs of a transfer are found, and hardly anything else', async () => {
  const counts = new Map<FindingKind, { planted: number; found: number; right: number }>();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HOUSEHOLDS; seed += 1) {
    const { replica, duplicates, transfers, unusual } = await plantedHousehold(seed);
    const { findings } = review(replica);
    for (const [kind, planted] of [
      ['likely_duplicate', duplicates],
      ['transfer_pair', transfers],
      ['unusual_amount', unusual],
    ] as const) {
      const found = findings.filter((each) => each.kind === kind).map(keyOf);
      const before = counts.get(kind) ?? { planted: 0, found: 0, right: 0 };
      counts.set(kind, {
        planted: before.planted + planted.size,
        found: before.found + found.length,
        right: before.right + found.filter((key) => planted.has(key)).length,
      });
    }
  }
  for (const [kind, { planted, found, right }] of counts) {
    // Other amounts are unusual too that were not planted as such.
    expect(right / found, `precision of ${kind}`).toBeGreaterThanOrEqual(
      kind === 'unusual_amount' ? 0.75 : 0.98,
    );
    expect(right / planted, `recall of ${kind}`).toBeGreaterThanOrEqual(0.9);
  }
});
