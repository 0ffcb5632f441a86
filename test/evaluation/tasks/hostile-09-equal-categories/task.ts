/** Two categories have one name, in two groups; the words settle which is which. */

import { addCategory } from '../../by-name.ts';
import type { Change } from '../../changes.ts';
import { monthOf, named } from '../../export.ts';
import type { Task } from '../../task.ts';

export const task: Task = {
  kind: 'hostile',
  household: 'ten-years',
  says: [
    'Take 25 for this month out of Repairs in the group Boat, and put it into Repairs in the group Cabin.',
  ],
  prepare: async (service) => {
    await addCategory(service, { group: 'Boat', name: 'Repairs', budgeted: 60 });
    await addCategory(service, { group: 'Cabin', name: 'Repairs', budgeted: 10 });
  },
  expected: (before) => {
    const more = (group: string, amount: number): Change => {
      const inNovember = monthOf(before, '2026-11').categories;
      const { budgeted: from } = named(
        inNovember.filter(({ category_group_name }) => category_group_name === group),
        'Repairs',
      );
      return { kind: 'budgeted', month: '2026-11', category: `${group}: Repairs`, from, to: from + amount };
    };
    return { results: ['done'], changes: [more('Boat', -25_000), more('Cabin', 25_000)] };
  },
};
