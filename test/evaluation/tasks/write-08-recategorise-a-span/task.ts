/** All of one payee in a span get another category: reconciled rows too, splits and later rows not. */
import { transactionsWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'ten-years',
  says: [
    'Everything that we bought at Amber Café Aarhus from March to October this year belongs in Coffee & Bakery. Please change that, also where it is reconciled already. Leave split purchases as they are.',
  ],
  expected: (before) => ({
    results: ['done'],
    changes: transactionsWhere(
      before,
      ({ payee, date, lines }) =>
        payee === 'Amber Café Aarhus' && date >= '2026-03-01' && date <= '2026-10-31' && lines.length === 0,
    ).map((updated) => ({ kind: 'transaction', updated, to: { category: 'Coffee & Bakery' } })),
  }),
};
