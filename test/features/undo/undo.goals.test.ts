/** undo of what changed a goal: its target, its rhythm, or whether there is one. */
import { expect, it } from 'vitest';
import { updateCategory } from '../../../src/service/ledger/categories.ts';
import type { Goal } from '../../../src/service/ledger/records.ts';
import { household } from '../writing-household.helper.ts';

const HOUR_MS = 3_600_000;
const NEED: Goal = {
  type: 'NEED',
  target: 20_000,
  creation_month: '2026-11-01',
  target_date: null,
  needs_whole_amount: true,
  day: null,
  cadence: 1,
  cadence_frequency: 1,
  snoozed_at: null,
};

/** Groceries with a goal that is known, or with none. */
async function withGoal(goal: Partial<Goal> | null) {
  const it = await household();
  const all = it.ledger.categoryGroups().flatMap(({ categories }) => categories);
  const { id } = all.find(({ name }) => name === 'Groceries') ?? expect.unreachable();
  it.ledger.commit((state) => updateCategory(state, id, { goal: goal && { ...NEED, ...goal } }));
  // The program learns of the goal before it changes it.
  it.clock.advance(HOUR_MS);
  await it.done('list_categories');
  const change = (fields: object) => it.done('update_category', { category_id: 'Groceries', ...fields });
  return { ...it, change, goal: () => it.ledger.state.categories.get(id)?.goal };
}

it.each<[string, Partial<Goal> | null, object]>([
  ['a target', {}, { goal_target: 75 }],
  ['a rhythm', {}, { goal_target: 75, goal_frequency: 'weekly' }],
  ['a removed weekly goal', { cadence: 2 }, { clear: ['goal_target'] }],
  ['a removed goal of a day', { cadence: 0, target_date: '2027-05-31' }, { clear: ['goal_target'] }],
  ['a new goal', null, { goal_target: 75, goal_frequency: 'yearly' }],
])('undo restores %s', async (_, before, fields) => {
  const it = await withGoal(before);
  const earlier = it.goal();
  await it.change(fields);
  expect(it.goal()).not.toEqual(earlier);
  await it.done('undo');
  expect(it.goal()).toEqual(earlier);
});

it('undo says that a weekly goal has lost its day', async () => {
  const it = await withGoal({ cadence: 2, day: 5 });
  await it.change({ goal_target: 20, goal_frequency: 'monthly' });
  expect(await it.done('undo')).toContain('the goal has no day any more');
  expect(it.goal()).toMatchObject({ cadence: 2, day: null });
});

it.each<[string, Partial<Goal>, string]>([
  ['every third month', { cadence: 4 }, 'the service makes no goal again that is due every 3 months'],
  ['a target balance', { type: 'TB' }, 'the service makes no goal of the type TB again'],
])('undo says that it cannot bring back a goal of %s, and changes nothing', async (_, before, reason) => {
  const it = await withGoal(before);
  await it.change({ goal_target: 20, goal_frequency: 'monthly' });
  const after = it.goal();
  const { isError, text } = await it.call('undo');
  expect(isError).toBe(true);
  expect(text).toContain(reason);
  expect(it.goal()).toEqual(after);
});
