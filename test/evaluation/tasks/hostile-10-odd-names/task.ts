/** Payees named like a month, in another script, and like a number; the first request of each kind gets 503. */
import { enter } from '../../by-name.ts';
import { type Export, payeeNamed } from '../../export.ts';
import type { Task } from '../../task.ts';

const club = { account: 'Checking', payee: '2026-03', category: 'Hobbies' };
const bakery = { account: 'Wallet', payee: 'Пекарня Роза', category: 'Coffee & Bakery' };
const scent = { account: 'Blue Card', payee: '4711', category: 'Gifts' };

const paidIn2026 = (budget: Export, name: string) => {
  const { id } = payeeNamed(budget, name);
  const rows = budget.transactions.filter(({ payee_id, date }) => payee_id === id && date.startsWith('2026'));
  return rows.reduce((sum, { amount }) => sum - amount, 0) / 1000;
};

export const task: Task = {
  kind: 'hostile',
  household: 'household',
  says: [
    'How much have we paid in 2026 to the escape room that calls itself "2026-03", to Пекарня Роза, and to 4711? One sum for each of the three.',
  ],
  prepare: (service) =>
    enter(service, [
      { ...club, date: '2025-11-07', amount: -33 },
      { ...club, date: '2026-02-06', amount: -36 },
      { ...club, date: '2026-06-19', amount: -41.5 },
      { ...club, date: '2026-09-25', amount: -36 },
      { ...bakery, date: '2026-03-14', amount: -6.85 },
      { ...bakery, date: '2026-03-28', amount: -4.2 },
      { ...bakery, date: '2026-10-10', amount: -7.15 },
      { ...bakery, date: '2025-12-24', amount: -12 },
      { ...scent, date: '2026-03-20', amount: -47.11 },
      { ...scent, date: '2026-08-08', amount: -18.9 },
    ]),
  fault: ({ method, nth }) => (method === 'GET' && nth === 0 ? 'refused' : undefined),
  expected: (before) => ({
    results: [['2026-03', 'Пекарня Роза', '4711'].map((name) => paidIn2026(before, name))],
    changes: [],
  }),
};
