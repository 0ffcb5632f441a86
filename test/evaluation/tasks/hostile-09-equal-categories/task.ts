/** Two categories have one name, in two groups; the words settle which is which. */
import { addCategory } from '../../direct-rows.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'hostile',
  household: 'ten-years',
  says: [
    'Take 25 for this month out of Repairs in the group Boat, and put it into Repairs in the group Cabin.',
  ],
  prepare: async (service) => {
    await addCategory(service, { group: 'Boat', name: 'Repairs', budgeted: 60_000 });
    await addCategory(service, { group: 'Cabin', name: 'Repairs', budgeted: 10_000 });
  },
  expected: (before) => {
    const budgeted = (group: string) => {
      const { categories = [] } = before.months.find(({ month }) => month === '2026-11-01') ?? {};
      const found = categories.find((each) => each.category_group_name === group && each.name === 'Repairs');
      if (found === undefined) throw new Error(`There is no Repairs in ${group}.`);
      return found.budgeted;
    };
    const change = { kind: 'budgeted', month: '2026-11', category: 'Repairs' } as const;
    const [boat, cabin] = [budgeted('Boat'), budgeted('Cabin')];
    return {
      results: ['done'],
      changes: [
        { ...change, from: boat, to: boat - 25_000 },
        { ...change, from: cabin, to: cabin + 25_000 },
      ],
    };
  },
};
