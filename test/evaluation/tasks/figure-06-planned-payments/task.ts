/** Scheduled payments of two accounts until a day, some of which are due several times until then. */
import { accountNamed } from '../../export.ts';
import type { Task } from '../../task.ts';
import { dueDates, units } from '../../truth.ts';

export const task: Task = {
  kind: 'figure',
  household: 'household',
  says: [
    'Going by our scheduled payments only: how much will leave Checking from tomorrow until 10 December, that day included, ' +
      'without what we transfer to savings? And how much will be charged to the Blue Card by them in the same time?',
  ],
  expected: (before) => {
    const leaving = (name: string) =>
      before.scheduled_transactions
        .filter(
          (plan) => plan.account_id === accountNamed(before, name).id && plan.transfer_account_id === null,
        )
        .reduce((total, plan) => total - plan.amount * dueDates(plan, '2026-11-19', '2026-12-10').length, 0);
    return { results: [[units(leaving('Checking')), units(leaving('Blue Card'))]], changes: [] };
  },
};
