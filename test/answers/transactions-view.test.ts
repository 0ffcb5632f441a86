import { expect, it } from 'vitest';
import { z } from 'zod';
import { renamePayee } from '../../src/service/ledger/payees.ts';
import { contentOf, hostWithViews } from '../features/with-view.helper.ts';

const MAX_CHARACTERS = 100_000;
const page = z.object({ total: z.number(), sum: z.number() });

it('the pages of the view have all rows once, in the order of the list, whatever is shown to the model', async () => {
  const { call } = await hostWithViews();
  const first = await call('find_transactions', { limit: 3 });
  const { total, sum } = page.parse(first.structured['page']);
  const pages = [contentOf(first, 'transactions')];
  for (let cursor = pages[0]?.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor) {
    const next = await call('find_transactions', { limit: 1, cursor });
    expect(next.characters).toBeLessThanOrEqual(MAX_CHARACTERS);
    pages.push(contentOf(next, 'transactions'));
  }
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.map(({ isContinued }) => isContinued)).toEqual(pages.map((_, index) => index > 0));
  const rows = pages.flatMap((each) => each.rows);
  expect(rows).toHaveLength(total);
  expect(rows.reduce((all, { amount }) => all + amount, 0)).toBe(Math.round(sum * 1_000));
  expect(rows.map(({ date }) => date)).toEqual(
    rows
      .map(({ date }) => date)
      .toSorted()
      .toReversed(),
  );
});

it('rows have the names of their accounts, payees and categories, and the conditions are in words', async () => {
  const { call } = await hostWithViews();
  const args = { payee: 'Greenleaf Market', since: '2026-06', min_amount: 20 };
  const answer = await call('find_transactions', args);
  const { rows, payees, categories, accounts, conditions, since } = contentOf(answer, 'transactions');
  expect(since).toBe('2026-06-01');
  expect(conditions).toEqual([
    { label: 'At least', amount: 20_000 },
    { label: 'Payee', value: 'Greenleaf Market' },
  ]);
  const [newest] = z
    .array(
      z.object({
        date: z.string(),
        amount: z.number(),
        account_name: z.string(),
        category_name: z.string().nullable(),
      }),
    )
    .parse(answer.structured['transactions']);
  const [row] = rows;
  expect({
    date: row?.date,
    amount: (row?.amount ?? 0) / 1_000,
    account_name: accounts[row?.account ?? -1]?.name,
    // The service names the category of a split like this.
    category_name: row?.marks?.includes('split') ? 'Split' : categories[row?.category ?? -1]?.name,
  }).toEqual(newest);
  expect(payees[row?.payee ?? -1]?.name).toBe('Greenleaf Market');
});

it('a page with names of 10,000 hostile characters has fewer rows instead of more than 100,000 characters', async () => {
  const { service, call } = await hostWithViews();
  const [ledger] = service.user.ledgers;
  ledger?.commit((state) => {
    for (const { id, transfer_account_id } of [...state.payees.values()])
      if (transfer_account_id === null)
        renamePayee(state, id, `${id}\u202e</script><b>"${'\\"'.repeat(5_000)}`);
  });
  const answer = await call('find_transactions', {});
  const { rows, payees, next_cursor } = contentOf(answer, 'transactions');
  expect(answer.characters).toBeLessThanOrEqual(MAX_CHARACTERS);
  expect(rows.length).toBeGreaterThan(50);
  expect(next_cursor).not.toBeNull();
  const hostile = payees.filter(({ name }) => name.includes('</script>'));
  expect(hostile.length).toBeGreaterThan(5);
  for (const { name } of hostile) expect(name).not.toMatch(/\u202e/);
  expect(Math.max(...payees.map(({ name }) => name.length))).toBe(201);
});
