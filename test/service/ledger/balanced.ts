import { expect } from 'vitest';
import type { Ledger } from '../../../src/service/ledger.ts';
import type { TransactionDetail } from '../../../src/service/resources.ts';

const sum = (amounts: Iterable<number>) => [...amounts].reduce((total, amount) => total + amount, 0);

/** Every law that the books of a budget keep, checked from outside: from what the ledger serves. */
export function expectBalanced(ledger: Ledger): void {
  const transactions = ledger.transactions(undefined);
  const accounts = new Map(ledger.accounts().map((account) => [account.id, account]));
  const byAccount = groupByAccount(transactions);

  for (const account of accounts.values()) {
    const own = byAccount.get(account.id) ?? [];
    const cleared = own.filter((transaction) => transaction.cleared !== 'uncleared');
    expect(account.balance).toBe(sum(own.map(({ amount }) => amount)));
    expect(account.cleared_balance).toBe(sum(cleared.map(({ amount }) => amount)));
    expect(account.balance).toBe(account.cleared_balance + account.uncleared_balance);
  }

  expectSplitsAndTransfers(ledger, transactions);
  expectEnvelopes(ledger, transactions);
}

function groupByAccount(transactions: readonly TransactionDetail[]): Map<string, TransactionDetail[]> {
  const groups = new Map<string, TransactionDetail[]>();
  for (const each of transactions) {
    const group = groups.get(each.account_id);
    if (group) group.push(each);
    else groups.set(each.account_id, [each]);
  }
  return groups;
}

function expectSplitsAndTransfers(ledger: Ledger, transactions: readonly TransactionDetail[]): void {
  for (const transaction of transactions) {
    const legs = transaction.subtransactions;
    if (legs.length > 0) {
      expect(sum(legs.map(({ amount }) => amount))).toBe(transaction.amount);
      expect(transaction).toMatchObject({ category_name: 'Split', category_id: expect.any(String) });
    }
    for (const side of [transaction, ...legs]) {
      expect(side.transfer_account_id === null).toBe(side.transfer_transaction_id === null);
      if (side.transfer_transaction_id === null) continue;
      const other = ledger.transaction(side.transfer_transaction_id);
      expect(other).toMatchObject({ account_id: side.transfer_account_id, date: transaction.date });
      const mirror = [other, ...(other?.subtransactions ?? [])].find(
        (each) => each?.transfer_transaction_id === transaction.id,
      );
      expect(mirror).toMatchObject({
        transfer_account_id: transaction.account_id,
        amount: 0 - side.amount,
      });
    }
  }
}

function expectEnvelopes(ledger: Ledger, transactions: readonly TransactionDetail[]): void {
  const accounts = new Map(ledger.accounts().map((account) => [account.id, account]));
  const isCredit = (id: string) => ['creditCard', 'lineOfCredit'].includes(accounts.get(id)?.type ?? '');
  const isBudgeted = (id: string) => accounts.get(id)?.on_budget === true;
  const inflow = ledger
    .categoryGroups()
    .flatMap(({ categories }) => categories)
    .find(({ name }) => name === 'Inflow: Ready to Assign');
  const leaves = transactions.flatMap((transaction) => {
    const { account_id, date } = transaction;
    const legs = transaction.subtransactions.length > 0 ? transaction.subtransactions : [transaction];
    return legs.map((leg) => ({ ...leg, account_id, date, month: `${date.slice(0, 7)}-01` }));
  });
  const last = new Map<string, number>();
  let lastReady = 0;
  let lastCashOverspent = 0;

  for (const { month } of ledger.months()) {
    const detail = ledger.month(month);
    if (detail === undefined) throw new Error(`${month} is missing`);
    const inMonth = leaves.filter((leaf) => leaf.month === month && isBudgeted(leaf.account_id));
    for (const category of detail.categories) {
      const carried = Math.max(0, last.get(category.id) ?? 0);
      expect(category.balance).toBe(carried + category.budgeted + category.activity);
      last.set(category.id, category.balance);
      if (
        category.category_group_name === 'Credit Card Payments' ||
        category.category_group_name === 'Internal Master Category'
      )
        continue;
      const own = inMonth.filter(({ category_id }) => category_id === category.id);
      if (own.length > 0) expect(category.activity).toBe(sum(own.map(({ amount }) => amount)));
    }
    expect(detail.budgeted).toBe(sum(detail.categories.map(({ budgeted }) => budgeted)));
    expect(detail.activity).toBe(sum(detail.categories.map(({ activity }) => activity)));

    const income = inMonth.filter(
      ({ category_id, account_id, amount }) =>
        category_id === inflow?.id && (!isCredit(account_id) || amount > 0),
    );
    expect(detail.income).toBe(sum(income.map(({ amount }) => amount)));
    expect(detail.to_be_budgeted).toBe(lastReady + detail.income - detail.budgeted - lastCashOverspent);

    // Cash that there is = ready to assign + in envelopes + spent on credit without cover.
    const cash = sum(
      leaves
        .filter((leaf) => leaf.month <= month && isBudgeted(leaf.account_id) && !isCredit(leaf.account_id))
        .map(({ amount }) => amount),
    );
    const inEnvelopes = sum(detail.categories.map(({ balance }) => balance));
    const creditOverspent = cash - detail.to_be_budgeted - inEnvelopes;
    const overspent = sum(detail.categories.map(({ balance }) => Math.max(0, -balance)));
    expect(creditOverspent).toBeGreaterThanOrEqual(0);
    expect(creditOverspent).toBeLessThanOrEqual(overspent);
    lastCashOverspent = overspent - creditOverspent;
    lastReady = detail.to_be_budgeted;
  }
}
