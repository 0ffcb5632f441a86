/**
 * The accounts of the budget itself, without those that are only tracked, and what moves money out of them. An account that is
 * unknown counts as one of the budget, because what happens on tracked accounts has no category.
 */
import type { Account } from '../replica/entities.ts';
import type { Line } from './lines.ts';

export interface BudgetAccounts {
  has(id: string): boolean;
  /** Whether a line moves money within the budget. One to an unknown account does so if it has no category. */
  isWithin(line: Pick<Line, 'transfer_account_id' | 'category_id'>): boolean;
}

export function budgetAccountsOf(accounts: readonly Account[]): BudgetAccounts {
  const onBudget = new Map(accounts.map(({ id, on_budget }) => [id, on_budget]));
  return {
    has: (id) => onBudget.get(id) ?? true,
    isWithin: ({ transfer_account_id: other, category_id }) =>
      other !== null && (onBudget.get(other) ?? category_id === null),
  };
}

/**
 * What a line of a transaction changes in the money of the budget, in milliunits. A transfer between two accounts of the
 * budget changes nothing. A transfer between a tracked account and one of the budget does.
 */
export function changeOf(
  line: Pick<Line, 'amount' | 'transfer_account_id' | 'category_id'>,
  accountId: string,
  budgetAccounts: BudgetAccounts,
): number {
  const isOtherInBudget = budgetAccounts.isWithin(line);
  if (budgetAccounts.has(accountId)) return isOtherInBudget ? 0 : line.amount;
  return isOtherInBudget ? -line.amount : 0;
}

/** All that the interface names. The service may add others. */
const TYPES = new Set([
  ...[
    'checking',
    'savings',
    'cash',
    'creditCard',
    'lineOfCredit',
    'otherAsset',
    'otherLiability',
    'mortgage',
  ],
  ...['autoLoan', 'studentLoan', 'personalLoan', 'medicalDebt', 'otherDebt'],
]);

/** Whether it is known if an account of this type holds money or debt. */
export const isTypeKnown = ({ type }: Account): boolean => TYPES.has(type);

/** Accounts of the budget that hold debt. */
export const isCredit = ({ type }: Account) => type === 'creditCard' || type === 'lineOfCredit';
