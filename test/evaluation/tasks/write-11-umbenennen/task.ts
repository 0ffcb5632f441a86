/** German: a payee gets another name, and with it all its transactions. They are not moved to a new payee. */
import { payeeNamed } from '../../export.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'haushalt',
  says: [
    'Der Quartierladen heisst jetzt «Dorfladen Hügelau». Benenne den Zahlungsempfänger um, so dass auch die alten Buchungen den neuen Namen haben.',
  ],
  expected: (before) => ({
    results: ['done'],
    changes: [
      {
        kind: 'payee',
        updated: { name: payeeNamed(before, 'Quartierladen').name },
        to: { name: 'Dorfladen Hügelau' },
      },
    ],
  }),
};
