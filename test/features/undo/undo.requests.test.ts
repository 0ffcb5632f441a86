import { expect, it } from 'vitest';
import { RateBudget } from '../../../src/session/rate-budget/rate-budget.ts';
import { ManualClock } from '../../manual-clock.helper.ts';
import { startMoving } from '../moving.helper.ts';

it('without a cache, undo reads nothing if there are too few requests for its writes', async () => {
  const clock = new ManualClock('2026-11-21T12:00:00Z');
  const rateBudget = new RateBudget({ clock });
  const { call, sent } = await startMoving(
    { cacheBytes: 0, rateBudget: () => rateBudget },
    { confirm: 'none' },
  );
  await call('create_transactions', {
    transactions: Array.from({ length: 340 }, (_, index) => ({
      account_id: 'Wallet',
      date: '2026-11-20',
      amount: -1 - index,
    })),
  });
  const before = await rateBudget.status();
  const { isError, text } = await call('undo');
  expect(isError).toBe(true);
  expect(text).toContain('it needs 1020 requests');
  expect(await rateBudget.status()).toMatchObject({ left: before.left });
  expect(sent()).toBe(1);
});
