/** The dearest of five years and its largest bill; the partner moves another bill, and another year is the dearest. */
import { categorise, milliunits } from '../../by-name.ts';
import { transactionRow } from '../../changes.ts';
import { available, budgetedMore, postings, spent, units } from '../../sums.ts';
import type { Task } from '../../task.ts';

const REPAIRS = 'Car Repairs';
const YEARS = ['2022', '2023', '2024', '2025', '2026'];
const byPartner = { payee: 'Garage Piston', date: '2026-10-22', category: 'Car Insurance' };

export const task: Task = {
  kind: 'steps',
  household: 'ten-years',
  says: [
    'In which of the years 2022 to 2026 did we spend the most on car repairs, and how much was it?',
    'What was the largest single bill of that year, and on which day?',
    'Jonas has just moved a bill from October to Car Insurance, because it was for them. Which of the years is it now, and with how much?',
    'Move a twelfth of that, rounded to the cent, from Holiday to Car Repairs, and tell me how much is in Car Repairs then.',
  ],
  meanwhile: { 2: (service) => categorise(service, byPartner.payee, byPartner.date, byPartner.category) },
  expected: (before) => {
    const [moved, ...others] = postings(
      before,
      ({ payee, date }) => payee === byPartner.payee && date === byPartner.date,
    );
    if (moved === undefined || others.length > 0) throw new Error('There is not exactly one such bill.');
    const inYear = (year: string) =>
      spent(before, ({ category, date }) => category === REPAIRS && date.startsWith(year));
    const years = YEARS.map((year) => ({ year, total: inYear(year) }));
    const first = dearest(years);
    const second = dearest(
      years.map(({ year, total }) => ({ year, total: total + (year === '2026' ? moved.amount : 0) })),
    );
    if (first.year === second.year) throw new Error('The moved bill does not change the dearest year.');
    const [largest] = postings(
      before,
      ({ category, date }) => category === REPAIRS && date.startsWith(first.year),
    ).toSorted((a, b) => a.amount - b.amount);
    const twelfth = milliunits(Math.round(second.total / 12 / 10) / 100);
    return {
      results: [
        [first.year, units(first.total)],
        [units(-(largest?.amount ?? 0)), largest?.date ?? ''],
        [second.year, units(second.total)],
        [units(available(before, REPAIRS) - moved.amount + twelfth)],
      ],
      changes: [
        budgetedMore(before, 'Holiday', -twelfth),
        budgetedMore(before, REPAIRS, twelfth),
        // By the partner.
        {
          kind: 'transaction',
          updated: transactionRow(before, moved),
          to: { category: byPartner.category },
        },
      ],
    };
  },
};

const dearest = (years: readonly { readonly year: string; readonly total: number }[]) =>
  years.reduce((a, b) => (b.total > a.total ? b : a));
