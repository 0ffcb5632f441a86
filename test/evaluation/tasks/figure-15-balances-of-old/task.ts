/** The balance of an account and the debt of a card on days long ago, asked for in two turns. */
import type { Task } from '../../task.ts';
import { balanceOn, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'ten-years',
  says: [
    'How much was in Checking at the end of 14 August 2019, and how much did we owe on the Blue Card at the end of that day?',
    'And exactly five years later?',
  ],
  expected: (before) => ({
    results: ['2019-08-14', '2024-08-14'].map((date) => [
      units(balanceOn(before, date, 'Checking')),
      units(-balanceOn(before, date, 'Blue Card')),
    ]),
    changes: [],
  }),
};
