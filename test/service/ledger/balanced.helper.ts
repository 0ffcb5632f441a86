import { expect } from 'vitest';
import type { Ledger } from '../../../src/service/ledger.ts';
import type { TransactionDetail } from '../../../src/service/resources.ts';

const sum = (amounts: Iterable<number>) => [...amounts].reduce((total, amount) => total + amount, 0);

/** Checks all invariants of a ledger on its public responses. */
export function expectBalanced(ledger: Ledger): void {
  const transactions = ledger.transactions(undefined);
  const accounts = new Map(ledger.accounts().map((account) => [account.id, account]));
  const byAccount = groupByAccount(transactions);

  for (const account of accounts.values()) {
    const accountTransactions = byAccount.get(account.id) ?? [];
    const cleared = accountTransactions.filter((transaction) => transaction.cleared !== 'uncleared');
    expect(account.balance).toBe(sum(accountTransactions.map(({ amount }) => amount)));
    expect(account.cleared_balance).toBe(sum(cleared.map(({ amount }) => amount)));
    expect(account.balance).toBe(account.cleared_balance + account.uncleared_balance);
  }

  expectSplitsAndTransfers(ledger, transactions);
  expectEnvelopes(ledger, transactions);
}

function groupByAccount(transactions: readonly TransactionDetail[]): Map<string, TransactionDetail[]> {
  const groups = new Map<string, TransactionDetail[]>();
  for (const candidate of transactions) {
    const group = groups.get(candidate.account_id);
    if (group) group.push(candidate);
    else groups.set(candidate.account_id, [candidate]);
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
        (candidate) => candidate?.transfer_transaction_id === transaction.id,
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
  const lines = transactions.flatMap((transaction) => {
    const { account_id, date } = transaction;
    const legs = transaction.subtransactions.length > 0 ? transaction.subtransactions : [transaction];
    return legs.map((leg) => ({ ...leg, account_id, date, month: `${date.slice(0, 7)}-01` }));
  });
  const previousBalances = new Map<string, number>();
  let previousReady = 0;
  let previousCashOverspent = 0;

  for (const { month } of ledger.months()) {
    const detail = ledger.month(month);
    if (detail === undefined) throw new Error(`${month} is missing`);
    const inMonth = lines.filter((line) => line.month === month && isBudgeted(line.account_id));
    const allIncome = (previousBalances.get(inflow?.id ?? '') ?? 0) + detail.income;
    const [categoryOfIncome] = detail.categories.filter(({ id }) => id === inflow?.id);
    // The demo budgets show no sums in it.
    if (categoryOfIncome?.balance !== 0)
      expect(categoryOfIncome).toMatchObject({ budgeted: 0, activity: detail.income, balance: allIncome });
    previousBalances.set(inflow?.id ?? '', allIncome);
    const envelopes = detail.categories.filter(({ id }) => id !== inflow?.id);
    for (const category of envelopes) {
      const carried = Math.max(0, previousBalances.get(category.id) ?? 0);
      expect(category.balance).toBe(carried + category.budgeted + category.activity);
      previousBalances.set(category.id, category.balance);
      if (
        category.category_group_name === 'Credit Card Payments' ||
        category.category_group_name === 'Internal Master Category'
      )
        continue;
      const categoryLines = inMonth.filter(({ category_id }) => category_id === category.id);
      if (categoryLines.length > 0)
        expect(category.activity).toBe(sum(categoryLines.map(({ amount }) => amount)));
    }
    expect(detail.budgeted).toBe(sum(detail.categories.map(({ budgeted }) => budgeted)));
    // The transactions of the month outside "Inflow: Ready to Assign". A transfer within the budget adds up to zero.
    const spent = inMonth.filter(({ category_id }) => category_id !== inflow?.id);
    expect(detail.activity).toBe(sum(spent.map(({ amount }) => amount)));

    const income = inMonth.filter(
      ({ category_id, account_id, amount }) =>
        category_id === inflow?.id && (!isCredit(account_id) || amount > 0),
    );
    expect(detail.income).toBe(sum(income.map(({ amount }) => amount)));
    expect(detail.to_be_budgeted).toBe(
      previousReady + detail.income - detail.budgeted - previousCashOverspent,
    );

    // Cash = ready to assign + category balances + overspending on credit.
    const cash = sum(
      lines
        .filter((line) => line.month <= month && isBudgeted(line.account_id) && !isCredit(line.account_id))
        .map(({ amount }) => amount),
    );
    const inEnvelopes = sum(envelopes.map(({ balance }) => balance));
    const creditOverspent = cash - detail.to_be_budgeted - inEnvelopes;
    const overspent = sum(envelopes.map(({ balance }) => Math.max(0, -balance)));
    expect(creditOverspent).toBeGreaterThanOrEqual(0);
    expect(creditOverspent).toBeLessThanOrEqual(overspent);
    previousCashOverspent = overspent - creditOverspent;
    previousReady = detail.to_be_budgeted;
  }
}
