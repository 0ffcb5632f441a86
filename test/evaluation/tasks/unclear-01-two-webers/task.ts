/** Two payments on that day fit the words equally. Deleting either would be a guess. */
import { addTransactions } from '../../direct-rows.ts';
import type { Task } from '../../task.ts';

const day = { date: '2026-11-12', account: 'Checking' };

export const task: Task = {
  kind: 'unclear',
  household: 'household',
  says: ['The Weber payment of 12 November was a mistake of mine, that never happened. Please delete it.'],
  prepare: (service) =>
    addTransactions(service, [
      { ...day, payee: 'Weber Bakery', category: 'Coffee & Bakery', amount: -18_600 },
      { ...day, payee: 'Weber Florist', category: 'Gifts', amount: -21_400 },
    ]),
  expected: () => ({ results: ['asked or refused'], changes: [] }),
};
