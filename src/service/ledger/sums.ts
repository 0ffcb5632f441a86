/**
 * Running sums of all postings in milliunits, so that reading a balance does not scan all transactions. An undo
 * restores the old sums instead of subtracting, because a sum beyond the exact integer range has lost its value.
 */

import { linesOf, type Posting } from './postings.ts';
import type { TransactionRecord } from './records.ts';
import type { UndoLog } from './undo-log.ts';

export interface AccountSums {
  readonly cleared: number;
  readonly uncleared: number;
}

const ZERO: AccountSums = { cleared: 0, uncleared: 0 };

export class Sums {
  readonly #accounts = new Map<string, AccountSums>();
  readonly #months = new Map<string, number>();
  readonly #undoLog: UndoLog;
  #turnover = 0;

  constructor(undoLog: UndoLog) {
    this.#undoLog = undoLog;
  }

  /**
   * The sum of the absolute values of all amounts. The absolute value of any sum is at most about twice as large.
   */
  get turnover(): number {
    return this.#turnover;
  }

  /** Adds a transaction to the sums (`sign` 1) or removes it (-1). */
  count(transaction: TransactionRecord, postings: readonly Posting[], sign: 1 | -1): void {
    const before = this.account(transaction.account_id);
    const amount = sign * transaction.amount;
    this.#undoLog.set(
      this.#accounts,
      transaction.account_id,
      transaction.cleared === 'uncleared'
        ? { ...before, uncleared: before.uncleared + amount }
        : { ...before, cleared: before.cleared + amount },
    );
    for (const line of linesOf(transaction)) this.#addTurnover(sign * Math.abs(line.amount));
    for (const posting of postings) this.#add(keyOf(posting), sign * posting.amount);
  }

  /** A budgeted amount changes from `before` to `amount`. */
  changeBudgeted(before: number, amount: number): void {
    this.#addTurnover(Math.abs(amount) - Math.abs(before));
  }

  account(id: string): AccountSums {
    return this.#accounts.get(id) ?? ZERO;
  }

  income(month: string): number {
    return this.#months.get(incomeKey(month)) ?? 0;
  }

  /** Spending and refunds in a category, in cash or on one card. */
  category(categoryId: string, month: string, card?: string): number {
    return this.#months.get(categoryKey(month, categoryId, card)) ?? 0;
  }

  /** The amounts moved into or out of a card's payment category other than by spending. */
  payment(card: string, month: string): number {
    return this.#months.get(paymentKey(month, card)) ?? 0;
  }

  #addTurnover(amount: number): void {
    const before = this.#turnover;
    this.#turnover += amount;
    this.#undoLog.record(() => {
      this.#turnover = before;
    });
  }

  #add(key: string, amount: number): void {
    this.#undoLog.set(this.#months, key, (this.#months.get(key) ?? 0) + amount);
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
