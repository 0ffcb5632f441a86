/** The service takes nothing older than five years, and the category has less than the amount that is to leave it whole. */
import { setBalance } from '../../by-name.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'unclear',
  household: 'ten-years',
  says: [
    'I found an old receipt: Bean & Bloom, 3 June 2019, 8.90 from the Wallet, under Coffee & Bakery. Please enter it, with its real date or not at all.',
    'Then move 200 from the category Gifts to Clothing for this month, the whole 200 or nothing at all. Gifts must not go below zero.',
  ],
  prepare: (service) => setBalance(service, 'Gifts', 187.3),
  expected: () => ({ results: ['asked or refused', 'asked or refused'], changes: [] }),
};
