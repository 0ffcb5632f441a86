/**
 * The progress of a category's goal in one month, for each goal type. Pure functions on amounts in milliunits. The
 * service does not publish its formulas. These follow the meaning of each type:
 *
 * - `TB` is a balance without a date. `TBD` is a balance by a month, in equal parts over the remaining months.
 * - `MF` is an amount to budget each month. `DEBT` is the same, as the payment of a loan.
 * - `NEED` is an amount to spend by the end of each period. With `goal_needs_whole_amount` each period needs the
 *   full amount ("Set Aside"), otherwise the balance that is left counts ("Refill"). Periods longer than a month are
 *   filled in equal parts. A weekly amount is due on each such weekday of the month.
 */
import type { Category } from '../resources.ts';
import { addMonths, daysInMonth, monthOf, monthsBetween, weekdayOf } from './calendar.ts';
import { carryOver } from './envelopes.ts';
import type { Goal } from './records.ts';

export type GoalFields = Pick<Category, Extract<keyof Category, `goal_${string}`>>;

export interface GoalMonth {
  readonly month: string;
  readonly last_balance: number;
  readonly budgeted: number;
  readonly balance: number;
  /** The smallest amount of the currency in milliunits. Parts are rounded up to it. */
  readonly smallest_unit: number;
}

interface Progress {
  readonly target: number;
  readonly funded: number;
  readonly under_funded: number;
  readonly months_to_budget: number | null;
}

const NO_GOAL: GoalFields = {
  goal_type: null,
  goal_needs_whole_amount: null,
  goal_day: null,
  goal_cadence: null,
  goal_cadence_frequency: null,
  goal_creation_month: null,
  goal_target: null,
  goal_target_month: null,
  goal_target_date: null,
  goal_percentage_complete: null,
  goal_months_to_budget: null,
  goal_under_funded: null,
  goal_overall_funded: null,
  goal_overall_left: null,
  goal_snoozed_at: null,
};

/**
 * The goal fields of a category in a month. All are null without a goal, and in months before the goal was created.
 */
export function goalFields(goal: Goal | null, categoryMonth: GoalMonth): GoalFields {
  if (goal === null || categoryMonth.month < goal.creation_month) return NO_GOAL;
  const { target, funded, under_funded, months_to_budget } = progress(goal, categoryMonth);
  const snoozed = goal.snoozed_at !== null && monthOf(goal.snoozed_at) === categoryMonth.month;
  return {
    goal_type: goal.type,
    goal_needs_whole_amount: goal.type === 'NEED' ? goal.needs_whole_amount : null,
    goal_day: goal.day,
    goal_cadence: goal.cadence,
    goal_cadence_frequency: goal.cadence_frequency,
    goal_creation_month: goal.creation_month,
    goal_target: goal.target,
    goal_target_month: goal.target_date && monthOf(goal.target_date),
    goal_target_date: goal.target_date,
    goal_percentage_complete: percentage(funded, target),
    goal_months_to_budget: months_to_budget,
    goal_under_funded: snoozed ? 0 : under_funded,
    goal_overall_funded: funded,
    goal_overall_left: Math.max(0, target - funded),
    goal_snoozed_at: goal.snoozed_at,
  };
}

function progress(goal: Goal, categoryMonth: GoalMonth): Progress {
  const { target } = goal;
  const carried = carryOver(categoryMonth.last_balance);
  switch (goal.type) {
    case 'TB': {
      const funded = Math.max(0, categoryMonth.balance);
      return { target, funded, under_funded: Math.max(0, target - funded), months_to_budget: null };
    }
    case 'TBD':
      return spreadOverMonths(
        goal.target_date ?? categoryMonth.month,
        target,
        carried,
        Math.max(0, categoryMonth.balance),
        categoryMonth,
      );
    case 'MF':
    case 'DEBT':
      return dueThisMonth(target, Math.max(0, categoryMonth.budgeted));
    case 'NEED': {
      const due = dueMonth(goal, categoryMonth.month);
      const funded = carried + categoryMonth.budgeted;
      if (due !== categoryMonth.month)
        return spreadOverMonths(due, target, carried, Math.max(0, funded), categoryMonth);
      const needed = goal.cadence === 2 ? weeklyTarget(goal, categoryMonth.month) : target;
      return dueThisMonth(needed, Math.max(0, goal.needs_whole_amount ? categoryMonth.budgeted : funded));
    }
  }
}

function dueThisMonth(target: number, funded: number): Progress {
  return { target, funded, under_funded: Math.max(0, target - funded), months_to_budget: 1 };
}

/** Spreads the amount that is missing at the start of the month over the months up to and including `due`. */
function spreadOverMonths(
  due: string,
  target: number,
  carried: number,
  funded: number,
  categoryMonth: GoalMonth,
): Progress {
  const months = Math.max(0, monthsBetween(categoryMonth.month, due) + 1);
  const missing = Math.max(0, target - carried);
  const monthlyPart =
    Math.ceil(missing / Math.max(1, months) / categoryMonth.smallest_unit) * categoryMonth.smallest_unit;
  const underFunded = Math.min(
    Math.max(0, monthlyPart - categoryMonth.budgeted),
    Math.max(0, target - funded),
  );
  return { target, funded, under_funded: underFunded, months_to_budget: months };
}

/** The next month in which the amount is needed. For a repeating goal the target month moves by whole periods. */
function dueMonth(goal: Goal, month: string): string {
  const period = periodInMonths(goal);
  if (period === 0) return goal.target_date === null ? month : monthOf(goal.target_date);
  const first = goal.target_date ?? addMonths(goal.creation_month, period - 1);
  const periods = Math.max(0, Math.ceil(monthsBetween(first, month) / period));
  return period === 1 ? month : addMonths(first, periods * period);
}

/** 0 for a goal that does not repeat. */
function periodInMonths({ cadence, cadence_frequency }: Goal): number {
  const count = cadence_frequency ?? 1;
  if (cadence === null || cadence === 0) return 0;
  if (cadence <= 2) return cadence === 1 ? count : 1;
  if (cadence === 13) return 12 * count;
  return cadence === 14 ? 24 : cadence - 1;
}

function weeklyTarget(goal: Goal, month: string): number {
  const daysToFirst = ((goal.day ?? 0) - weekdayOf(month) + 7) % 7;
  const occurrences = Math.ceil((daysInMonth(month) - daysToFirst) / (7 * (goal.cadence_frequency ?? 1)));
  return goal.target * occurrences;
}

function percentage(funded: number, target: number): number {
  return target <= 0 ? 100 : Math.min(100, Math.floor((100 * funded) / target));
}
