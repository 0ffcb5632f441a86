/** Random budgets for assignments, in three currencies. */
import fc from 'fast-check';
import type { LedgerState } from '../../../src/service/ledger/ledger-state.ts';
import { addTransaction } from '../../../src/service/ledger/transactions.ts';
import { type Change, changes, EURO } from '../../service/ledger/random-changes.helper.ts';

export const currencies = [
  EURO,
  { ...EURO, iso_code: 'JPY', decimal_digits: 0 },
  { ...EURO, iso_code: 'TND', decimal_digits: 3 },
];

const ofKind = (kind: Change['kind'], maxLength: number) =>
  changes(maxLength).map((some) => some.map((change) => ({ ...change, kind })));

/** Spending in cash and by card, goals, hidden categories, and amounts budgeted in months around the present one. */
export const budgetChanges = fc
  .tuple(ofKind('add transaction', 15), ofKind('update category', 8), ofKind('budget', 12), changes(15))
  .map((parts) => parts.flat());

/** Income in the first month, so that there is money to be assigned. */
export function earn(state: LedgerState, amount: number): void {
  const inflow = [...state.categories.values()].find(({ role }) => role.kind === 'inflow');
  const account = [...state.accounts.values()].find(({ type }) => type === 'checking');
  if (inflow && account && amount > 0)
    addTransaction(state, {
      account_id: account.id,
      date: state.firstMonth,
      amount,
      category_id: inflow.id,
    });
}
