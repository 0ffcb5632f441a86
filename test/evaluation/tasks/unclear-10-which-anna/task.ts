/** Two people have that first name, and one figure about one of them is wanted. */
import { enter } from '../../by-name.ts';
import type { Task } from '../../task.ts';

const keller = { account: 'Privatkonto', payee: 'Anna Keller', category: 'Kinderbetreuung' };
const vogt = { account: 'Privatkonto', payee: 'Anna Vogt', category: 'Kinderbetreuung' };

export const task: Task = {
  kind: 'unclear',
  household: 'haushalt',
  says: [
    'Für die Steuererklärung brauche ich genau eine Zahl: Wie viel haben wir unserer Kinderfrau Anna in diesem Jahr bezahlt?',
  ],
  prepare: (service) =>
    enter(service, [
      { ...keller, date: '2026-02-27', amount: -180 },
      { ...vogt, date: '2026-03-13', amount: -165 },
      { ...vogt, date: '2026-05-29', amount: -195 },
      { ...keller, date: '2026-06-26', amount: -210 },
      { ...keller, date: '2026-09-04', amount: -150 },
      { ...vogt, date: '2026-10-23', amount: -145 },
    ]),
  expected: () => ({ results: ['asked or refused'], changes: [] }),
};
