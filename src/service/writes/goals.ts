/**
 * The goal of a category in a body (docs/interface.md, Category). Null changes nothing. `goal_target` creates a goal
 * where there is none, but not at 1.77.
 */
import type { InterfaceVersion } from '../interface-version.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { type CategoryRecord, type Goal, type GoalType, isInternal } from '../ledger/records.ts';
import { date, milliunits, trueOrFalse } from './fields.ts';

const goal_target = milliunits
  .refine((target) => target >= 0, 'must not be negative')
  .nullable()
  .exactOptional();

export const olderGoalFields = { goal_target };

export const goalFields = {
  goal_target,
  goal_target_date: date.nullable().exactOptional(),
  goal_needs_whole_amount: trueOrFalse.nullable().exactOptional(),
};

export interface GoalChange {
  readonly goal_target?: number | null;
  readonly goal_target_date?: string | null;
  readonly goal_needs_whole_amount?: boolean | null;
}

type Owner = Pick<CategoryRecord, 'role' | 'goal'>;

const DATED: readonly GoalType[] = ['TBD', 'NEED'];

export function* goalProblems(
  owner: Owner,
  requested: GoalChange,
  version: InterfaceVersion,
): Generator<string> {
  const { goal } = owner;
  const change = withoutUnchanged(goal, requested);
  if (goal === null && (version === '1.77' || change.goal_target === undefined)) {
    for (const field of Object.keys(change)) yield `${field} cannot be set, because the category has no goal`;
    return;
  }
  if (goal === null && isInternal(owner)) yield 'goal_target cannot be set in an internal category';
  const type = goal?.type ?? newGoalType(owner);
  if (change.goal_target_date !== undefined && !DATED.includes(type)) {
    yield `goal_target_date cannot be set for a goal of type ${type}`;
  }
  if (change.goal_needs_whole_amount !== undefined && type !== 'NEED') {
    yield `goal_needs_whole_amount cannot be set for a goal of type ${type}`;
  }
}

/** The goal after the change. Null if there was none and none is created. */
export function changedGoal(
  { currentMonth }: Pick<LedgerState, 'currentMonth'>,
  owner: Owner,
  requested: GoalChange,
): Goal | null {
  const change = withoutUnchanged(owner.goal, requested);
  if (owner.goal === null && change.goal_target === undefined) return null;
  const goal = owner.goal ?? newGoal(newGoalType(owner), currentMonth, change.goal_target_date);
  return {
    ...goal,
    target: change.goal_target ?? goal.target,
    target_date: change.goal_target_date ?? goal.target_date,
    needs_whole_amount: change.goal_needs_whole_amount ?? goal.needs_whole_amount,
  };
}

function newGoalType({ role }: Pick<Owner, 'role'>): GoalType {
  return role.kind === 'payment' ? 'MF' : 'NEED';
}

/** Monthly, or once if it has a date. */
function newGoal(type: GoalType, creation_month: string, target_date?: string): Goal {
  return {
    type,
    target: 0,
    creation_month,
    target_date: null,
    needs_whole_amount: type === 'NEED' ? true : null,
    day: null,
    cadence: target_date === undefined ? 1 : 0,
    cadence_frequency: 1,
    snoozed_at: null,
  };
}

interface ChangedFields {
  readonly goal_target?: number;
  readonly goal_target_date?: string;
  readonly goal_needs_whole_amount?: boolean;
}

function withoutUnchanged(
  goal: Goal | null,
  { goal_target, goal_target_date, goal_needs_whole_amount }: GoalChange,
): ChangedFields {
  return {
    ...(typeof goal_target === 'number' && { goal_target }),
    ...(typeof goal_target_date === 'string' &&
      goal_target_date !== goal?.target_date && { goal_target_date }),
    ...(typeof goal_needs_whole_amount === 'boolean' &&
      goal_needs_whole_amount !== goal?.needs_whole_amount && { goal_needs_whole_amount }),
  };
}
