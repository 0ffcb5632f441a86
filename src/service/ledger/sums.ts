/** The running sums of all postings, so that a balance never needs a walk over the register. Milliunits. */
import type { Posting } from './postings.ts';
import type { TransactionRecord } from './records.ts';

export interface AccountSums {
  readonly cleared: number;
  readonly uncleared: number;
}

const NOTHING: AccountSums = { cleared: 0, uncleared: 0 };

export class Sums {
  readonly #accounts = new Map<string, AccountSums>();
  readonly #months = new Map<string, number>();

  /** Counts a transaction in (`sign` 1) or out again (-1). */
  count(transaction: TransactionRecord, postings: readonly Posting[], sign: 1 | -1): void {
    const before = this.account(transaction.account_id);
    const amount = sign * transaction.amount;
    this.#accounts.set(
      transaction.account_id,
      transaction.cleared === 'uncleared'
        ? { ...before, uncleared: before.uncleared + amount }
        : { ...before, cleared: before.cleared + amount },
    );
    for (const posting of postings) this.#add(keyOf(posting), sign * posting.amount);
  }

  account(id: string): AccountSums {
    return this.#accounts.get(id) ?? NOTHING;
  }

  income(month: string): number {
    return this.#months.get(incomeKey(month)) ?? 0;
  }

  /** Spending and refunds in a category, in cash or on one card. */
  category(categoryId: string, month: string, card?: string): number {
    return this.#months.get(categoryKey(month, categoryId, card)) ?? 0;
  }

  /** What moved into or out of a card's payment category other than by spending. */
  payment(card: string, month: string): number {
    return this.#months.get(paymentKey(month, card)) ?? 0;
  }

  #add(key: string, amount: number): void {
    this.#months.set(key, (this.#months.get(key) ?? 0) + amount);
  }
}

function keyOf(posting: Posting): string {
  switch (posting.to) {
    case 'income':
      return incomeKey(posting.month);
    case 'category':
      return categoryKey(posting.month, posting.category_id, posting.card);
    case 'payment':
      return paymentKey(posting.month, posting.card);
  }
}

const incomeKey = (month: string) => `${month} income`;
const categoryKey = (month: string, category: string, card = 'cash') => `${month} ${category} ${card}`;
const paymentKey = (month: string, card: string) => `${month} payment ${card}`;
