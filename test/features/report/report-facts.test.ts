import { expect, it } from 'vitest';
import { z } from 'zod';
import { addTransaction } from '../../../src/service/ledger/transactions.ts';
import { hostOf } from '../../mcp/connected.helper.ts';
import { startHolding } from '../../session/holding.helper.ts';
import { connected } from '../connected.helper.ts';

const amounts = z.object({
  total: z.number(),
  refunds: z.object({ amount: z.number(), transactions: z.number() }),
  rows: z.array(z.object({ name: z.string(), total: z.number() })),
});

/** The household with three entries of today, the budget's newest. */
async function withEntries() {
  const { call, ...others } = await connected();
  const row = { account_id: 'Wallet', date: 'today', payee_name: 'Tram Kiosk' };
  await call('create_transactions', {
    transactions: [
      { ...row, amount: -30, category_id: 'Hobbies' },
      { ...row, amount: 12, category_id: 'Hobbies' },
      { ...row, amount: -4, payee_name: 'Bench', memo: 'by the tram', category_id: 'Fuel' },
      { ...row, amount: 50, payee_name: 'Transfer : Checking' },
      { ...row, amount: -9, payee_name: 'Transfer : Checking' },
    ],
  });
  const report = (args: object) => call('report', { of: 'spending', since: 'today', ...args });
  return { ...others, call, report };
}

it('spending says what was paid, what was refunded and how often', async () => {
  const { report } = await withEntries();
  const { text, structured } = await report({ payee: ['Tram Kiosk'] });
  expect(text).toContain(' · total 18.00 (2 transactions), 30.00 less refunds of 12.00 (1)\n');
  expect(amounts.parse(structured)).toMatchObject({ total: 18, refunds: { amount: 12, transactions: 1 } });
  expect((await report({ payee: ['Bench'] })).text).toContain(' · total 4.00 (1 transaction), no refunds\n');
});

it('income names its starting balances and adjustments, of the whole range and of each month', async () => {
  const { call, ledger, direct } = await connected();
  await call('create_account', { name: 'New', type: 'savings', balance: 5_000 });
  const { budget } = await direct(ledger.id).export();
  const idOf = (rows: readonly { readonly id: string; readonly name: string }[], name: string) =>
    rows.find((each) => each.name === name)?.id ?? '';
  ledger.commit((state) =>
    addTransaction(state, {
      account_id: idOf(budget.accounts, 'Wallet'),
      date: state.today,
      amount: 12_000,
      payee_id: idOf(budget.payees, 'Reconciliation Balance Adjustment'),
      category_id: idOf(budget.categories, 'Inflow: Ready to Assign'),
    }),
  );
  await call('refresh_budget');
  const parts = 'of which 5000.00 starting balances and 12.00 adjustments of balances';
  const income = (args: object) => call('report', { of: 'income', ...args });
  expect((await income({ since: 'today' })).text).toContain(`total 5012.00 (2 transactions), ${parts}\n`);
  expect((await income({ of: 'both', since: 'today' })).text).toContain(
    `income 5012.00, ${parts} · spending`,
  );
  const { text } = await income({ monthly: true, since: '2026-10', until: '2026-11' });
  expect(text).toMatch(new RegExp(`\n2026-11 \\S+ \\(\\d+\\), ${parts}\n`));
  expect(text).toMatch(/\n2026-10 \S+ \(\d+\)(\n|, of which \S+ starting)/);
});

it('where the category of income cannot be recognised, a report of income says so', async () => {
  const started = await startHolding();
  started.altering.answer = (_, body) =>
    body.replaceAll('"internal":true', '"internal":false').replaceAll('Internal Master Category', 'Andere');
  const host = await hostOf(started);
  for (const of of ['income', 'both'])
    expect(JSON.stringify(await host.callTool({ name: 'report', arguments: { of } }))).toContain(
      'The category that income has could not be recognised in this budget',
    );
});

it('a report on an account has its transfers, and its balance at the end', async () => {
  const { report, ledger } = await withEntries();
  const balance = [...ledger.accounts()].find(({ name }) => name === 'Wallet')?.balance ?? 0;
  const { text } = await report({ account: ['Wallet'] });
  expect(text).toMatch(
    new RegExp(` · transferred in 50\\.00, out 9\\.00 · balance on \\S+ ${(balance / 1_000).toFixed(2)}\n`),
  );
  const both = await report({ account: ['Wallet', 'Checking'] });
  expect(both.text).toContain(' · transferred in 0.00, out 0.00 · ');
});

it('a report by payee says whether the text occurs in the names of the payees', async () => {
  const { report } = await withEntries();
  expect((await report({ text: 'kiosk', by: 'payee' })).text).toContain(
    'The text occurs in the names of all these payees.',
  );
  expect((await report({ text: 'tram', by: 'payee' })).text).toContain(
    'For 1 of these payees it occurs elsewhere, such as in a memo, category, flag or text of the bank, not in the name.',
  );
});

it('a report on several groups by category has the sum of each, also of rows that are on later pages', async () => {
  const { call } = await connected();
  const query = { of: 'spending', category: ['Everyday', 'Home'], since: '2026-10', until: '2026-10' };
  const groups = amounts
    .omit({ refunds: true })
    .parse((await call('report', { ...query, by: 'group' })).structured);
  expect(groups.rows).toHaveLength(2);
  const { text } = await call('report', { ...query, by: 'category', top: 1 });
  for (const { name, total } of groups.rows) expect(text).toContain(`"${name}" ${total.toFixed(2)}`);
});

it('a report on categories this month has their goals, and one of another month has none', async () => {
  const { call } = await connected();
  const query = { of: 'spending', category: ['Groceries', 'Eating Out'] };
  const { text } = await call('report', query);
  expect(text).toContain('Goal of "Eating Out": monthly funding 190.00');
  expect((await call('report', { ...query, since: '2026-09', until: '2026-09' })).text).not.toContain('Goal');
});
