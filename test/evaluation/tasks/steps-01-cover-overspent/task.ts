/** Three categories are overspent; the partner overspends one of them further before all are covered. */
import { categorise, enter, entered, milliunits } from '../../by-name.ts';
import { budgetedMore } from '../../changes.ts';
import type { Task } from '../../task.ts';
import { available, eitherSign, units } from '../../truth.ts';

const OVERSPENT = ['Fuel', 'Hobbies', 'Pets'];
const FUND = 'Emergency Fund';
const byPartner = {
  account: 'Wallet',
  date: '2026-11-18',
  amount: -9.9,
  payee: 'Whisker World',
  category: 'Pets',
};

export const task: Task = {
  kind: 'steps',
  household: 'household',
  says: [
    'How much have we overspent this month, all categories together, and in which one is it the most?',
    'Then cover all of it from the Emergency Fund, so that each of them is back at exactly zero.',
    'And how much is left in the Emergency Fund now?',
  ],
  prepare: async (service) => {
    // Nothing stays without a category, so that only the three are below zero.
    await categorise(service, 'Paybox 8841', '2026-11-18', 'Household Goods');
    await categorise(service, 'Webshop Order', '2026-11-17', 'Clothing');
    await categorise(service, 'Jonas', '2026-11-16', 'Gifts');
    await enter(service, [
      { account: 'Checking', date: '2026-11-13', amount: -171.35, payee: 'Pumpkin Petrol', category: 'Fuel' },
      { account: 'Checking', date: '2026-11-12', amount: -88.7, payee: 'Dr Paws', category: 'Pets' },
    ]);
  },
  meanwhile: { 1: (service) => enter(service, [byPartner]) },
  expected: (before) => {
    const holes = OVERSPENT.map((category) => ({ category, hole: -available(before, category) })).toSorted(
      (a, b) => b.hole - a.hole,
    );
    const toCover = holes.map(({ category, hole }) => ({
      category,
      more: hole - (category === byPartner.category ? milliunits(byPartner.amount) : 0),
    }));
    const taken = toCover.reduce((total, { more }) => total + more, 0);
    return {
      results: [
        [eitherSign(holes.reduce((total, { hole }) => total + hole, 0)), holes[0]?.category ?? ''],
        'done',
        [units(available(before, FUND) - taken)],
      ],
      changes: [
        ...toCover.map(({ category, more }) => budgetedMore(before, category, more)),
        budgetedMore(before, FUND, -taken),
        // By the partner.
        entered(byPartner),
      ],
    };
  },
};
