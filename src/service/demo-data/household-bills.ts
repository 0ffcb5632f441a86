/** The monthly income, bills and interest of the household. Data only. Amounts in milliunits of a euro. */

/** A payment on one day of each month, to a payee or to another account. */
export interface MonthlyPlan {
  readonly day: number;
  readonly account: string;
  readonly category: string | null;
  readonly amount: number;
  /** The largest random deviation from the amount. */
  readonly spread?: number;
  readonly payee?: string;
  readonly transfer_to?: string;
  readonly memo?: string;
}

export const INFLOW = 'Inflow: Ready to Assign';

export const MONTHLY: readonly MonthlyPlan[] = [
  {
    day: 1,
    account: 'Checking',
    category: INFLOW,
    amount: 2_960_000,
    payee: 'Lindqvist Engineering',
    memo: 'Salary',
  },
  { day: 1, account: 'Checking', category: INFLOW, amount: 1_720_000, payee: 'City Library', memo: 'Salary' },
  { day: 1, account: 'Checking', category: INFLOW, amount: 250_000, payee: 'Family Benefits Office' },
  {
    day: 2,
    account: 'Checking',
    category: null,
    amount: -300_000,
    transfer_to: 'Savings',
    memo: 'Pay ourselves first',
  },
  { day: 3, account: 'Checking', category: 'Mortgage Payment', amount: -1_265_000, transfer_to: 'Mortgage' },
  { day: 3, account: 'Checking', category: 'Childcare', amount: -410_000, payee: 'Little Otters Nursery' },
  { day: 4, account: 'Checking', category: 'Retirement', amount: -200_000, transfer_to: 'Pension Fund' },
  { day: 5, account: 'Checking', category: 'Car Loan Payment', amount: -265_000, transfer_to: 'Car Loan' },
  {
    day: 6,
    account: 'Checking',
    category: 'Electricity',
    amount: -84_000,
    spread: 11_000,
    payee: 'Northwind Power',
  },
  { day: 7, account: 'Checking', category: 'Internet & Phone', amount: -67_900, payee: 'Fernline Telecom' },
  {
    day: 8,
    account: 'Checking',
    category: 'Water & Heating',
    amount: -96_000,
    spread: 14_000,
    payee: 'Hillside Water & Heat',
  },
  { day: 9, account: 'Blue Card', category: 'Streaming', amount: -15_990, payee: 'Moonbeam Video' },
  { day: 11, account: 'Blue Card', category: 'Streaming', amount: -10_990, payee: 'Treble Music' },
  { day: 12, account: 'Blue Card', category: 'Apps & Cloud', amount: -9_990, payee: 'Cumulus Storage' },
  { day: 14, account: 'Checking', category: 'Sports Club', amount: -54_000, payee: 'Riverside Sports Club' },
  { day: 15, account: 'Checking', category: 'Charity', amount: -25_000, payee: 'Open Door Food Bank' },
  {
    day: 16,
    account: 'Wallet',
    category: 'Pocket Money',
    amount: -40_000,
    payee: 'Mila',
    memo: 'Pocket money 🪙',
  },
  {
    day: 17,
    account: 'Checking',
    category: null,
    amount: -90_000,
    transfer_to: 'Wallet',
    memo: 'Cash machine',
  },
];

/** The yearly interest of the loans. */
export const LOANS: ReadonlyMap<string, number> = new Map([
  ['Mortgage', 0.0215],
  ['Car Loan', 0.049],
]);
