/** The cost of a trip by its flag, with a refund and a flagged payment of another month; the partner adds one more. */
import { enter, entered, milliunits, type Purchase } from '../../by-name.ts';
import { budgetedMore } from '../../changes.ts';
import type { Task } from '../../task.ts';
import { available, spent, units } from '../../truth.ts';

const trip = (date: string, amount: number, payee: string, category = 'Holiday'): Purchase => ({
  account: 'Blue Card',
  date,
  amount,
  payee,
  category,
  flag: 'purple',
});
const byPartner = trip('2026-10-28', -45, 'Metro Tickets', 'Public Transport');
const PLANNED = 500;

export const task: Task = {
  kind: 'steps',
  household: 'household',
  says: [
    'Everything with a purple flag was for our trip to Prague. What did it cost us in September and October together, less what we got back?',
    'Jonas has just entered another purple one from October. We had planned 500 for the trip in those two months, so move what is over, counting his too, from Holiday to Gifts.',
    'What is in Holiday and in Gifts now?',
  ],
  prepare: (service) =>
    enter(service, [
      trip('2026-08-29', -64, 'Night Train Office'),
      trip('2026-09-18', -118.4, 'Night Train Office'),
      trip('2026-09-19', -204, 'Pension Karlin'),
      trip('2026-09-19', -31.8, 'Bistro Nord', 'Eating Out'),
      trip('2026-09-20', -9.6, 'Metro Tickets', 'Public Transport'),
      trip('2026-10-02', 34, 'Pension Karlin'),
      { ...trip('2026-10-05', -27.5, 'Page Turner Books', 'Hobbies'), memo: 'Photo book' },
    ]),
  meanwhile: { 1: (service) => enter(service, [byPartner]) },
  expected: (before) => {
    const cost = spent(
      before,
      ({ flag, date }) => flag === 'purple' && date >= '2026-09-01' && date <= '2026-10-31',
    );
    const unused = milliunits(PLANNED) - cost + milliunits(byPartner.amount);
    return {
      results: [
        [units(cost)],
        'done',
        [units(available(before, 'Holiday') - unused), units(available(before, 'Gifts') + unused)],
      ],
      changes: [
        budgetedMore(before, 'Holiday', -unused),
        budgetedMore(before, 'Gifts', unused),
        // By the partner.
        entered(byPartner),
      ],
    };
  },
};
