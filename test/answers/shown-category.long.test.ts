import { describe, expect, it } from 'vitest';
import { startedWithSums } from '../altered-service.helper.ts';
import { defaultReads, defaultWrites } from '../every-call.helper.ts';

describe.each([
  ['cached', {}],
  ['not cached', { cacheBytes: 0 }],
])('for a budget that is %s', (_, options) => {
  it('no answer of any tool has an amount or a goal of an internal category', async () => {
    const { say, direct, ledger } = await startedWithSums({}, options);
    const { budget } = await direct(ledger.id).export();
    const calls = [...defaultReads(budget), ...defaultWrites(budget)];
    for (const { name, args } of calls) {
      expect((await say(name, args)).all, name).not.toMatch(/1004000|1,?004,?000/);
      if (!('category_id' in args)) continue;
      const named = await say(name, { ...args, category_id: 'Ready to Assign', dry_run: true });
      expect(named.all, name).not.toMatch(/1004000|there is no category/);
    }
  });
});
