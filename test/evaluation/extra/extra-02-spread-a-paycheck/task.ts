/** A paycheck is spread over five categories: three amounts, a share and the rest. */
import { enter, milliunits } from '../../by-name.ts';
import { budgetedMore } from '../../changes.ts';
import type { Task } from '../../task.ts';
import { INCOME } from '../../truth.ts';

const PAY = 2_431.6;

export const task: Task = {
  kind: 'write',
  household: 'household',
  says: [
    'My pay of 2431.60 has just come in. Give the groceries 600 of it, fuel and clothing 150 each, put a fifth of the pay into the holiday money, and the rest of it into the Emergency Fund.',
  ],
  prepare: (service) =>
    enter(service, [
      {
        account: 'Checking',
        date: '2026-11-18',
        amount: PAY,
        payee: 'Lindqvist Engineering',
        category: INCOME,
        cleared: 'cleared',
      },
    ]),
  expected: (before) => {
    const shares = { Groceries: 600, Fuel: 150, Clothing: 150, Holiday: PAY / 5 };
    const given = Object.entries(shares).map(([name, units]) => ({ name, more: milliunits(units) }));
    const rest = given.reduce((left, { more }) => left - more, milliunits(PAY));
    return {
      results: ['done'],
      changes: [...given, { name: 'Emergency Fund', more: rest }].map(({ name, more }) =>
        budgetedMore(before, name, more),
      ),
    };
  },
};
