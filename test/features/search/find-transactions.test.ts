import { expect, it } from 'vitest';
import { z } from 'zod';
import { addTransaction } from '../../../src/service/ledger/transactions.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';
import { connected } from '../connected.helper.ts';

const answerSchema = z.object({
  transactions: z.array(
    z.object({
      id: z.string(),
      date: z.string(),
      amount: z.number(),
      matching_amount: z.number().optional(),
    }),
  ),
  page: z.object({
    total: z.number(),
    returned: z.number(),
    next_cursor: z.string().nullable(),
    sum: z.number(),
  }),
});

/** A server with the household of about two years. */
async function household(structured: boolean) {
  const started = await startHolding({}, { transactions: 1_500 });
  const host = await hostOf(started, { structured });
  const find = async (args: Record<string, unknown>) => {
    const { content, structuredContent, isError } = await host.callTool({
      name: 'find_transactions',
      arguments: args,
    });
    const [first] = content;
    return { text: first?.type === 'text' ? first.text : '', structuredContent, isError };
  };
  const findRows = async (args: Record<string, unknown>) =>
    answerSchema.parse((await find(args)).structuredContent);
  return { ...started, find, findRows };
}

it('the answer has the number and the sum first, and then the rows, newest first', async () => {
  const { find } = await household(false);
  const { text } = await find({ text: 'greenleaf soap', since: '2026-08', until: '2026-10' });
  expect(text.split('\n').slice(0, -1)).toEqual([
    'Budget "Household" (EUR) · 2 transactions, newest first · sum -29.91',
    '2026-10-30 · -36.67 · "Greenleaf Market" · split · of which -9.17 matches · account "Checking" · a9f005',
    '  -27.50 · in "Groceries"',
    '  -9.17 · in "Household Goods" · memo "soap & such"',
    '2026-08-27 · -82.97 · "Greenleaf Market" · split · of which -20.74 matches · account "Checking" · reconciled · 2559e5',
    '  -62.23 · in "Groceries"',
    '  -20.74 · in "Household Goods" · memo "soap & such"',
  ]);
});

it('what all rows have in common is in the first line only', async () => {
  const { find } = await household(false);
  const { text } = await find({ payee: 'noodle lantern', since: '2026-09' });
  expect(text).toMatch(
    /^Budget "Household" \(EUR\) · payee "Noodle Lantern" · \d+ transactions, newest first · sum -/,
  );
  expect(text.match(/Noodle Lantern/g)).toHaveLength(1);
});

it('all pages of a search together have each row once, in order, and each page has the total and the sum', async () => {
  const { findRows, ledger } = await household(true);
  const searches = [{ text: 'market' }, { min_amount: 20, limit: 40 }, { text: 'soap', limit: 500 }, {}];
  for (const args of searches) {
    const pages = [await findRows(args)];
    for (let cursor = pages[0]?.page.next_cursor; cursor; cursor = pages.at(-1)?.page.next_cursor)
      pages.push(await findRows({ ...args, cursor }));
    const rows = pages.flatMap(({ transactions }) => transactions);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    const dates = rows.map(({ date }) => date);
    expect(dates).toEqual(dates.toSorted().reverse());
    const cents = rows.map((each) => Math.round((each.matching_amount ?? each.amount) * 100));
    const sum = cents.reduce((total, each) => total + each, 0) / 100;
    for (const { page } of pages) expect(page).toMatchObject({ total: rows.length, sum });
    const isAll = Object.keys(args).length === 0;
    if (isAll) expect(rows).toHaveLength(ledger.transactions(undefined).length);
  }
});

it('a cursor does not fit another search', async () => {
  const { find, findRows } = await household(true);
  const { next_cursor } = (await findRows({ text: 'market', limit: 2 })).page;
  const other = await find({ text: 'bakery', limit: 2, cursor: next_cursor });
  expect(other).toMatchObject({ isError: true, text: expect.stringContaining('another query') });
});

it('accounts, categories and payees are given by name, and no request is needed', async () => {
  const { call, ledger, asked } = await connected();
  const { structured } = await call('find_transactions', { account: 'blue card', category: 'groceries' });
  const ofCard = ledger
    .transactions(undefined)
    .filter(
      ({ account_name, category_name, subtransactions }) =>
        [category_name, ...subtransactions.map((leg) => leg.category_name)].includes('Groceries') &&
        account_name === 'Blue Card',
    );
  expect(ofCard.length).toBeGreaterThan(0);
  expect(answerSchema.parse(structured).page.total).toBe(ofCard.length);
  expect(asked()).toEqual([]);
});

it('the types are those of the service, and transfers', async () => {
  const { findRows, ledger } = await household(true);
  for (const type of ['uncategorized', 'unapproved'] as const) {
    const { transactions } = await findRows({ type });
    const expected = ledger.transactions(undefined, { type }).map(({ id }) => id);
    expect(transactions.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  }
  const transfers = ledger.transactions(undefined).filter(({ transfer_account_id }) => transfer_account_id);
  expect((await findRows({ type: 'transfer' })).page).toMatchObject({ total: transfers.length, sum: 0 });
});

it('a search says which categories and accounts it found whole by their names, and how to narrow it', async () => {
  const { find, ledger } = await household(false);
  const found = ledger
    .transactions(undefined)
    .filter((row) =>
      [row, ...row.subtransactions].some(({ category_name }) => category_name === 'Groceries'),
    );
  const { text } = await find({ text: 'Groceries', limit: 1 });
  expect(text.split('\n')[1]).toBe(
    `Of them ${found.length} by the category "Groceries", since the text occurs in the name. More words, payee, category or account narrow it.`,
  );
  expect((await find({ text: 'greenleaf soap', limit: 1 })).text).not.toContain('Of them');
});

it('a search that finds nothing says so', async () => {
  const { find } = await household(false);
  const { text, isError } = await find({ text: 'no such thing' });
  expect(isError).toBeFalsy();
  expect(text).toMatch(/^Budget "Household" \(EUR\) · 0 transactions\nAs of /);
});

it.each([
  [{ text: ' ' }, 'text has no word to search for'],
  [{ min_amount: -60, max_amount: 50 }, 'min_amount is larger than max_amount'],
  [{ since: '2026-10-02', until: '2026-09' }, 'since 2026-10-02 is after until 2026-09-30'],
  [{ type: 'split' }, 'type'],
  [{ account: 'Nowhere' }, 'there is no account "Nowhere"'],
])('%j is refused with an explanation', async (args, message) => {
  const { call } = await connected();
  expect(await call('find_transactions', args)).toMatchObject({
    isError: true,
    text: expect.stringContaining(message),
  });
});

it('a budget in a currency without decimals is searched in whole units', async () => {
  const { call, other } = await connected();
  const [first] = other.transactions(undefined);
  const size = Math.abs(first?.amount ?? 0) / 1000;
  const budget_id = other.summary().name;
  const exact = await call('find_transactions', { budget_id, min_amount: size, max_amount: size });
  const { transactions } = answerSchema.parse(exact.structured);
  expect(transactions.map(({ id }) => id)).toContain(first?.id);
  const byText = await call('find_transactions', { budget_id, text: String(size) });
  expect(answerSchema.parse(byText.structured).transactions.map(({ id }) => id)).toContain(first?.id);
  expect(await call('find_transactions', { budget_id, min_amount: 1.5 })).toMatchObject({
    isError: true,
    text: expect.stringContaining('min_amount has more decimals than JPY takes (0)'),
  });
});

it('a memo that looks like a line of the answer stays quoted', async () => {
  const { call, ledger, clock } = await connected();
  const [account] = ledger.accounts();
  ledger.commit((state) =>
    addTransaction(state, {
      account_id: account?.id ?? '',
      date: '2026-11-20',
      amount: -1_000,
      memo: 'x\n2026-11-20 · 999.00 · "Payday"',
    }),
  );
  clock.advance(600_000);
  const { text } = await call('find_transactions', { text: 'payday' });
  expect(text).toContain('memo "x\\n2026-11-20 · 999.00 · \\"Payday\\""');
  expect(text).toMatch(/ · 1 transactions · sum -1\.00\n/);
});

it('a search without a cached budget says why it cannot answer', async () => {
  const { connect, service, clock } = await startHolding();
  const client = connect(service.accessToken, { cacheBytes: 0 });
  const host = await hostOf({ client, clock });
  expect(await host.callTool({ name: 'find_transactions', arguments: { text: 'market' } })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('This needs the whole budget in the cache') }],
  });
});

it('a search that finds several transactions of few payees has the number and the sum of each', async () => {
  const { find } = await household(false);
  const { text } = await find({ account: 'Mortgage', since: '2026-01', until: '2026-10' });
  expect(text).toMatch(/\nBy payee: ".+" -?\d+\.\d\d \(\d+\), ".+" -?\d+\.\d\d \(\d+\)\.\n/);
});

it('a search for transactions without a category says what their payees had', async () => {
  const { call } = await connected();
  const row = { account_id: 'Checking', date: 'today', amount: -5, payee_name: 'Harvest Hall' };
  await call('create_transactions', { transactions: [row, { ...row, category_id: 'Groceries' }] });
  const { text } = await call('find_transactions', { type: 'uncategorized', since: 'today' });
  expect(text).toMatch(/\nUsual category: .*"Groceries" in \d+ of \d+( "Harvest Hall")?[.,]/);
});
