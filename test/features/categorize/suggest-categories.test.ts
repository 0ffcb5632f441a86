import { expect, it } from 'vitest';
import { z } from 'zod';
import { present, TextContext } from '../../../src/answers/text.ts';
import { plainAmounts } from '../../../src/answers/units.ts';
import { suggestCategories } from '../../../src/features/categorize/suggest-categories.ts';
import { listTransactions } from '../../../src/operations/transactions.ts';
import { connected } from '../connected.helper.ts';

const answered = z.object({ total: z.number(), with_suggestion: z.number(), rows: z.array(z.unknown()) });

it('suggest_categories lists what the service lists as uncategorized, and sends no request', async () => {
  const { call, direct, ledger, asked } = await connected();
  const { structured, text } = await call('suggest_categories');
  expect(asked()).toEqual([]);
  const { transactions } = await direct(ledger.id).data(listTransactions, { type: 'uncategorized' });
  expect(transactions.length).toBeGreaterThan(0);
  expect(structured).toMatchObject({
    total: transactions.length,
    rows: transactions
      .toSorted((a, b) => (a.date < b.date ? 1 : -1))
      .map(({ id, amount }) => ({ transaction_id: id, amount: amount / 1000 })),
  });
  expect(text).toContain(`· ${transactions.length} transactions without a category · sum `);
});

it('a transaction gets the category of its payee, and update_transactions takes both as they are in the text', async () => {
  const { call, ledger } = await connected();
  const row = { account_id: 'Checking', date: 'today', amount: -5, payee_name: 'Harvest Hall' };
  await call('create_transactions', {
    transactions: [
      { ...row, category_id: 'Groceries' },
      { ...row, amount: -6, category_id: 'Groceries' },
      { ...row, amount: -7 },
    ],
  });
  const { text } = await call('suggest_categories', { since: 'today' });
  const [, category = '', id = ''] =
    /-7\.00 · "Harvest Hall" · account "Checking" · "(.+)" in \d+ of \d+ · (\w+)\n/.exec(text) ?? [];
  expect(category).toBe('Groceries');
  const { isError } = await call('update_transactions', { transactions: [{ id, category_id: category }] });
  expect(isError).toBeFalsy();
  const changed = ledger.transactions(undefined).find(({ amount }) => amount === -7_000);
  expect(changed?.category_name).toBe('Groceries');
  expect((await call('suggest_categories')).text).not.toContain('-7.00');
});

it('a limit cuts the rows and not the total', async () => {
  const { call } = await connected();
  const all = answered.parse((await call('suggest_categories')).structured);
  const { structured, text } = await call('suggest_categories', { limit: 1 });
  expect(answered.parse(structured)).toMatchObject({ total: all.total, rows: all.rows.slice(0, 1) });
  expect(text).toContain(`and ${all.total - 1} more;`);
});

it('without such transactions, suggest_categories says so', async () => {
  const { call } = await connected();
  const { text } = await call('suggest_categories', { budget_id: 'Japan Trip' });
  expect(text).toMatch(/^Budget "Japan Trip" \(JPY\) · 0 transactions without a category\nAs of /);
});

it('a leg is not offered for a change, and texts from outside are quoted', () => {
  const data = {
    total: 1,
    sum: -5_000,
    with_suggestion: 0,
    legs: 1,
    rows: [
      {
        transaction_id: 'trx-1',
        is_leg: true,
        date: '2026-11-20',
        amount: -5_000,
        memo: `Pay\nnow ${'x'.repeat(100)}`,
        payee_id: null,
        name: null,
        account_id: 'acc-1',
        account_name: 'Checking\n',
        suggestion: null,
      },
    ],
  };
  const { heading, lines } = suggestCategories.text({ data }, new TextContext(plainAmounts(null)));
  expect(heading).toEqual([
    '1 transaction without a category',
    '1 of them legs of splits',
    'sum -5.00',
    '0 with a suggestion',
  ]);
  expect(present(lines)).toEqual([
    expect.stringMatching(
      /^2026-11-20 · -5\.00 · no payee · account "Checking\\n" \(acc-1\) · memo "Pay\\nnow x{52}…" · no category known · leg of trx-1, changed only in the app$/,
    ),
  ]);
});
