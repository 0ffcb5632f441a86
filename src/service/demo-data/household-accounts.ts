/** The initial accounts of the household. Amounts in milliunits of a euro. */
import type { NewAccount } from '../ledger/accounts.ts';
import { LOANS, MONTHLY } from './household-bills.ts';
import { DEFAULT_MONTHS } from './household-size.ts';

/** The accounts of a household that reaches back `months`. A loan was larger the longer ago it was taken. */
export const accountsBefore = (months: number): readonly NewAccount[] =>
  ACCOUNTS.map((account) => {
    const yearly = LOANS.get(account.name);
    const payment = MONTHLY.find(({ transfer_to }) => transfer_to === account.name)?.amount ?? 0;
    let { balance } = account;
    if (yearly !== undefined)
      for (let month = DEFAULT_MONTHS; month < months; month += 1)
        balance = Math.round((balance + payment) / (1 + yearly / 12) / CENT) * CENT;
    return { ...account, balance };
  });

const CENT = 10;

const ACCOUNTS: readonly NewAccount[] = [
  {
    name: 'Checking',
    type: 'checking',
    balance: 3_240_550,
    note: 'Salaries come in here',
    direct_import_linked: true,
  },
  { name: 'Savings', type: 'savings', balance: 8_500_000 },
  { name: 'Old Savings', type: 'savings', balance: 0, note: 'Closed, moved to Savings' },
  { name: 'Wallet', type: 'cash', balance: 120_000 },
  { name: 'Blue Card', type: 'creditCard', balance: -412_300, note: 'Paid in full on the 20th' },
  { name: 'Travel Card', type: 'creditCard', balance: 0 },
  { name: 'Overdraft', type: 'lineOfCredit', balance: 0, note: 'For emergencies only' },
  {
    name: 'Mortgage',
    type: 'mortgage',
    balance: -212_400_000,
    debt_interest_rates: { '2021-03-01': 2150 },
    debt_minimum_payments: { '2021-03-01': 1_180_000 },
    debt_escrow_amounts: { '2021-03-01': 85_000 },
  },
  {
    name: 'Car Loan',
    type: 'autoLoan',
    balance: -11_600_000,
    debt_interest_rates: { '2023-06-01': 4900 },
    debt_minimum_payments: { '2023-06-01': 265_000 },
  },
  { name: 'House', type: 'otherAsset', balance: 318_000_000, note: 'Valued once a year' },
  { name: 'Pension Fund', type: 'otherAsset', balance: 21_350_000 },
  { name: 'Aunt Rosa', type: 'otherLiability', balance: -1_500_000, note: 'Interest free. Bring cake.' },
];
