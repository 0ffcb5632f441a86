/** Bookings of a second name go to the first; the partner enters one more of them before that. Then another payee is renamed. */
import { enter, entered, type Purchase } from '../../by-name.ts';
import { transactionsWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';
import { sum, units } from '../../truth.ts';

const PLACE = 'Trattoria Pomodoro';
const ODD = 'TRATTORIA POMODORO 0231';
const bill = (date: string, amount: number, payee = ODD): Purchase => ({
  account: 'Blue Card',
  date,
  amount,
  payee,
  category: 'Eating Out',
});
const DATE_OF_PARTNER = '2026-11-17';

export const task: Task = {
  kind: 'steps',
  household: 'ten-years',
  says: [
    'The bank writes Trattoria Pomodoro sometimes as "TRATTORIA POMODORO 0231", but it is one restaurant. How many times have we paid there this year, and how much altogether?',
    'Change the payee of all payments with the odd name to Trattoria Pomodoro. The odd name itself can stay as it is, just without any payments.',
    'And Bistro Nord is called Bistro Polar now, please rename it.',
    'So as it stands now: how many payments and how much at Trattoria Pomodoro this year, and the same for Bistro Polar?',
  ],
  prepare: (service) =>
    enter(service, [bill('2026-08-21', -42.6), bill('2026-09-12', -58.9), bill('2026-10-30', -36.15)]),
  meanwhile: { 1: (service) => enter(service, [bill(DATE_OF_PARTNER, -51.3)]) },
  expected: (before) => {
    const ofYear = (...names: readonly string[]) =>
      transactionsWhere(before, ({ payee, date }) => names.includes(payee ?? '') && date.startsWith('2026'));
    const [atPlace, odd, bistro] = [ofYear(PLACE, ODD), ofYear(ODD), ofYear('Bistro Nord')];
    const byPartner = bill(DATE_OF_PARTNER, -51.3, PLACE);
    return {
      results: [
        [atPlace.length, units(-sum(atPlace))],
        'done',
        'done',
        [atPlace.length + 1, units(51_300 - sum(atPlace)), bistro.length, units(-sum(bistro))],
      ],
      changes: [
        ...odd.map((updated) => ({
          kind: 'transaction' as const,
          updated,
          to: { payee: PLACE },
        })),
        // By the partner under the odd name, which has no payments in the end.
        entered(byPartner),
        { kind: 'payee', updated: { name: 'Bistro Nord' }, to: { name: 'Bistro Polar' } },
      ],
    };
  },
};
