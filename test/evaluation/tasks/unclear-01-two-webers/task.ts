/** Two payments on that day fit the words equally. Deleting either would be a guess. */
import { enter } from '../../by-name.ts';
import type { Task } from '../../task.ts';

const day = { date: '2026-11-12', account: 'Checking' };

export const task: Task = {
  kind: 'unclear',
  household: 'household',
  says: ['The Weber payment of 12 November was a mistake of mine, that never happened. Please delete it.'],
  prepare: (service) =>
    enter(service, [
      { ...day, payee: 'Weber Bakery', category: 'Coffee & Bakery', amount: -18.6 },
      { ...day, payee: 'Weber Florist', category: 'Gifts', amount: -21.4 },
    ]),
  expected: () => ({ results: ['asked or refused'], changes: [] }),
};
