/** German: one scheduled payment gets another amount, another one ends. What was paid already stays. */
import { scheduledAt } from '../../rows.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'haushalt',
  says: [
    'Der Sportverein Uferweg kostet ab der nächsten Zahlung 59,50 statt 54. Und die Reinigung Funkel haben wir gekündigt. Pass bitte die geplanten Zahlungen an, sonst nichts.',
  ],
  expected: (before) => ({
    results: ['done'],
    changes: [
      {
        kind: 'scheduled transaction',
        updated: scheduledAt(before, 'Sportverein Uferweg'),
        to: { amount: -59_500 },
      },
      { kind: 'scheduled transaction', deleted: scheduledAt(before, 'Reinigung Funkel') },
    ],
  }),
};
