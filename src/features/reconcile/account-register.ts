/** An account with all its transactions, for tools that reconcile it. */
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Account, Transaction } from '../../model/replica/entities.ts';

export interface AccountRegister {
  readonly account: Account;
  /** Newest first. */
  readonly transactions: readonly Transaction[];
}

/** Throws `resource_not_found`. */
export const readRegister = (replica: BudgetReplica, accountId: string): AccountRegister => ({
  account: replica.accounts.get(accountId),
  transactions: replica.transactions.ofAccount(accountId, {}),
});
