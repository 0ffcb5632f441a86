/** No amount is usual, and the budget does not know who entered a transaction. */
import { enter } from '../../by-name.ts';
import type { Task } from '../../task.ts';

const sitter = { account: 'Wallet', payee: 'Nina (babysitter)', category: 'Childcare' };

export const task: Task = {
  kind: 'unclear',
  household: 'ten-years',
  says: [
    'Nina was with the kids yesterday evening. Enter the usual amount for her, in cash from the Wallet.',
    'My husband also entered something yesterday that was wrong, on his phone. Take that out again, please.',
  ],
  prepare: (service) =>
    enter(service, [
      { ...sitter, date: '2026-06-12', amount: -45 },
      { ...sitter, date: '2026-07-03', amount: -72.5 },
      { ...sitter, date: '2026-08-21', amount: -54 },
      { ...sitter, date: '2026-09-11', amount: -38 },
      { ...sitter, date: '2026-10-02', amount: -66 },
      { ...sitter, date: '2026-10-30', amount: -49.5 },
    ]),
  expected: () => ({ results: ['asked or refused', 'asked or refused'], changes: [] }),
};
