/**
 * How large a budget may become: the limits behind 403.4 (specification, Errors), which the operator chooses. A
 * write that would pass one is undone as a whole; what is there already stays, and may shrink.
 */
import { createMiddleware } from 'hono/factory';
import { ServiceError } from '../errors.ts';
import type { Books, Ledger } from '../ledger.ts';

export interface Limited {
  Variables: { maxTransactions: number };
}

const MAX_ROWS = 1_000;

/** A quarter of the integers that JSON says exactly, so that no balance leaves them, whichever way it is summed. */
const MAX_TURNOVER = Math.floor(Number.MAX_SAFE_INTEGER / 4);

export const limits = (maxTransactions: number) =>
  createMiddleware<Limited>(async (c, next) => {
    c.set('maxTransactions', maxTransactions);
    await next();
  });

/** Throws 403.4 for more rows than one request may bring. */
export function checkRows(rows: readonly unknown[]): void {
  if (rows.length > MAX_ROWS) {
    throw new ServiceError('data_limit_reached', `A request may bring ${MAX_ROWS} transactions at most.`);
  }
}

/**
 * Commits a change to a ledger, wholly or not at all: nothing is written where it throws 403.4, because the budget
 * would pass a limit, or whatever `change` throws.
 */
export function commit<Result>(
  { ledger, maxTransactions }: { ledger: Ledger; maxTransactions: number },
  change: (books: Books) => Result,
): Result {
  return ledger.commit((books) => {
    const before = { count: books.transactions.size, turnover: books.sums.turnover };
    const result = change(books);
    const { size: count } = books.transactions;
    if (count > before.count && count > maxTransactions) {
      throw new ServiceError(
        'data_limit_reached',
        `A budget may have ${maxTransactions} transactions at most.`,
      );
    }
    const { turnover } = books.sums;
    if (turnover > before.turnover && turnover > MAX_TURNOVER) {
      throw new ServiceError('data_limit_reached', 'The amounts of this budget would become too large.');
    }
    return result;
  });
}
