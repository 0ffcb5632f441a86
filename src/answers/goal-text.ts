/** How the goal of a category reads: its kind, target, rhythm and day, how far along it is, and whether it is put off. */
import { onDay } from '../base/calendar.ts';
import { WEEKDAY_NAMES } from '../base/weekdays.ts';
import { rhythmOf } from '../model/bookkeeping/goal-rhythm.ts';
import type { Category } from '../model/replica/entities.ts';
import { joinWords, type TextContext, word } from './text.ts';

const kinds: ReadonlyMap<string, string> = new Map([
  ['TB', 'target balance'],
  ['TBD', 'target balance by date'],
  ['MF', 'monthly funding'],
  ['NEED', 'plan your spending'],
  ['DEBT', 'debt payment'],
]);

type DueOf = Pick<
  Category,
  'goal_cadence' | 'goal_cadence_frequency' | 'goal_day' | 'goal_target_date' | 'goal_target_month'
>;

/** Its goal fields say what they mean only if `goal_type` is not null. */
type GoalOf = DueOf &
  Pick<
    Category,
    'goal_type' | 'goal_target' | 'goal_percentage_complete' | 'goal_under_funded' | 'goal_snoozed_at'
  >;

export const goalText = (it: GoalOf, { money }: Pick<TextContext, 'money'>): string =>
  joinWords(
    kinds.get(it.goal_type ?? '') ?? word(it.goal_type ?? ''),
    it.goal_target !== null && money(it.goal_target),
    // Its kind says so already.
    it.goal_type !== 'MF' && dueText(it),
    it.goal_percentage_complete !== null && `${it.goal_percentage_complete}%`,
    it.goal_snoozed_at ? 'snoozed' : !!it.goal_under_funded && `underfunded ${money(it.goal_under_funded)}`,
  );

/** Such as `weekly by Friday`, `monthly by day 15` or `by 2028-02`, which is the end of that month. Empty if it is due at no time. */
export function dueText(goal: DueOf): string {
  const day = dayOf(goal);
  return joinWords(rhythmOf(goal), day && `by ${day}`);
}

function dayOf({ goal_cadence, goal_day, goal_target_date, goal_target_month }: DueOf) {
  if (goal_cadence === 2) return goal_day !== null && WEEKDAY_NAMES[(goal_day + 6) % 7];
  const date = goal_target_date ?? goal_target_month;
  if (date === null) return goal_day !== null && `day ${goal_day}`;
  // The service names a month by its first day. Its last one counts if there is no other.
  const isMonth = /^\d{4}-\d\d-01$/.test(date);
  return word(isMonth ? (goal_day === null ? date.slice(0, 7) : onDay(date, goal_day)) : date);
}
