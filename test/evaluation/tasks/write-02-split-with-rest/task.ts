/** A receipt for three categories, one of which gets the rest. The same shop has a scheduled split of other amounts. */
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'household',
  says: [
    'I did the big shop at Harvest Hall this morning, 127.85 on the Blue Card. 18.60 of that was soap and bin bags (Household Goods), 22.45 cat food (Pets), the rest groceries. Please log it as one purchase.',
  ],
  expected: () => ({
    results: ['done'],
    changes: [
      {
        kind: 'transaction',
        created: {
          account: 'Blue Card',
          date: '2026-11-18',
          amount: -127_850,
          payee: 'Harvest Hall',
          lines: [
            { amount: -18_600, category: 'Household Goods' },
            { amount: -22_450, category: 'Pets' },
            { amount: -(127_850 - 18_600 - 22_450), category: 'Groceries' },
          ],
        },
      },
    ],
  }),
};
