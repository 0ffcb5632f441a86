import { expect, it } from 'vitest';
import type { WriteContent } from '../../../src/answers/view-data/write-content.ts';
import { contentOf, hostWithViews } from '../with-view.helper.ts';

it('a move of budgeted money has both sides before and after it, in the preview as in the outcome', async () => {
  const { call } = await hostWithViews();
  const args = { from: 'Emergency Fund', to: 'Hobbies', amount: 12.5 };
  const preview = contentOf(await call('move_budgeted', { ...args, dry_run: true }), 'write');
  expect(preview.state).toBe('preview');
  expect(preview.title).toEqual([
    'Move ',
    { amount: 12_500 },
    ' from ',
    'Emergency Fund',
    ' to ',
    'Hobbies',
    ', ',
    { month: '2026-11' },
  ]);
  expect(preview.balances.map(({ name, before = 0, after }) => [name, after - before])).toEqual([
    ['Ready to Assign', 0],
    ['Emergency Fund', -12_500],
    ['Hobbies', 12_500],
  ]);
  expect(preview.changes.map(({ what }) => what)).toEqual(['Emergency Fund', 'Hobbies']);
  const written = contentOf(await call('move_budgeted', args), 'write');
  expect(written).toEqual(withoutReadyBefore({ ...preview, state: 'written' }));
});

/** What was left to assign before a write may have been changed elsewhere, so that only a preview has it. */
const withoutReadyBefore = (content: WriteContent): WriteContent => ({
  ...content,
  balances: content.balances.map(({ before, ...rest }) =>
    rest.kind === 'ready' || before === undefined ? rest : { ...rest, before },
  ),
});

it('an assignment has each category before and after it, the sum, and what is left to be assigned', async () => {
  const { call } = await hostWithViews();
  const args = {
    amounts: [
      { category: 'Pets', amount: 12.5 },
      { category: 'Gifts', amount: -2 },
    ],
  };
  const preview = contentOf(await call('assign_money', { ...args, dry_run: true }), 'write');
  expect(preview.title).toEqual([
    'Assign ',
    { amount: 10_500 },
    ' from ',
    'Ready to Assign',
    ', ',
    { month: '2026-11' },
  ]);
  expect(preview.balances.map(({ name, before = 0, after }) => [name, after - before])).toEqual([
    ['Ready to Assign', -10_500],
    ['Gifts', -2_000],
    ['Pets', 12_500],
  ]);
  expect(preview.changes.map(({ what }) => what)).toEqual(['Gifts', 'Pets']);
  const written = contentOf(await call('assign_money', args), 'write');
  expect(written).toEqual(withoutReadyBefore({ ...preview, state: 'written' }));
});

it('a reconciliation without a balance shows no amount at the bank', async () => {
  const { call } = await hostWithViews();
  const args = { account: 'Checking', dry_run: true };
  const { title } = contentOf(await call('apply_reconciliation', args), 'write');
  expect(title.slice(0, 3)).toEqual(['Reconcile ', 'Checking', ', ']);
});

it('a reconciliation that is refused says why, and shows no balance', async () => {
  const { call } = await hostWithViews();
  const args = { account: 'Checking', balance: 1, dry_run: true };
  const { title, state, notes, balances } = contentOf(await call('apply_reconciliation', args), 'write');
  expect(title.slice(0, 4)).toEqual(['Reconcile ', 'Checking', ' at ', { amount: 1_000 }]);
  expect([state, balances]).toEqual(['refused', []]);
  expect(notes.join()).toContain('unexplained');
});
