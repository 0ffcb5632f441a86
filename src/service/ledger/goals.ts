/**
 * How far a category's goal has come in one month, for each goal type. Pure; amounts in milliunits. The service
 * does not publish its formulas; these follow what each type asks for:
 *
 * - `TB` a balance, some day; `TBD` a balance by a month, in equal parts over the months that are left.
 * - `MF` an amount to be budgeted each month; `DEBT` the same, as the payment towards a loan.
 * - `NEED` an amount to spend by the end of each period: `goal_needs_whole_amount` asks for all of it again
 *   ("Set Aside"), otherwise what was left over counts ("Refill"). Periods longer than a month are filled in equal
 *   parts, and a weekly amount is due on each such weekday of the month.
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
  /** The smallest amount of the currency in milliunits: parts are rounded up to it. */
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
  goal_percentage_complete: null,
  goal_months_to_budget: null,
  goal_under_funded: null,
  goal_overall_funded: null,
  goal_overall_left: null,
  goal_snoozed_at: null,
};

/** The goal fields of a category in a month; all null without a goal and before the month it was created in. */
export function goalFields(goal: Goal | null, at: GoalMonth): GoalFields {
  if (goal === null || at.month < goal.creation_month) return NO_GOAL;
  const { target, funded, under_funded, months_to_budget } = progress(goal, at);
  const snoozed = goal.snoozed_at !== null && monthOf(goal.snoozed_at) === at.month;
  return {
    goal_type: goal.type,
    goal_needs_whole_amount: goal.type === 'NEED' ? goal.needs_whole_amount : null,
    goal_day: goal.day,
    goal_cadence: goal.cadence,
    goal_cadence_frequency: goal.cadence_frequency,
    goal_creation_month: goal.creation_month,
    goal_target: goal.target,
    goal_target_month: goal.target_month,
    goal_percentage_complete: percentage(funded, target),
    goal_months_to_budget: months_to_budget,
    goal_under_funded: snoozed ? 0 : under_funded,
    goal_overall_funded: funded,
    goal_overall_left: Math.max(0, target - funded),
    goal_snoozed_at: goal.snoozed_at,
  };
}

function progress(goal: Goal, at: GoalMonth): Progress {
  const { target } = goal;
  const carried = carryOver(at.last_balance);
  switch (goal.type) {
    case 'TB': {
      const funded = Math.max(0, at.balance);
      return { target, funded, under_funded: Math.max(0, target - funded), months_to_budget: null };
    }
    case 'TBD':
      return spread(goal.target_month ?? at.month, target, carried, Math.max(0, at.balance), at);
    case 'MF':
    case 'DEBT':
      return thisMonth(target, Math.max(0, at.budgeted));
    case 'NEED': {
      const due = dueMonth(goal, at.month);
      const funded = carried + at.budgeted;
      if (due !== at.month) return spread(due, target, carried, Math.max(0, funded), at);
      const needed = goal.cadence === 2 ? weeklyTarget(goal, at.month) : target;
      return thisMonth(needed, Math.max(0, goal.needs_whole_amount ? at.budgeted : funded));
    }
  }
}

function thisMonth(target: number, funded: number): Progress {
  return { target, funded, under_funded: Math.max(0, target - funded), months_to_budget: 1 };
}

/** What is missing at the start of the month, in equal parts over the months up to and including `due`. */
function spread(due: string, target: number, carried: number, funded: number, at: GoalMonth): Progress {
  const months = Math.max(0, monthsBetween(at.month, due) + 1);
  const missing = Math.max(0, target - carried);
  const part = Math.ceil(missing / Math.max(1, months) / at.smallest_unit) * at.smallest_unit;
  const under = Math.min(Math.max(0, part - at.budgeted), Math.max(0, target - funded));
  return { target, funded, under_funded: under, months_to_budget: months };
}

/** The month in which the amount is needed next: for repeating goals the target month moves on by whole periods. */
function dueMonth(goal: Goal, month: string): string {
  const period = periodInMonths(goal);
  if (period === 0) return goal.target_month ?? month;
  const first = goal.target_month ?? addMonths(goal.creation_month, period - 1);
  const periods = Math.max(0, Math.ceil(monthsBetween(first, month) / period));
  return period === 1 ? month : addMonths(first, periods * period);
}

/** 0 for a goal that does not repeat. */
function periodInMonths({ cadence, cadence_frequency }: Goal): number {
  const times = cadence_frequency ?? 1;
  if (cadence === null || cadence === 0) return 0;
  if (cadence <= 2) return cadence === 1 ? times : 1;
  if (cadence === 13) return 12 * times;
  return cadence === 14 ? 24 : cadence - 1;
}

function weeklyTarget(goal: Goal, month: string): number {
  const toFirst = ((goal.day ?? 0) - weekdayOf(month) + 7) % 7;
  const times = Math.ceil((daysInMonth(month) - toFirst) / (7 * (goal.cadence_frequency ?? 1)));
  return goal.target * times;
}

function percentage(funded: number, target: number): number {
  return target <= 0 ? 100 : Math.min(100, Math.floor((100 * funded) / target));
}
