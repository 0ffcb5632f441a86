/** A category in one month of two years, and the first payee. */
import type { Task } from '../../task.ts';
import { during, first, spendingOf, sum, sumsBy, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'haushalt',
  says: [
    'Was haben uns die Ferien im Juli dieses Jahres gekostet, wie viel mehr oder weniger war das als im Juli letzten Jahres ' +
      '(dieses minus letztes Jahr), und wo haben wir diesen Juli in den Ferien am zweitmeisten ausgegeben?',
  ],
  expected: (before) => {
    const holidays = spendingOf(before).filter(({ category }) => category === 'Ferien');
    const july = (year: number) => during(holidays, `${year}-07-01`, `${year}-07-31`);
    const second = first(sumsBy(july(2026), ({ payee }) => payee).slice(1));
    return {
      results: [[units(sum(july(2026))), units(sum(july(2026)) - sum(july(2025))), second[0]]],
      changes: [],
    };
  },
};
