/** Of two moves one is taken back, after the partner has put more money into the same category; then the partner spends from the other one. */
import { assign, enter, entered, milliunits } from '../../by-name.ts';
import { budgetedMore } from '../../changes.ts';
import type { Task } from '../../task.ts';
import { available, units } from '../../truth.ts';

const toFuel = milliunits(40);
const byPartner = milliunits(15);
const petrol = {
  account: 'Wallet',
  date: '2026-11-18',
  amount: -58.2,
  payee: 'Roadside Energy',
  category: 'Fuel',
};

export const task: Task = {
  kind: 'steps',
  household: 'household',
  says: [
    'Move 60 from Holiday to Clothing and 40 from Holiday to Fuel.',
    'The 60 for Clothing was a mistake, so take that back. The 40 for Fuel stays, and so does what Jonas has put into Clothing in the meantime.',
    'What is in Clothing, in Fuel and in Holiday now?',
  ],
  meanwhile: {
    1: (service) => assign(service, { Clothing: units(byPartner) }),
    2: (service) => enter(service, [petrol]),
  },
  expected: (before) => ({
    results: [
      'done',
      'done',
      [
        units(available(before, 'Clothing') + byPartner),
        units(available(before, 'Fuel') + toFuel + milliunits(petrol.amount)),
        units(available(before, 'Holiday') - toFuel),
      ],
    ],
    changes: [
      budgetedMore(before, 'Fuel', toFuel),
      budgetedMore(before, 'Holiday', -toFuel),
      // By the partner, the money from what was ready to assign.
      budgetedMore(before, 'Clothing', byPartner),
      entered(petrol),
    ],
  }),
};
