/** The two rows differ by transposed digits: only the receipt knows which one is right, or whether both are. */
import { enter } from '../../by-name.ts';
import type { Task } from '../../task.ts';

const purchase = {
  date: '2026-11-10',
  account: 'Kreditkarte',
  payee: 'Papeterie Zumstein',
  category: 'Schule',
};

export const task: Task = {
  kind: 'unclear',
  household: 'haushalt',
  says: [
    'Bei der Papeterie Zumstein habe ich am 10. November etwas doppelt erfasst. Lösch bitte den falschen Eintrag.',
  ],
  prepare: (service) =>
    enter(service, [
      { ...purchase, amount: -43.2 },
      { ...purchase, amount: -42.3 },
    ]),
  expected: () => ({ results: ['asked or refused'], changes: [] }),
};
