/** Three purchases in one sentence: relative days, two accounts, and a shop whose usual category is another one. */
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'write',
  household: 'household',
  says: [
    'Please log three things: 8.40 at Old Mill Bakery yesterday, cash from my wallet, Coffee & Bakery. 61.35 at Corner Pantry on Monday with the Blue Card, groceries. And today 19.90 at Page Turner Books, also on the Blue Card. That one is a present, so Gifts.',
  ],
  expected: () => ({
    results: ['done'],
    changes: [
      {
        kind: 'transaction',
        created: {
          account: 'Wallet',
          date: '2026-11-17',
          amount: -8_400,
          payee: 'Old Mill Bakery',
          category: 'Coffee & Bakery',
        },
      },
      {
        kind: 'transaction',
        created: {
          account: 'Blue Card',
          date: '2026-11-16',
          amount: -61_350,
          payee: 'Corner Pantry',
          category: 'Groceries',
        },
      },
      {
        kind: 'transaction',
        created: {
          account: 'Blue Card',
          date: '2026-11-18',
          amount: -19_900,
          payee: 'Page Turner Books',
          category: 'Gifts',
        },
      },
    ],
  }),
};
