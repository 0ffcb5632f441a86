/** German: two transfers, one with a point for thousands and a decimal comma. Neither is spending. */
import { createdTransfer } from '../../changes.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'haushalt',
  says: [
    'Ich habe heute 1.250,75 Franken vom Privatkonto aufs Sparkonto überwiesen und gestern 200 Franken vom Privatkonto ins Portemonnaie abgehoben. Trag bitte beides ein.',
  ],
  expected: () => ({
    results: ['done'],
    changes: [
      ...createdTransfer({ from: 'Privatkonto', to: 'Sparkonto', date: '2026-11-18', amount: 1_250_750 }),
      ...createdTransfer({ from: 'Privatkonto', to: 'Portemonnaie', date: '2026-11-17', amount: 200_000 }),
    ],
  }),
};
