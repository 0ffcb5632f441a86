/** The accounts of the budget itself, without those that are only tracked, and what moves money out of them. */
import type { Account } from '../replica/entities.ts';
import type { Line } from './lines.ts';

export type AccountIds = ReadonlySet<string>;

export const budgetAccountsOf = (accounts: readonly Account[]): AccountIds =>
  new Set(accounts.filter(({ on_budget }) => on_budget).map(({ id }) => id));

/**
 * What a line of a transaction changes in the money of the budget, in milliunits. A transfer between two accounts of the
 * budget changes nothing. A transfer between a tracked account and one of the budget does.
 */
export function changeOf(
  { amount, transfer_account_id }: Pick<Line, 'amount' | 'transfer_account_id'>,
  accountId: string,
  budgetAccounts: AccountIds,
): number {
  const isOtherInBudget = transfer_account_id !== null && budgetAccounts.has(transfer_account_id);
  if (budgetAccounts.has(accountId)) return isOtherInBudget ? 0 : amount;
  return isOtherInBudget ? -amount : 0;
}

/** Accounts of the budget that hold debt. */
export const isCredit = ({ type }: Account) => type === 'creditCard' || type === 'lineOfCredit';
