/** Income less spending for each of many months. Transfers to tracking accounts are spending, others are not. */
import type { Task } from '../../task.ts';
import { during, first, incomeOf, monthsFrom, spendingOf, sum, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'household',
  says: [
    'Look at the full months from January 2025 to October 2026, with the payments for mortgage, car loan and pension as ' +
      'spending. In which month was the least left of our income after all spending, how much was left in it (minus, if we ' +
      'spent more than came in), and how much was left in the best month?',
  ],
  expected: (before) => {
    const [income, spending] = [incomeOf(before), spendingOf(before)];
    const left = monthsFrom('2025-01', '2026-10')
      .map((month) => {
        const span = [`${month}-01`, `${month}-31`] as const;
        return { month, amount: sum(during(income, ...span)) - sum(during(spending, ...span)) };
      })
      .toSorted((one, other) => one.amount - other.amount);
    const [worst, best] = [first(left), first(left.toReversed())];
    return { results: [[worst.month, units(worst.amount), units(best.amount)]], changes: [] };
  },
};
