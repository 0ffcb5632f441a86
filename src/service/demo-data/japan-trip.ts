/** A small budget in a currency without decimals: three months of saving for a journey. */
import { createAccount } from '../ledger/accounts.ts';
import { addDays, addMonths } from '../ledger/calendar.ts';
import { createCategory, createCategoryGroup, setBudgeted } from '../ledger/categories.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import { addScheduled } from '../ledger/scheduled-transactions.ts';
import { addTransaction } from '../ledger/transactions.ts';
import { Ledger } from '../ledger.ts';
import { Directory } from './directory.ts';
import type { Random } from './random.ts';

const YEN = 1_000;

const ENVELOPES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  Travel: { 'Trains & Buses': 84_000, Lodging: 162_000 },
  'On the Road': { Food: 65_000, Museums: 18_000, Souvenirs: 20_000 },
};

const SPENDING: readonly (readonly [daysAgo: number, payee: string, category: string, yen: number])[] = [
  [58, 'Sakura Rail Office', 'Trains & Buses', -50_000],
  [51, 'Inn of the Quiet Pond', 'Lodging', -72_000],
  [33, 'Inn of the Quiet Pond', 'Lodging', 12_000],
  [30, 'Mountain Bus Line', 'Trains & Buses', -8_400],
  [12, 'Paper Crane Museum', 'Museums', -3_200],
  [4, 'Guide to Ramen', 'Food', -2_450],
];

export function japanTrip(random: Random, now: number, sumsIncome = false): Ledger {
  const ledger = new Ledger({
    id: random.uuid(),
    name: 'Japan Trip',
    now,
    date_format: 'YYYY-MM-DD',
    currency_format: {
      iso_code: 'JPY',
      example_format: '123,456',
      decimal_digits: 0,
      decimal_separator: '.',
      symbol_first: true,
      group_separator: ',',
      currency_symbol: '¥',
      display_symbol: true,
    },
    newId: () => random.uuid(),
    sumsIncome,
  });
  ledger.commit((state) => {
    const directory = new Directory(state);
    const first = addMonths(state.today, -2);
    createAccount(state, { name: 'Travel Savings', type: 'savings', balance: 300_000 * YEN, date: first });
    createAccount(state, { name: 'Yen in Cash', type: 'cash', balance: 52_000 * YEN, date: first });
    openEnvelopes(state, first);
    spend(state, directory);
    addScheduled(state, {
      account_id: directory.account('Travel Savings'),
      date: addDays(state.today, 21),
      amount: -78_000 * YEN,
      payee_id: directory.payee('Inn of the Quiet Pond'),
      category_id: directory.category('Lodging'),
      memo: 'Second half 🏯',
    });
  });
  return ledger;
}

function openEnvelopes(state: LedgerState, month: string): void {
  for (const [group, envelopes] of Object.entries(ENVELOPES)) {
    const { id: group_id } = createCategoryGroup(state, group);
    for (const [name, yen] of Object.entries(envelopes)) {
      const { id } = createCategory(state, {
        group_id,
        name,
        goal: {
          type: 'TBD',
          target: yen * YEN,
          creation_month: month,
          target_date: addMonths(state.currentMonth, 3),
          needs_whole_amount: null,
          day: null,
          cadence: 0,
          cadence_frequency: 1,
          snoozed_at: null,
        },
      });
      setBudgeted(state, id, month, yen * YEN);
    }
  }
}

function spend(state: LedgerState, directory: Directory): void {
  for (const [daysAgo, payee, category, yen] of SPENDING) {
    addTransaction(state, {
      account_id: directory.account('Travel Savings'),
      date: addDays(state.today, -daysAgo),
      amount: yen * YEN,
      payee_id: directory.payee(payee),
      category_id: directory.category(category),
      cleared: 'cleared',
      approved: true,
    });
  }
}
