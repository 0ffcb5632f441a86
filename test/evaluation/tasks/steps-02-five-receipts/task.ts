/**
 * Five receipts, of which one is corrected and one taken back. Before that the partner enters the same purchase by card, so
 * that the newest entry is not the one to be taken back; and then something from the same wallet.
 */
import { enter, entered, milliunits, type Purchase } from '../../by-name.ts';
import type { Task } from '../../task.ts';
import { allLines, sum, units } from '../../truth.ts';

const cash = (payee: string, amount: number, category: string, date = '2026-11-18'): Purchase => ({
  account: 'Wallet',
  date,
  amount,
  payee,
  category,
});
const atTheEnd = [
  cash('Bean & Bloom', -4.2, 'Coffee & Bakery'),
  cash('Old Mill Bakery', -6.15, 'Coffee & Bakery'),
  cash('Sunflower Pharmacy', -13.85, 'Pharmacy', '2026-11-17'),
  cash('Toy Tower', -27.9, 'Gifts'),
];
const byPartner = { ...cash('Metro Tickets', -12, 'Public Transport'), account: 'Blue Card' };
const buns = cash('Old Mill Bakery', -7.8, 'Coffee & Bakery');

export const task: Task = {
  kind: 'steps',
  household: 'household',
  says: [
    'Five receipts from today, all paid in cash from the Wallet: Bean & Bloom 4.20 and Old Mill Bakery 6.15, both Coffee & Bakery; Sunflower Pharmacy 18.35, Pharmacy; Toy Tower 27.90, Gifts; Metro Tickets 12.00, Public Transport. Please enter them.',
    'I misread the one from the pharmacy: it was 13.85, and it was yesterday.',
    'Jonas paid the tickets with the Blue Card after all and has entered them himself. So take the last one of my five out again.',
    'How much cash should be in the Wallet now?',
  ],
  meanwhile: {
    2: (service) => enter(service, [byPartner]),
    3: (service) => enter(service, [buns]),
  },
  expected: (before) => {
    const spent = [...atTheEnd, buns].reduce((total, { amount }) => total + milliunits(amount), 0);
    const inWallet = sum(allLines(before).filter(({ account }) => account === 'Wallet'));
    return {
      results: ['done', 'done', 'done', [units(inWallet + spent)]],
      changes: [
        ...atTheEnd.map(entered),
        // By the partner.
        entered(byPartner),
        entered(buns),
      ],
    };
  },
};
