/** Rows of a card statement: what is on it is marked as cleared, what is missing is entered, what is not on it stays. */
import type { Change } from '../../changes.ts';
import { transactionWhere } from '../../rows.ts';
import type { Task } from '../../task.ts';

const known = [
  ['2026-11-12', -9_990, 'Cumulus Storage'],
  ['2026-11-12', -105_010, 'Corner Pantry'],
  ['2026-11-13', -57_500, 'The Copper Kettle'],
  ['2026-11-14', -74_460, 'Puddle Boots'],
  ['2026-11-16', -24_710, 'Blue Line Trams'],
  ['2026-11-16', -68_810, 'Greenleaf Market'],
  ['2026-11-17', -21_630, 'Blue Line Trams'],
] as const;

export const task: Task = {
  kind: 'write',
  household: 'household',
  says: [
    `This is the statement of my Blue Card from November 12 to 17:

12.11.2026  CUMULUS STORAGE      -9,99
12.11.2026  CORNER PANTRY      -105,01
13.11.2026  COPPER KETTLE       -57,50
14.11.2026  PUDDLE BOOTS        -74,46
15.11.2026  TOY TOWER           -34,90
16.11.2026  BLUE LINE TRAMS     -24,71
16.11.2026  GREENLEAF MARKET    -68,81
17.11.2026  BLUE LINE TRAMS     -21,63
17.11.2026  BEAN & BLOOM         -4,60

Please mark what is on it as cleared, not as reconciled, and enter what is missing, cleared as well: Toy Tower was a present (Gifts), Bean & Bloom is Coffee & Bakery. Leave everything else as it is, the statement is not complete.`,
  ],
  expected: (before) => ({
    results: ['done'],
    changes: [
      ...known.map(
        ([date, amount, payee]): Change => ({
          kind: 'transaction',
          updated: transactionWhere(
            before,
            (row) =>
              row.account === 'Blue Card' &&
              row.date === date &&
              row.amount === amount &&
              row.payee === payee,
          ),
          to: { cleared: 'cleared' },
        }),
      ),
      {
        kind: 'transaction',
        created: {
          account: 'Blue Card',
          date: '2026-11-15',
          amount: -34_900,
          payee: 'Toy Tower',
          category: 'Gifts',
          cleared: 'cleared',
        },
      },
      {
        kind: 'transaction',
        created: {
          account: 'Blue Card',
          date: '2026-11-17',
          amount: -4_600,
          payee: 'Bean & Bloom',
          category: 'Coffee & Bakery',
          cleared: 'cleared',
        },
      },
    ],
  }),
};
