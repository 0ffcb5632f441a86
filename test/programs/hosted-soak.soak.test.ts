import { expect, it } from 'vitest';
import { runHostedSoak } from './hosted-soak.helper.ts';

// A short form of `npm run soak -- hosted`, with more people, larger budgets and more time.
it('people who use one hosted server at once, in both protocol eras, each get their own budget only', async () => {
  const sizes = [1_000, 1_200, 1_500, 2_000, 3_000, 4_000, 6_000, 10_000];
  const { calls, writes, failures, exitCode } = await runHostedSoak({ sizes, seconds: 15, writes: 2 });
  expect(failures).toEqual([]);
  expect(writes).toBe(2 * sizes.length);
  expect(calls).toBeGreaterThan(writes);
  expect(exitCode).toBe(0);
});
