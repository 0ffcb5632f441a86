/** A monthly charge whose price has risen twice, and what that has cost this year. */
import { z } from 'zod';
import type { Task } from '../../task.ts';
import { during, first, spendingOf, sum, units } from '../../truth.ts';

const charged = z.object({
  transactions: z.array(z.object({ id: z.string(), date: z.string(), payee_name: z.string().nullable() })),
});

export const task: Task = {
  kind: 'figure',
  household: 'ten-years',
  says: [
    'What does Cumulus Storage charge us now, on which day were we charged that price for the first time, and what was the ' +
      'price just before? And how much less would we have paid them from January until today if every charge had been as in 2023?',
  ],
  prepare: async ({ get, send }) => {
    const { transactions } = charged.parse(await get('transactions?since_date=2024-03-01'));
    const dearer = transactions
      .filter(({ payee_name }) => payee_name === 'Cumulus Storage')
      .map(({ id, date }) => ({ id, amount: date < '2026-04-01' ? -11_490 : -12_990 }));
    await send('PATCH', 'transactions', { transactions: dearer });
  },
  expected: (before) => {
    const charges = spendingOf(before)
      .filter(({ payee }) => payee === 'Cumulus Storage')
      .toSorted((one, other) => (one.date < other.date ? 1 : -1));
    const now = first(charges).amount;
    const earlier = charges.findIndex(({ amount }) => amount !== now);
    const [rise, old] = [first(charges.slice(earlier - 1)), first(charges.slice(earlier))];
    const thisYear = during(charges, '2026-01-01', '2026-11-18');
    const asIn2023 = first(during(charges, '2023-01-01', '2023-12-31')).amount * thisYear.length;
    return {
      results: [[units(now), rise.date, units(old.amount), units(sum(thisYear) - asIn2023)]],
      changes: [],
    };
  },
};
