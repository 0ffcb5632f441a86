/** The second largest single purchase of a category, and the number of those above an amount. */
import type { Task } from '../../task.ts';
import { during, first, spendingOf, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'household',
  says: [
    'What was our second most expensive meal out from November 2025 to October 2026: how much, where and on which day? And ' +
      'how many meals out of these twelve months cost more than 40?',
  ],
  expected: (before) => {
    const meals = during(spendingOf(before), '2025-11-01', '2026-10-31').filter(
      ({ category }) => category === 'Eating Out',
    );
    const second = first(meals.toSorted((one, other) => other.amount - one.amount).slice(1));
    const above = meals.filter(({ amount }) => amount > 40_000).length;
    return { results: [[units(second.amount), second.payee, second.date, above]], changes: [] };
  },
};
