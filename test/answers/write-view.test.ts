import { expect, it } from 'vitest';
import { z } from 'zod';
import { contentOf, hostWithViews } from '../features/with-view.helper.ts';

const bought = {
  account_id: 'Checking',
  date: '2026-11-19',
  amount: -12.34,
  payee_name: 'Quite New',
  category_id: 'Groceries',
};

it('a preview has the fields of a new transaction by name, the balances before and after, and a new payee', async () => {
  const { call } = await hostWithViews();
  const args = { transactions: [bought], dry_run: true };
  const { state, changes, balances, notes } = contentOf(await call('create_transactions', args), 'write');
  expect(state).toBe('preview');
  expect(changes).toEqual([
    {
      what: '',
      fields: [
        { label: 'Date', after: '2026-11-19' },
        { label: 'Payee', after: 'Quite New' },
        { label: 'Amount', after: { amount: -12_340 } },
        { label: 'Category', after: 'Groceries' },
        { label: 'Account', after: 'Checking' },
      ],
    },
  ]);
  expect(balances.map(({ kind, name, before = 0, after }) => [kind, name, after - before])).toEqual([
    ['account', 'Checking', -12_340],
    ['category', 'Groceries', -12_340],
  ]);
  expect(notes.join()).toContain('"Quite New"');
});

it('the outcome of a write has what was written and the new balances, and its undo the way back', async () => {
  const { call } = await hostWithViews();
  const args = { month: 'current', category_id: 'Groceries', budgeted: 432.1 };
  const preview = contentOf(await call('update_month_category', { ...args, dry_run: true }), 'write');
  const written = contentOf(await call('update_month_category', args), 'write');
  expect(written).toMatchObject({
    state: 'written',
    changes: [{ what: 'Groceries', fields: [{ label: 'Budgeted', after: { amount: 432_100 } }] }],
  });
  expect(written.balances.map(({ name, after }) => [name, after])).toEqual(
    preview.balances.map(({ name, after }) => [name, after]),
  );
  const undo = contentOf(await call('undo', { dry_run: true }), 'write');
  const [before] = preview.changes[0]?.fields ?? [];
  expect(undo.changes).toEqual([
    {
      what: 'Groceries',
      fields: [{ label: 'Budgeted', before: { amount: 432_100 }, after: before?.before }],
    },
  ]);
});

it('a long write says how many of its changes are left out', async () => {
  const { call } = await hostWithViews();
  const args = { transactions: Array.from({ length: 60 }, () => bought), dry_run: true };
  const { changes, omitted } = contentOf(await call('create_transactions', args), 'write');
  expect([changes.length, omitted]).toEqual([40, 20]);
});

/** What a person reads, with amounts in currency units. */
const titleIn = async (answer: Awaited<ReturnType<Call>>) =>
  contentOf(answer, 'write')
    .title.map((part) =>
      typeof part === 'string' ? part : 'month' in part ? part.month : String(part.amount / 1_000),
    )
    .join('');
type Call = Awaited<ReturnType<typeof hostWithViews>>['call'];

it('the title says what a write does, with the one thing that changes, or with how many do', async () => {
  const { call } = await hostWithViews();
  const title = async (tool: string, args: Record<string, unknown>) =>
    titleIn(await call(tool, { ...args, dry_run: true }));
  const budget = { month: '2026-11', category_id: 'Groceries', budgeted: 432.1 };
  expect(await title('create_transactions', { transactions: [bought] })).toBe(
    'Create transaction: Quite New, -12.34, 2026-11-19',
  );
  expect(await title('create_transactions', { transactions: [bought, bought] })).toBe(
    'Create 2 transactions',
  );
  expect(await title('update_month_category', budget)).toBe(
    "Budget a month's category: Groceries, budgeted 432.1, 2026-11",
  );
  expect(await title('create_payee', { name: 'Corner Bakery' })).toBe('Create payee: Corner Bakery');
  await call('update_month_category', budget);
  expect(await title('undo', {})).toMatch(/^Undo: Groceries, budgeted \d/);
});

it('a deletion says what it deletes, in its preview as in its outcome', async () => {
  const { call, ledger } = await hostWithViews();
  await call('create_transactions', { transactions: [bought] });
  const row = [...ledger.state.transactions.values()].find(({ amount }) => amount === -12_340);
  const args = { transaction_id: row?.id };
  const preview = contentOf(await call('delete_transaction', { ...args, dry_run: true }), 'write');
  const written = contentOf(await call('delete_transaction', args), 'write');
  expect(written.title).toEqual(preview.title);
  expect(preview.title).toEqual([
    'Delete transaction',
    ': ',
    'Quite New',
    ', ',
    { amount: -12_340 },
    ', ',
    '2026-11-19',
  ]);
  expect(
    written.changes[0]?.fields.every(({ before, after }) => before !== undefined && after === undefined),
  ).toBe(true);
});

it('the view of a write says which reconciled balance moves, as the answer does: before, afterwards and when it is undone', async () => {
  const { call, ledger } = await hostWithViews();
  await call('create_transactions', { transactions: [{ ...bought, cleared: 'reconciled' }] });
  const row = [...ledger.state.transactions.values()].find(({ amount }) => amount === -12_340);
  const args = { transaction_id: row?.id, amount: -20 };
  const moves: readonly (readonly [string, object, string])[] = [
    ['update_transaction', { ...args, dry_run: true }, 'would move by -7,66€'],
    ['update_transaction', args, 'has moved by -7,66€'],
    ['undo', { dry_run: true }, 'would move by 7,66€'],
    ['undo', {}, 'has moved by 7,66€'],
  ];
  for (const [tool, input, moved] of moves)
    expect(contentOf(await call(tool, { ...input }), 'write').notes).toEqual([
      `The reconciled balance of account "Checking", which was compared with the bank, ${moved}.`,
    ]);
});

it('the view of an update that the service ignores says that nothing was changed, and how a split is changed', async () => {
  const { call } = await hostWithViews();
  const legs = [
    { amount: -10, category_id: 'Groceries' },
    { amount: -2.34, category_id: 'Gifts' },
  ];
  const { category_id: _, ...entry } = bought;
  const { structured } = await call('create_transactions', {
    transactions: [{ ...entry, subtransactions: legs }],
  });
  const { transaction_ids: [transaction_id] = [] } = entered.parse(structured);
  const { state, changes, notes } = contentOf(
    await call('update_transaction', { transaction_id, amount: -20 }),
    'write',
  );
  expect({ state, changes }).toEqual({ state: 'unchanged', changes: [] });
  expect(notes).toEqual([
    'The service ignored: amount.',
    'A split keeps its date, amount, category and legs.',
    'To change one that was entered by hand, delete it and enter it again.',
  ]);
});

const entered = z.looseObject({ transaction_ids: z.array(z.string()) });
