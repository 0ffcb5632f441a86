/**
 * The running sums of all postings, so that a balance never needs a walk over the register. Milliunits. To undo a
 * change is to restore the sums, not to subtract: a sum too large to be exact has forgotten what it was.
 */

import { leavesOf, type Posting } from './postings.ts';
import type { TransactionRecord } from './records.ts';
import type { UndoLog } from './undo-log.ts';

export interface AccountSums {
  readonly cleared: number;
  readonly uncleared: number;
}

const NOTHING: AccountSums = { cleared: 0, uncleared: 0 };

export class Sums {
  readonly #accounts = new Map<string, AccountSums>();
  readonly #months = new Map<string, number>();
  readonly #journal: UndoLog;
  #turnover = 0;

  constructor(journal: UndoLog) {
    this.#journal = journal;
  }

  /** All amounts ever added up, without their signs: no sum can be further from zero than about twice this. */
  get turnover(): number {
    return this.#turnover;
  }

  /** Counts a transaction in (`sign` 1) or out again (-1). */
  count(transaction: TransactionRecord, postings: readonly Posting[], sign: 1 | -1): void {
    const before = this.account(transaction.account_id);
    const amount = sign * transaction.amount;
    this.#journal.set(
      this.#accounts,
      transaction.account_id,
      transaction.cleared === 'uncleared'
        ? { ...before, uncleared: before.uncleared + amount }
        : { ...before, cleared: before.cleared + amount },
    );
    for (const leaf of leavesOf(transaction)) this.#turnOver(sign * Math.abs(leaf.amount));
    for (const posting of postings) this.#add(keyOf(posting), sign * posting.amount);
  }

  /** What is budgeted somewhere goes from one amount to another. */
  budget(before: number, amount: number): void {
    this.#turnOver(Math.abs(amount) - Math.abs(before));
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

  #turnOver(amount: number): void {
    const before = this.#turnover;
    this.#turnover += amount;
    this.#journal.note(() => {
      this.#turnover = before;
    });
  }

  #add(key: string, amount: number): void {
    this.#journal.set(this.#months, key, (this.#months.get(key) ?? 0) + amount);
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
