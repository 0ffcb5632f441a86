/**
 * What is owned and owed at the end of each period, on all accounts, tracking and closed ones included. It is computed
 * from the balances of today, by taking back what happened later. Pure.
 */

import { addDays } from '../../base/calendar.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import type { Transaction } from '../../model/replica/entities.ts';
import type { Range } from './periods.ts';

export interface Worth {
  /** The sum of the balances above zero, in milliunits. */
  readonly owned: number;
  /** The sum of the balances below zero, without their sign. */
  readonly owed: number;
}

/** `periods` follow each other without a gap, and there is at least one. With `only`, ids, only of those accounts. */
export function netWorth(replica: BudgetReplica, periods: readonly Range[], only?: readonly string[]) {
  const accounts = replica.accounts.list().filter(({ id }) => only === undefined || only.includes(id));
  const balances = new Map(accounts.map(({ id, balance }) => [id, balance]));
  const { transactions } = replica;
  let absoluteSum = accounts.reduce((sum, { balance }) => sum + Math.abs(balance), 0);

  const takeBack = (rows: readonly Transaction[]) => {
    for (const { account_id, amount } of rows) {
      const balance = balances.get(account_id);
      if (balance === undefined) continue;
      balances.set(account_id, balance - amount);
      absoluteSum += Math.abs(amount);
    }
  };

  const last = periods.at(-1);
  if (last) takeBack(transactions.list({ since_date: addDays(last.until, 1) }));
  const latestFirst = periods.toReversed().map(({ since, until }) => {
    const atEnd = new Map(balances);
    takeBack(transactions.list({ since_date: since, until_date: until }));
    return atEnd;
  });
  const atEnds = latestFirst.toReversed();
  /** Balances at the end of each period in milliunits, negative if they are owed. */
  const rows = accounts.map(({ id }) => ({ id, balances: atEnds.map((atEnd) => atEnd.get(id) ?? 0) }));
  return {
    /** Before the first period. */
    before: worthOf(balances),
    /** At the end of each period. */
    periods: atEnds.map(worthOf),
    /** Without accounts that have no balance at the end of any period. Largest last balance first, owned or owed. */
    accounts: rows
      .filter((row) => row.balances.some((balance) => balance !== 0))
      .sort((a, b) => lastSize(b) - lastSize(a)),
    /** Whether no sum can be larger than an exact integer. Otherwise the amounts are wrong. */
    isExact: absoluteSum <= Number.MAX_SAFE_INTEGER,
  };
}

const lastSize = ({ balances }: { readonly balances: readonly number[] }) => Math.abs(balances.at(-1) ?? 0);

function worthOf(balances: ReadonlyMap<string, number>): Worth {
  let [owned, owed] = [0, 0];
  for (const balance of balances.values()) {
    if (balance > 0) owned += balance;
    else owed -= balance;
  }
  return { owned, owed };
}
