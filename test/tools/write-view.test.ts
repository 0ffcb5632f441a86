import { expect, it } from 'vitest';
import { contentOf, hostWithViews } from './with-view.helper.ts';

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
