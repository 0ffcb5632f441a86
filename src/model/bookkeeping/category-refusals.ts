/**
 * Why the service would refuse a new or changed category, group or budgeted amount (docs/interface.md, Category). A field
 * that repeats the current value is not checked. Each problem begins with the name of its field. Pure.
 */
import { addMonths } from '../../base/calendar.ts';
import { quote } from '../../base/quote.ts';
import type { Category, CategoryGroup } from '../replica/entities.ts';
import { isOwnGroup } from './own-categories.ts';
import { type EntryRules, notFoundProblem } from './refusals.ts';

type Group = Pick<CategoryGroup, 'id' | 'name' | 'internal'>;

interface GoalFields {
  readonly goal_target?: number | null | undefined;
  readonly goal_target_date?: string | null | undefined;
  readonly goal_needs_whole_amount?: boolean | null | undefined;
  readonly goal_frequency?: string | undefined;
}

interface SentCategory extends GoalFields {
  readonly name?: string | undefined;
  readonly category_group_id?: string | undefined;
}

type BudgetCategory = GoalFields &
  Pick<Category, 'id' | 'name' | 'category_group_id' | 'internal' | 'goal_type'>;

const MONTHS_AHEAD = 12;

/** The types of goals that have a day. */
const DATED = ['TBD', 'NEED'];

export const renamedGroupProblems = (before: Group, name: string): string[] =>
  name === before.name ? [] : ownGroupProblems(before);

const ownGroupProblems = (group: Group) =>
  isOwnGroup(group) ? [`category_group_id: ${quote(group.name)} is a group of the service itself`] : [];

/** `before` is the category to change. `groups` are all groups if the category gets another one. */
export function* categoryProblems(
  { chart }: EntryRules,
  { name, category_group_id, ...goal }: SentCategory,
  groups: readonly Group[],
  before?: BudgetCategory,
): Generator<string> {
  const isPayment = chart.isPaymentCategory(before?.id);
  const isInternal = chart.isInternalCategory(before?.id);
  const isOwn = isPayment || isInternal;
  if (isOwn && name !== undefined && name !== before?.name)
    yield 'name: the service itself names this category';
  if (category_group_id !== undefined && category_group_id !== before?.category_group_id) {
    if (isOwn) yield 'category_group_id: a category of the service itself keeps its group';
    const group = groups.find(({ id }) => id === category_group_id);
    yield* group ? ownGroupProblems(group) : [notFoundProblem('category_group_id', category_group_id)];
  }
  if (isInternal && typeof goal.goal_target === 'number' && before?.goal_type === null)
    yield 'goal_target: a category of the service itself has no goal';
  yield* goalProblems(goal, before, isPayment);
}

/** Older services have no new goals, and ignore all but `goal_target`. */
function* goalProblems(
  { goal_target, goal_frequency, ...details }: GoalFields,
  before: BudgetCategory | undefined,
  isPayment: boolean,
): Generator<string> {
  const isOlder = before !== undefined && before.internal === undefined;
  const changes = (name: keyof typeof details) =>
    !isOlder && typeof details[name] !== 'undefined' && details[name] !== (before?.[name] ?? null);
  const hasTarget = typeof goal_target === 'number';
  const hasRhythm = !isOlder && goal_frequency !== undefined;
  if (hasTarget && goal_target < 0) yield 'goal_target: must not be negative';
  if (hasRhythm && !hasTarget) yield 'goal_frequency: it needs goal_target';
  if (hasRhythm && typeof details.goal_target_date === 'string')
    yield 'goal_frequency: it cannot stand beside goal_target_date';
  if (hasRhythm && isPayment) yield 'goal_frequency: the category of a credit card has no other rhythm';
  const kept = goal_target === null && !isOlder ? undefined : (before?.goal_type ?? undefined);
  const type = hasRhythm
    ? 'NEED'
    : (kept ?? (hasTarget && !isOlder ? (isPayment ? 'MF' : 'NEED') : undefined));
  if (type === undefined && hasTarget) yield 'goal_target: the category has no goal';
  if (changes('goal_target_date') && !DATED.includes(type ?? ''))
    yield `goal_target_date: ${type === undefined ? 'the category has no goal' : `a goal of type ${type} has no day`}`;
  if (changes('goal_needs_whole_amount') && type !== 'NEED')
    yield 'goal_needs_whole_amount: only a goal of type NEED has it';
}

/** `month` is a first day or `current`. Months before the first one are not checked. */
export function* budgetedProblems(
  { chart, today }: EntryRules,
  { category_id, month }: { readonly category_id: string; readonly month: string },
): Generator<string> {
  if (chart.isInternalCategory(category_id))
    yield 'category_id: nothing can be budgeted in a category of the service itself';
  if (month !== 'current') yield* monthProblems(month, today);
}

/** `month` is a first day. */
export const monthProblems = (month: string, today: string): string[] =>
  month > addMonths(today, MONTHS_AHEAD)
    ? [`month: ${month.slice(0, 7)} is more than ${MONTHS_AHEAD} months ahead`]
    : [];
