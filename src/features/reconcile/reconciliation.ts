/** What a reconciliation of an account would do, and what its cleared balance would be afterwards. Pure. */
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Account, Transaction } from '../../model/replica/entities.ts';
import type { BankRow, ListComparison } from './bank-list.ts';
import { clearedBalanceOn, isCounted, sumOfAmounts } from './cleared-balance.ts';
import type { BankComparison } from './comparisons.ts';

interface Register<Entry, Head = Pick<Account, 'cleared_balance'>> {
  readonly account: Head;
  /** All transactions of the account, newest first. */
  readonly transactions: readonly Entry[];
}

export type AccountRegister = Register<Transaction, Account>;

/** Throws `resource_not_found`. */
export const readRegister = (replica: BudgetReplica, accountId: string): AccountRegister => ({
  account: replica.accounts.get(accountId),
  transactions: replica.transactions.ofAccount(accountId, {}),
});

export interface ReconciliationWanted {
  readonly date: string;
  /** The ids of transactions to mark, in addition to those that the cleared balance contains. */
  readonly chosen: Iterable<string>;
  readonly entered: readonly BankRow[];
  /** As `cleared`, only what is chosen is marked. */
  readonly state?: MarkedState;
}

/** How transactions are marked: as reconciled, if the bank's balance is known. */
export type MarkedState = 'cleared' | 'reconciled';

/** A chosen transaction counts in the balance afterwards also if its date is later, since the bank has it. */
export function planReconciliation<Entry extends Pick<Transaction, 'id' | 'date' | 'amount' | 'cleared'>>(
  { account, transactions }: Register<Entry>,
  { date, chosen, entered, state = 'reconciled' }: ReconciliationWanted,
) {
  const chosenIds = new Set(chosen);
  const counted = (each: Entry) => isCounted(each, date);
  const added = transactions.filter((each) => chosenIds.has(each.id) && !counted(each));
  const clearedBefore = clearedBalanceOn(date, account, transactions);
  return {
    marked: transactions.filter(
      (each) =>
        each.cleared !== 'reconciled' &&
        each.cleared !== state &&
        (chosenIds.has(each.id) || (state === 'reconciled' && counted(each))),
    ),
    /** The cleared balance, in milliunits. */
    clearedBefore,
    clearedAfter: clearedBefore + sumOfAmounts(added) + sumOfAmounts(entered),
  };
}

/**
 * How the rows that were missing when they were compared stand in the comparison of now: those that the account still does not have,
 * how many it has with a likely typing mistake, and the ids of the transactions that have been entered or corrected since.
 */
export function missingNow(
  { rows, missing }: Pick<BankComparison, 'rows' | 'missing'>,
  now: Pick<ListComparison<Pick<Transaction, 'id'>>, 'matched' | 'missing' | 'mistyped'>,
) {
  const open = new Set(now.missing);
  return {
    missing: missing.flatMap((index) => (open.has(index) ? (rows[index] ?? []) : [])),
    mistyped: missing.filter((index) => now.mistyped.has(index)).length,
    done: missing.flatMap((index) => now.matched.get(index)?.id ?? []),
  };
}
