/** How an update brings back a category with the goal that it had (docs/interface.md, Category). */
import type { JsonObject } from '../base/json.ts';
import { category } from '../base/schema/category.ts';
import { isFrequency, rhythmIn } from '../model/bookkeeping/goal-rhythm.ts';
import { isPaymentCategory } from '../model/bookkeeping/own-categories.ts';
import { type Restore, withoutNulls, writeBack } from './reversal.ts';

/** The fields that make a goal. `goal_frequency` is its rhythm in words, also one that cannot be written. */
export const goalFields: readonly string[] = [
  'goal_type',
  'goal_target',
  'goal_frequency',
  'goal_target_date',
  'goal_needs_whole_amount',
];

/** A category with its `goal_frequency`. */
export const withRhythm = (row: JsonObject): JsonObject => ({ ...row, goal_frequency: rhythmIn(row) });

export const restoreCategory: Restore = (changed, earlier, after) => {
  const own = writeBack(
    changed.filter((field) => !goalFields.includes(field)),
    earlier,
    ['note'],
  );
  const ofGoal = changed.filter((field) => goalFields.includes(field));
  if ('impossible' in own || ofGoal.length === 0) return own;
  const goal = restoreGoal(ofGoal, earlier, after);
  return 'impossible' in goal ? goal : { ...goal, input: { ...own.input, ...goal.input } };
};

const owner = category.pick({ name: true, internal: true, category_group_name: true, goal_day: true });

const restoreGoal: Restore = (changed, earlier, after) => {
  const { goal_type, goal_target, goal_frequency, goal_target_date, goal_needs_whole_amount } = earlier;
  const { goal_day, ...row } = owner.parse(earlier);
  // Versions without `internal` remove no goal.
  if (goal_type === null)
    return writeBack(['goal_target'], earlier, row.internal === undefined ? [] : ['goal_target']);
  if (!changed.includes('goal_type') && !changed.includes('goal_frequency'))
    return writeBack(changed, earlier);

  const beginsNow =
    goal_type === after['goal_type'] ? [] : ['the goal is a new one, which begins in this month'];
  if (goal_type === 'MF' && isPaymentCategory(row)) return { input: { goal_target }, leftovers: beginsNow };
  if (goal_type !== 'NEED')
    return { impossible: `the service makes no goal of the type ${String(goal_type)} again` };
  const input = withoutNulls({ goal_target, goal_needs_whole_amount });
  if (isFrequency(goal_frequency)) {
    const losesDay = goal_target_date !== null || goal_day !== null;
    const leftovers = [...beginsNow, ...(losesDay ? ['the goal has no day any more'] : [])];
    return { input: { ...input, goal_frequency }, leftovers };
  }
  if (goal_frequency === null && goal_target_date !== null && after['goal_type'] === null)
    return { input: { ...input, goal_target_date }, leftovers: beginsNow };
  const rhythm = goal_frequency === null ? 'once' : String(goal_frequency);
  return { impossible: `the service makes no goal again that is due ${rhythm}` };
};
