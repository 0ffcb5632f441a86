/** German: all that is not approved is approved, except one. */
import { transactionsWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'haushalt',
  says: [
    'Genehmige bitte alle Buchungen, die noch nicht genehmigt sind, ausser der von Paybox 8841, die kenne ich nicht. Sonst soll sich an ihnen nichts ändern.',
  ],
  expected: (before) => ({
    results: ['done'],
    changes: transactionsWhere(before, ({ approved, payee }) => !approved && payee !== 'Paybox 8841').map(
      (updated) => ({ kind: 'transaction', updated, to: { approved: true } }),
    ),
  }),
};
