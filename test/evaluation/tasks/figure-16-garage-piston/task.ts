/** The last purchase above an amount, which is not the last purchase, and the days since the one before. */
import type { Task } from '../../task.ts';
import { daysBetween, first, spendingOf, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'ten-years',
  says: [
    'When did we last pay more than 200 at once at Garage Piston, and how much was it? How many days had passed since the ' +
      'payment to them before that one, whatever its amount? And how often have we paid them more than 200 at once in all ' +
      'the years we have on record?',
  ],
  expected: (before) => {
    const bills = spendingOf(before)
      .filter(({ payee }) => payee === 'Garage Piston')
      .toSorted((one, other) => (one.date < other.date ? 1 : -1));
    const large = bills.filter(({ amount }) => amount > 200_000);
    const last = first(large);
    const earlier = first(bills.slice(bills.indexOf(last) + 1));
    return {
      results: [[last.date, units(last.amount), daysBetween(earlier.date, last.date), large.length]],
      changes: [],
    };
  },
};
