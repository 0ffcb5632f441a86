import { expect, it } from 'vitest';
import { startedAltered } from '../../altered-service.helper.ts';

/** All goals lack 5.00 this month, and are snoozed. */
const allSnoozed = () =>
  startedAltered((row) =>
    typeof row['goal_type'] === 'string' && 'goal_snoozed_at' in row
      ? { ...row, goal_under_funded: 5_000, goal_snoozed_at: '2026-11-02T08:00:00Z' }
      : row,
  );

it('a snoozed goal is not underfunded, and is named as snoozed', async () => {
  const { say } = await allSnoozed();
  const { text } = await say('check_month');
  expect(text).toMatch(/\nUnderfunded: none of \d+ goals\.\nSnoozed goals, which are not underfunded: "/);
  expect((await say('list_categories')).text).toMatch(/goal: [^·\n]+ snoozed/);
  expect((await say('list_categories')).text).not.toContain('underfunded');
});

it('a snoozed goal is not funded by a rule, also if its category is named, and the answer says so', async () => {
  const { say, ledger } = await allSnoozed();
  const [goal] = ledger
    .categoryGroups()
    .flatMap(({ categories }) => categories)
    .filter(({ goal_type, hidden, balance }) => goal_type !== null && !hidden && balance >= 0);
  const named = { rule: 'fund_goals', categories: [goal?.name] };
  for (const args of [{ ...named, dry_run: true }, named])
    expect((await say('assign_money', args)).text).toContain(`Nothing needs to be assigned in 2026-11.`);
  expect((await say('assign_money', named)).text).toContain(`Snoozed, so not funded: "${goal?.name}" 5.00.`);
  expect((await say('move_budgeted', { from: 'Ready to Assign', to: goal?.name })).text).toContain(
    'lacks nothing in 2026-11, since its goal is snoozed: give an amount',
  );
});
