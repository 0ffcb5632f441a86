/**
 * The scheduled transactions of the household, one for each frequency. Data only. Amounts in milliunits of a euro.
 */
import type { ScheduledTransactionFrequency } from '../resources.ts';

export interface ScheduledPlan {
  readonly frequency: ScheduledTransactionFrequency;
  /** Days from today. One with a negative number comes due while the budget is created. */
  readonly in_days: number;
  readonly account: string;
  readonly category: string | null;
  readonly amount: number;
  readonly payee?: string;
  readonly transfer_to?: string;
  readonly memo?: string;
}

export const SCHEDULED: readonly ScheduledPlan[] = [
  {
    frequency: 'never',
    in_days: 19,
    account: 'Blue Card',
    category: 'Hobbies',
    amount: -48_000,
    payee: 'Strings Attached',
    memo: 'Concert 🎻',
  },
  {
    frequency: 'daily',
    in_days: 1,
    account: 'Wallet',
    category: 'Coffee & Bakery',
    amount: -1_200,
    payee: 'Kiosk at the Park',
  },
  {
    frequency: 'weekly',
    in_days: -1,
    account: 'Checking',
    category: 'Eating Out',
    amount: -18_000,
    payee: 'Noodle Lantern',
    memo: 'Choir night',
  },
  {
    frequency: 'everyOtherWeek',
    in_days: 6,
    account: 'Checking',
    category: 'Household Goods',
    amount: -35_000,
    payee: 'Sparkle Cleaning',
  },
  {
    frequency: 'twiceAMonth',
    in_days: 9,
    account: 'Checking',
    category: 'Pets',
    amount: -14_500,
    payee: 'Whisker World',
  },
  {
    frequency: 'every4Weeks',
    in_days: 12,
    account: 'Checking',
    category: 'Clothing',
    amount: -22_000,
    payee: 'Little Stripes',
    memo: 'Nappies',
  },
  {
    frequency: 'monthly',
    in_days: 10,
    account: 'Checking',
    category: 'Sports Club',
    amount: -54_000,
    payee: 'Riverside Sports Club',
  },
  {
    frequency: 'monthly',
    in_days: 14,
    account: 'Checking',
    category: null,
    amount: -300_000,
    transfer_to: 'Savings',
  },
  {
    frequency: 'everyOtherMonth',
    in_days: 25,
    account: 'Checking',
    category: 'Doctor & Dentist',
    amount: -32_000,
    payee: 'Dr Amari',
  },
  {
    frequency: 'every3Months',
    in_days: 33,
    account: 'Checking',
    category: 'Water & Heating',
    amount: -38_000,
    payee: 'Chimney Sweep Ash',
  },
  {
    frequency: 'every4Months',
    in_days: 48,
    account: 'Checking',
    category: 'School',
    amount: -60_000,
    payee: 'Maple School',
  },
  {
    frequency: 'twiceAYear',
    in_days: 71,
    account: 'Checking',
    category: 'Charity',
    amount: -75_000,
    payee: 'Open Door Food Bank',
  },
  {
    frequency: 'yearly',
    in_days: 118,
    account: 'Checking',
    category: 'Car Insurance',
    amount: -690_000,
    payee: 'Compass Insurance',
  },
  {
    frequency: 'everyOtherYear',
    in_days: 300,
    account: 'Checking',
    category: 'Car Repairs',
    amount: -145_000,
    payee: 'Vehicle Inspection Office',
  },
];
