/** German, with decimal commas: a split with a rest, and a small purchase of another day and account. */
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'haushalt',
  says: [
    'Bitte erfassen: gestern im Tageskorb 84,35 mit der Kreditkarte, davon 12,50 Haushaltswaren und 9,90 Haustiere, der Rest Lebensmittel. Und heute 1,80 am Kiosk am Park aus dem Portemonnaie, Kaffee & Bäckerei.',
  ],
  expected: () => ({
    results: ['done'],
    changes: [
      {
        kind: 'transaction',
        created: {
          account: 'Kreditkarte',
          date: '2026-11-17',
          amount: -84_350,
          payee: 'Tageskorb',
          lines: [
            { amount: -12_500, category: 'Haushaltswaren' },
            { amount: -9_900, category: 'Haustiere' },
            { amount: -(84_350 - 12_500 - 9_900), category: 'Lebensmittel' },
          ],
        },
      },
      {
        kind: 'transaction',
        created: {
          account: 'Portemonnaie',
          date: '2026-11-18',
          amount: -1_800,
          payee: 'Kiosk am Park',
          category: 'Kaffee & Bäckerei',
        },
      },
    ],
  }),
};
