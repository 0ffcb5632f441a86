/**
 * Recent transactions that the household's bank has reported and that are not imported yet. Data only. Amounts in
 * milliunits of a euro.
 */

export interface BankPlan {
  readonly account: string;
  readonly days_ago: number;
  readonly amount: number;
  readonly payee: string;
}

export const REPORTED: readonly BankPlan[] = [
  { account: 'Checking', days_ago: 3, amount: -41_370, payee: 'Harvest Hall' },
  { account: 'Checking', days_ago: 2, amount: -12_800, payee: 'Noodle Lantern' },
  { account: 'Checking', days_ago: 1, amount: -29_950, payee: 'TINKER & SONS REPAIRS' },
  { account: 'Checking', days_ago: 0, amount: 64_000, payee: 'Lindqvist Engineering' },
];
