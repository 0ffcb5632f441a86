/** The average of full months over two categories, and the highest month. */
import type { Task } from '../../task.ts';
import { during, first, monthsFrom, spendingOf, sum, sumsBy, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'haushalt',
  says: [
    'Strom sowie Wasser und Heizung zusammen: was haben sie uns in den vollen Monaten von Juni 2025 bis Oktober 2026 im ' +
      'Durchschnitt pro Monat gekostet (auf den Rappen gerundet), welcher dieser Monate war am teuersten, und was kostete er?',
  ],
  expected: (before) => {
    const bills = during(spendingOf(before), '2025-06-01', '2026-10-31').filter(({ category }) =>
      ['Strom', 'Wasser & Heizung'].includes(category),
    );
    const average = sum(bills) / monthsFrom('2025-06', '2026-10').length;
    const [month, highest] = first(sumsBy(bills, ({ date }) => date.slice(0, 7)));
    return { results: [[Math.round(average / 10) / 100, month, units(highest)]], changes: [] };
  },
};
