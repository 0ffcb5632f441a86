/** The dearest of five years and its largest bill; the partner moves another bill, and another year is the dearest. */
import { categorise, milliunits } from '../../by-name.ts';
import { budgetedMore } from '../../changes.ts';
import { transactionWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';
import { allLines, available, spent, units } from '../../truth.ts';

const REPAIRS = 'Car Repairs';
const YEARS = ['2022', '2023', '2024', '2025', '2026'];
const byPartner = { payee: 'Garage Piston', date: '2026-10-22', category: 'Car Insurance' };

export const task: Task = {
  kind: 'steps',
  household: 'ten-years',
  says: [
    'In which of the years 2022 to 2026 did we spend the most on car repairs, how much was it, and how much of it was the largest single bill?',
    'Jonas has just moved one of the bills of this October to Car Insurance, where it belongs. Which of those five years comes first now, and with how much?',
    'Move a twelfth of that, rounded to the cent, from Holiday to Car Repairs.',
    'How much is in Car Repairs now?',
  ],
  meanwhile: { 1: (service) => categorise(service, byPartner.payee, byPartner.date, byPartner.category) },
  expected: (before) => {
    const moved = transactionWhere(
      before,
      ({ payee, date }) => payee === byPartner.payee && date === byPartner.date,
    );
    const inYear = (year: string) =>
      spent(before, ({ category, date }) => category === REPAIRS && date.startsWith(year));
    const years = YEARS.map((year) => ({ year, total: inYear(year) }));
    const first = dearest(years);
    const second = dearest(
      years.map(({ year, total }) => ({ year, total: total + (year === '2026' ? moved.amount : 0) })),
    );
    if (first.year === second.year) throw new Error('The moved bill does not change the dearest year.');
    const [largest] = allLines(before)
      .filter(({ category, date }) => category === REPAIRS && date.startsWith(first.year))
      .toSorted((a, b) => a.amount - b.amount);
    const twelfth = milliunits(Math.round(second.total / 12 / 10) / 100);
    return {
      results: [
        [first.year, units(first.total), units(-(largest?.amount ?? 0))],
        [second.year, units(second.total)],
        'done',
        [units(available(before, REPAIRS) - moved.amount + twelfth)],
      ],
      changes: [
        budgetedMore(before, 'Holiday', -twelfth),
        budgetedMore(before, REPAIRS, twelfth),
        // By the partner.
        {
          kind: 'transaction',
          updated: moved,
          to: { category: byPartner.category },
        },
      ],
    };
  },
};

const dearest = (years: readonly { readonly year: string; readonly total: number }[]) =>
  years.reduce((a, b) => (b.total > a.total ? b : a));
