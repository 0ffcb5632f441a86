import { expect, it } from 'vitest';
import { household } from '../features/writing-household.helper.ts';

it('an entry in an earlier month says that its category is overspent in that month, and each row is listed', async () => {
  const { done } = await household();
  const row = (index: number) => ({
    account_id: 'Checking',
    category_id: 'Groceries',
    date: '2026-10-14',
    amount: -5_000 - index,
  });
  const text = await done('create_transactions', {
    transactions: Array.from({ length: 14 }, (_, at) => row(at)),
  });
  expect(text).toMatch(/Overspent in 2026-10: "Groceries" -\d+\.\d\d\./);
  for (let at = 0; at < 14; at += 1)
    expect(text).toContain(`2026-10-14 · ${-5_000 - at}.00 · in "Groceries"`);
});
