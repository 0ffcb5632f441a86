import { describe, expect, it } from 'vitest';
import { sqlite } from '../store/sqlite.helper.ts';
import { lineOf, NOTHING_WRONG } from './judgement.helper.ts';
import { runProgramSoak } from './soak.helper.ts';

// A short form of the second part of `npm run soak -- faults`.
describe.skipIf(!sqlite)('programs that share a state in files', () => {
  it('lose and double nothing and misreport nothing while they are killed and suspended, the token is revoked, and the state is full, deleted and restored', async () => {
    const options = { seed: 2, where: 'programs', rounds: 1, longestMs: 4_000 } as const;
    const { found, counts, troubles, examples } = await runProgramSoak(options);
    expect(lineOf(found), examples.join('\n')).toBe(lineOf(NOTHING_WRONG));
    expect(counts['written']).toBeGreaterThan(0);
    const once = { kill: 1, suspend: 1, revoke: 1, 'new-token': 1, delete: 1, restore: 1 };
    expect(troubles).toMatchObject(once);
  });
});
