/** Bills without a category, put where the payee always goes; then the partner takes money out of that category. */
import { assign, enter, milliunits } from '../../by-name.ts';
import { budgetedMore } from '../../changes.ts';
import { transactionsWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';
import { allLines, available, spent, sum, units } from '../../truth.ts';

const GARAGE = 'Garage Piston';
const REPAIRS = 'Car Repairs';
const MOVED = milliunits(300);

export const task: Task = {
  kind: 'steps',
  household: 'ten-years',
  says: [
    'Some bills from Garage Piston have no category. How many are they, and how much is it altogether?',
    'Put them where that garage always goes.',
    'How much is left in that category now, and how much have we spent on it this year?',
  ],
  prepare: (service) =>
    enter(service, [
      { account: 'Checking', date: '2026-09-24', amount: -148.2, payee: GARAGE },
      { account: 'Checking', date: '2026-10-20', amount: -86.4, payee: GARAGE },
      { account: 'Blue Card', date: '2026-11-12', amount: -211.75, payee: GARAGE },
      { account: 'Checking', date: '2026-11-10', amount: -60, payee: 'Dr Amari' },
    ]),
  meanwhile: { 2: (service) => assign(service, { [REPAIRS]: -units(MOVED), Holiday: units(MOVED) }) },
  expected: (before) => {
    const bills = transactionsWhere(before, ({ payee, category }) => payee === GARAGE && category === null);
    const categories = new Set(
      allLines(before)
        .filter(({ payee }) => payee === GARAGE)
        .map(({ category }) => category),
    );
    if (categories.size !== 2) throw new Error(`${GARAGE} has not always had one category.`);
    const thisYear = spent(before, ({ category, date }) => category === REPAIRS && date.startsWith('2026'));
    return {
      results: [
        [bills.length, units(-sum(bills))],
        'done',
        [units(available(before, REPAIRS) + sum(bills) - MOVED), units(thisYear - sum(bills))],
      ],
      changes: [
        ...bills.map((updated) => ({
          kind: 'transaction' as const,
          updated,
          to: { category: REPAIRS },
        })),
        // By the partner.
        budgetedMore(before, REPAIRS, -MOVED),
        budgetedMore(before, 'Holiday', MOVED),
      ],
    };
  },
};
