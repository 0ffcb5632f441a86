/** A payee year by year over ten years. Two years differ by little. */
import type { Task } from '../../task.ts';
import { during, first, numberOfTransactions, spendingOf, sumsBy, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'ten-years',
  says: [
    'Of the calendar years 2017 to 2025, in which did we leave the most money at Dr Paws and how much was it, and in which ' +
      'the least and how much? How many times were we there in the most expensive of these years?',
  ],
  expected: (before) => {
    const visits = during(spendingOf(before), '2017-01-01', '2025-12-31').filter(
      ({ payee }) => payee === 'Dr Paws',
    );
    const years = sumsBy(visits, ({ date }) => date.slice(0, 4));
    const [[most, highest], [least, lowest]] = [first(years), first(years.toReversed())];
    const count = numberOfTransactions(visits.filter(({ date }) => date.startsWith(most)));
    return { results: [[most, units(highest), least, units(lowest), count]], changes: [] };
  },
};
