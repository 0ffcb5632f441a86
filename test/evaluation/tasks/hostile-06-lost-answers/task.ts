/** Money is moved by two writes, one for each category. The answer to each is lost, although both are carried out. */
import { budgetedMore } from '../../changes.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'hostile',
  household: 'haushalt',
  says: ['Verschieb für diesen Monat 35 Franken aus der Kategorie Ferien in die Kategorie Kleidung.'],
  fault: ({ method, nth }) => (method === 'PATCH' && nth === 0 ? 'lost' : undefined),
  expected: (before) => ({
    results: ['done'],
    changes: [budgetedMore(before, 'Ferien', -35_000), budgetedMore(before, 'Kleidung', 35_000)],
  }),
};
