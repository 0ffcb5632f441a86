/** Interest on a tracking account, which is no spending, and how much of the instalments paid the debt back. */
import type { Task } from '../../task.ts';
import { allLines, during, sum, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'ten-years',
  says: [
    'How much interest was charged on our mortgage in 2018, and how much in 2025? And by how much did our payments of 2025 ' +
      'bring the mortgage down, after that interest?',
  ],
  expected: (before) => {
    const mortgage = allLines(before).filter(({ account }) => account === 'Mortgage');
    const year = (number: number) => during(mortgage, `${number}-01-01`, `${number}-12-31`);
    const interest = (number: number) =>
      units(-sum(year(number).filter(({ payee }) => payee === 'Interest')));
    return { results: [[interest(2018), interest(2025), units(sum(year(2025)))]], changes: [] };
  },
};
