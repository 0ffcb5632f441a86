import { describe, expect, it } from 'vitest';
import { noCaddy } from '../caddy.helper.ts';
import { noRedis } from '../store/redis.helper.ts';
import { lineOf, NOTHING_WRONG } from './judgement.helper.ts';
import { runProgramSoak } from './soak.helper.ts';

// A short form of the third part of `npm run soak -- faults`.
describe.skipIf(noRedis || noCaddy)('two servers with one Redis', () => {
  it('lose and double nothing and misreport nothing while they are killed and suspended, a token is revoked, and Redis is full, emptied, restored and without its processes', async () => {
    const options = { seed: 3, where: 'servers', rounds: 1, longestMs: 4_000 } as const;
    const { found, counts, troubles, examples } = await runProgramSoak(options);
    expect(lineOf(found), examples.join('\n')).toBe(lineOf(NOTHING_WRONG));
    expect(counts['written']).toBeGreaterThan(0);
    expect(troubles).toEqual({ kill: 1, suspend: 1, revoke: 1, full: 1, delete: 1, evict: 1, restore: 1 });
  });
});
