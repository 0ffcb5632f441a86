/** A question about the wrong year, the right one, an average after the partner has moved a bill, and a comparison. */
import { categorise } from '../../by-name.ts';
import { transactionWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';
import { eitherSign, spent, units } from '../../truth.ts';

const byPartner = { payee: 'Trattoria Pomodoro', date: '2025-08-08', category: 'Gifts' };

export const task: Task = {
  kind: 'steps',
  household: 'ten-years',
  says: [
    'How much did we spend on eating out from June to August?',
    'No, sorry, I meant last year.',
    'Jonas has just put one of those dinners under Gifts, it was a birthday. So what was it per month on average, as it stands now?',
    'And this summer, per month on average? And how much a month lies between the two?',
  ],
  meanwhile: { 2: (service) => categorise(service, byPartner.payee, byPartner.date, byPartner.category) },
  expected: (before) => {
    const summer = (year: string) =>
      spent(
        before,
        ({ category, date }) =>
          category === 'Eating Out' && date >= `${year}-06-01` && date <= `${year}-08-31`,
      );
    const dinner = transactionWhere(
      before,
      ({ payee, date }) => payee === byPartner.payee && date === byPartner.date,
    );
    const lastYear = cents((summer('2025') + dinner.amount) / 3);
    const thisYear = cents(summer('2026') / 3);
    const between = cents((summer('2025') + dinner.amount - summer('2026')) / 3);
    return {
      results: [
        [units(summer('2026'))],
        [units(summer('2025'))],
        [units(lastYear)],
        // From the sums, or from the two averages: they may differ by a cent.
        [units(thisYear), [...eitherSign(between), ...eitherSign(lastYear - thisYear)]],
      ],
      // By the partner.
      changes: [
        {
          kind: 'transaction',
          updated: dinner,
          to: { category: byPartner.category },
        },
      ],
    };
  },
};

const cents = (milliunits: number) => Math.round(milliunits / 10) * 10;
