/**
 * The goal of a category in a body (docs/interface.md, Category). Null changes nothing, but at 1.86 a `goal_target` of null
 * removes the goal. `goal_target` creates a goal where there is none, but not at 1.77.
 */
import type { InterfaceVersion } from '../interface-version.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { type CategoryRecord, type Goal, type GoalType, isInternal } from '../ledger/records.ts';
import { date, milliunits, oneOf, trueOrFalse } from './fields.ts';

const goal_target = milliunits
  .refine((target) => target >= 0, 'must not be negative')
  .nullable()
  .exactOptional();

const goalFieldsOf185 = {
  goal_target,
  goal_target_date: date.nullable().exactOptional(),
  goal_needs_whole_amount: trueOrFalse.nullable().exactOptional(),
};

export const goalFields = {
  '1.77': { goal_target },
  '1.85': goalFieldsOf185,
  '1.86': {
    ...goalFieldsOf185,
    goal_frequency: oneOf(['monthly', 'weekly', 'yearly']).nullable().exactOptional(),
  },
};

/** The cadence of a goal by its frequency. */
const CADENCES = { monthly: 1, weekly: 2, yearly: 13 } as const;

type Frequency = keyof typeof CADENCES;

export interface GoalChange {
  readonly goal_target?: number | null;
  readonly goal_target_date?: string | null;
  readonly goal_needs_whole_amount?: boolean | null;
  readonly goal_frequency?: Frequency | null;
}

type Owner = Pick<CategoryRecord, 'role' | 'goal'>;

const DATED: readonly GoalType[] = ['TBD', 'NEED'];

export function* goalProblems(
  owner: Owner,
  requested: GoalChange,
  version: InterfaceVersion,
): Generator<string> {
  const { goal_frequency, ...change } = withoutUnchanged(owner.goal, requested);
  if (goal_frequency !== undefined) {
    if (change.goal_target === undefined) yield 'goal_frequency needs goal_target';
    if (typeof requested.goal_target_date === 'string')
      yield 'goal_frequency cannot be set with goal_target_date';
    if (owner.role.kind === 'payment')
      yield 'goal_frequency cannot be set for a credit card payment category';
  }
  const goal = isRemoved(requested, version) ? null : owner.goal;
  if (goal === null && (version === '1.77' || change.goal_target === undefined)) {
    for (const field of Object.keys(change)) yield `${field} cannot be set, because the category has no goal`;
    return;
  }
  if (goal === null && isInternal(owner)) yield 'goal_target cannot be set in an internal category';
  const type = goal_frequency === undefined ? (goal?.type ?? newGoalType(owner)) : 'NEED';
  if (change.goal_target_date !== undefined && !DATED.includes(type)) {
    yield `goal_target_date cannot be set for a goal of type ${type}`;
  }
  if (change.goal_needs_whole_amount !== undefined && type !== 'NEED') {
    yield `goal_needs_whole_amount cannot be set for a goal of type ${type}`;
  }
}

/** The goal after the change. Null if it is removed, or if there was none and none is created. */
export function changedGoal(
  { currentMonth }: Pick<LedgerState, 'currentMonth'>,
  owner: Owner,
  requested: GoalChange,
  version: InterfaceVersion,
): Goal | null {
  if (isRemoved(requested, version)) return null;
  const change = withoutUnchanged(owner.goal, requested);
  if (owner.goal === null && change.goal_target === undefined) return null;
  const goal = goalBefore(owner, change, currentMonth);
  return {
    ...goal,
    target: change.goal_target ?? goal.target,
    target_date: change.goal_target_date ?? goal.target_date,
    needs_whole_amount: change.goal_needs_whole_amount ?? goal.needs_whole_amount,
  };
}

/** The goal whose amount, date and filling are changed. With a frequency it is a repeating one of type NEED. */
function goalBefore({ role, goal }: Owner, change: ChangedFields, currentMonth: string): Goal {
  const { goal_frequency, goal_target_date } = change;
  if (goal_frequency === undefined)
    return goal ?? newGoal(newGoalType({ role }), currentMonth, goal_target_date);
  const kept = goal?.type === 'NEED' ? goal : newGoal('NEED', currentMonth);
  const cadence = CADENCES[goal_frequency];
  const isSame = kept.cadence === cadence && kept.cadence_frequency === 1;
  return isSame ? kept : { ...kept, cadence, cadence_frequency: 1, target_date: null, day: null };
}

const isRemoved = ({ goal_target }: GoalChange, version: InterfaceVersion): boolean =>
  version === '1.86' && goal_target === null;

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
  readonly goal_frequency?: Frequency;
}

function withoutUnchanged(
  goal: Goal | null,
  { goal_target, goal_target_date, goal_needs_whole_amount, goal_frequency }: GoalChange,
): ChangedFields {
  return {
    ...(goal_frequency && { goal_frequency }),
    ...(typeof goal_target === 'number' && { goal_target }),
    ...(typeof goal_target_date === 'string' &&
      goal_target_date !== goal?.target_date && { goal_target_date }),
    ...(typeof goal_needs_whole_amount === 'boolean' &&
      goal_needs_whole_amount !== goal?.needs_whole_amount && { goal_needs_whole_amount }),
  };
}
