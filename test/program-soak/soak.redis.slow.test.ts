import { describe, expect, it } from 'vitest';
import { noCaddy } from '../caddy.helper.ts';
import { noRedis } from '../state/redis.helper.ts';
import { lineOf, NOTHING_WRONG } from './judgement.helper.ts';
import { runProgramSoak } from './soak.helper.ts';

// A short form of the third part of `npm run soak -- faults`.
describe.skipIf(noRedis || noCaddy)('two servers with one Redis', () => {
  it('lose and double nothing and misreport nothing while they are killed and suspended, a token is revoked, and Redis is full, emptied and restored', async () => {
    const { found, counts, troubles, examples } = await runProgramSoak({
      seconds: 30,
      seed: 3,
      where: 'servers',
    });
    expect(lineOf(found), examples.join('\n')).toBe(lineOf(NOTHING_WRONG));
    expect(counts['written']).toBeGreaterThan(0);
    expect(Object.keys(troubles).length).toBeGreaterThan(0);
  });
});
