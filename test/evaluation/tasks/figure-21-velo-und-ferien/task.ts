/** What two goals still lack and until when, and then the age of the money. */
import { categoryNamed, monthOf } from '../../export.ts';
import type { Task } from '../../task.ts';
import { leftByMonth, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'haushalt',
  says: [
    'Wie viel fehlt uns insgesamt noch, bis das Ziel fürs neue Velo erreicht ist, und bis zu welchem Monat soll es erreicht ' +
      'sein? Und dasselbe für die Ferien?',
    'Und wie alt ist unser Geld diesen Monat, in Tagen, und wie alt war es im Mai?',
  ],
  expected: (before) => {
    const lacking = (name: string) => {
      const { goal_target, goal_target_date } = categoryNamed(before, name);
      const left = leftByMonth(before, name).get('2026-11') ?? 0;
      return [units((goal_target ?? 0) - left), goal_target_date?.slice(0, 7) ?? ''];
    };
    const age = (month: string) => monthOf(before, month).age_of_money ?? 0;
    return {
      results: [
        [...lacking('Neues Velo'), ...lacking('Ferien')],
        [age('2026-11'), age('2026-05')],
      ],
      changes: [],
    };
  },
};
