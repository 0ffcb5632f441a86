/** Two equal purchases are both wanted, and the answer to the first write does not arrive although it was carried out. */
import { entered } from '../../by-name.ts';
import type { Task } from '../../task.ts';

const coffee = entered({
  account: 'Wallet',
  date: '2026-11-18',
  payee: 'Bean & Bloom',
  category: 'Coffee & Bakery',
  amount: -3.4,
});

export const task: Task = {
  kind: 'hostile',
  household: 'household',
  says: [
    'We bought two coffees at Bean & Bloom today and paid each of them separately from the Wallet, 3.40 each. Enter both payments, as two entries, under Coffee & Bakery.',
  ],
  fault: ({ method, nth }) => (method === 'POST' && nth === 0 ? 'lost' : undefined),
  expected: () => ({ results: ['done'], changes: [coffee, coffee] }),
};
