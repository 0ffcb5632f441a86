/** What the goal of a category needs in a month. Pure; amounts in milliunits. */
import type { Category } from '../replica/entities.ts';

/** Those whose amounts are known to be what is lacking. The service may add others. */
const GOAL_TYPES = new Set(['TB', 'TBD', 'MF', 'NEED', 'DEBT']);

type GoalOf = Pick<Category, 'goal_type' | 'goal_under_funded' | 'goal_snoozed_at'>;

export const isGoalKnown = ({ goal_type }: GoalOf): boolean =>
  goal_type === null || GOAL_TYPES.has(goal_type);

/** Whether the person has put it off: it needs nothing until then. */
export const isSnoozed = ({ goal_type, goal_snoozed_at }: GoalOf): boolean =>
  goal_type !== null && goal_snoozed_at !== null;

/** What the service says that it lacks. Zero without a goal. */
export const lackingIn = ({ goal_type, goal_under_funded }: GoalOf): number =>
  goal_type === null ? 0 : Math.max(goal_under_funded ?? 0, 0);

/** What counts as underfunded: not what a snoozed goal lacks, nor one of a type that is not known. */
export const underfundedIn = (category: GoalOf): number =>
  isGoalKnown(category) && !isSnoozed(category) ? lackingIn(category) : 0;
