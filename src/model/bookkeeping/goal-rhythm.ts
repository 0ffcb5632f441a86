/** How often a goal needs its target, in words (docs/interface.md, Category). Pure. */
import type { JsonObject } from '../../base/json.ts';
import { category } from '../../base/schema/category.ts';
import type { Category } from '../replica/entities.ts';

const rhythm = category.pick({ goal_cadence: true, goal_cadence_frequency: true });

/** The rhythms that a write can set. */
export const goalFrequencies = ['monthly', 'weekly', 'yearly'] as const;

export const isFrequency = (rhythm: unknown): boolean => goalFrequencies.some((each) => each === rhythm);

const single = { week: 'weekly', month: 'monthly', year: 'yearly' } as const;

/** Such as `weekly` or `every 3 months`. Null for a goal that is due once, or never. */
export function rhythmOf({
  goal_cadence: cadence,
  goal_cadence_frequency: count,
}: Pick<Category, 'goal_cadence' | 'goal_cadence_frequency'>): string | null {
  if (cadence === null || cadence === 0) return null;
  if (cadence === 1) return every(count ?? 1, 'month');
  if (cadence === 2) return every(count ?? 1, 'week');
  if (cadence === 13) return every(count ?? 1, 'year');
  if (cadence === 14) return every(2, 'year');
  return cadence > 2 && cadence < 13 ? every(cadence - 1, 'month') : `cadence ${cadence}`;
}

/** The rhythm of the goal of a category as it was sent. */
export const rhythmIn = (row: JsonObject): string | null => rhythmOf(rhythm.parse(row));

const every = (count: number, unit: keyof typeof single): string =>
  count === 1 ? single[unit] : `every ${count} ${unit}s`;
