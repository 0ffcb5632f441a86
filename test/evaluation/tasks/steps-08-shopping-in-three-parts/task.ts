/** A split purchase of which a part moves to a third category; the partner shops in the same shop on the same day. */
import { enter, entered, milliunits } from '../../by-name.ts';
import type { Task } from '../../task.ts';
import { available, spent, units } from '../../truth.ts';

const shopping = { account: 'Blue Card', date: '2026-11-18', payee: 'Greenleaf Market' };
const parts = { Groceries: -48.9, 'Household Goods': -25, Pets: -12.5 };
const byPartner = { ...shopping, amount: -33.25, category: 'Groceries' };

export const task: Task = {
  kind: 'steps',
  household: 'household',
  says: [
    'I spent 86.40 at Greenleaf Market today with the Blue Card: 61.40 for groceries and 25.00 for household goods. Please enter it.',
    '12.50 of the groceries was cat food, so that part belongs to Pets.',
    'How much have we spent at Greenleaf Market this month, how much of that on groceries, and what is left in Groceries, in Household Goods and in Pets?',
  ],
  meanwhile: { 2: (service) => enter(service, [byPartner]) },
  expected: (before) => {
    const inShop = (wanted: (category: string | null) => boolean) =>
      spent(
        before,
        ({ payee, date, category }) =>
          payee === shopping.payee && date.startsWith('2026-11') && wanted(category),
      );
    const partner = milliunits(-byPartner.amount);
    const groceries = milliunits(-parts.Groceries) + partner;
    return {
      results: [
        'done',
        'done',
        [
          units(inShop(() => true) + milliunits(86.4) + partner),
          units(inShop((category) => category === 'Groceries') + groceries),
          units(available(before, 'Groceries') - groceries),
          units(available(before, 'Household Goods') + milliunits(parts['Household Goods'])),
          units(available(before, 'Pets') + milliunits(parts.Pets)),
        ],
      ],
      changes: [
        {
          kind: 'transaction',
          created: {
            ...shopping,
            amount: milliunits(-86.4),
            lines: Object.entries(parts).map(([category, amount]) => ({
              category,
              amount: milliunits(amount),
            })),
          },
        },
        // By the partner.
        entered(byPartner),
      ],
    };
  },
};
