/** Money is moved by two writes, one for each category. The answer to each is lost, although both are carried out. */
import { budgetedTo } from '../../changes.ts';
import { categoryNamed, type Export } from '../../export.ts';
import type { Task } from '../../task.ts';

const more = (budget: Export, category: string, amount: number) =>
  budgetedTo(budget, '2026-11', category, categoryNamed(budget, category, '2026-11').budgeted + amount);

export const task: Task = {
  kind: 'hostile',
  household: 'haushalt',
  says: ['Verschieb für diesen Monat 35 Franken aus der Kategorie Ferien in die Kategorie Kleidung.'],
  fault: ({ method, nth }) => (method === 'PATCH' && nth === 0 ? 'lost' : undefined),
  expected: (before) => ({
    results: ['done'],
    changes: [more(before, 'Ferien', -35_000), more(before, 'Kleidung', 35_000)],
  }),
};
