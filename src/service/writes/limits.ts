/**
 * The size limits of a budget behind 403.4 (docs/interface.md, Errors). A write that would exceed one is undone
 * completely. A budget that exceeds one already can still shrink.
 */
import { createMiddleware } from 'hono/factory';
import { ServiceError } from '../errors.ts';
import type { LedgerState } from '../ledger/ledger-state.ts';
import type { Ledger } from '../ledger.ts';

export interface Limited {
  Variables: { maxTransactions: number };
}

const MAX_ROWS = 1_000;

/** A quarter of the exact integer range of JSON, so that every balance stays exact in any order of summation. */
const MAX_TURNOVER = Math.floor(Number.MAX_SAFE_INTEGER / 4);

export const limits = (maxTransactions: number) =>
  createMiddleware<Limited>(async (c, next) => {
    c.set('maxTransactions', maxTransactions);
    await next();
  });

/** Throws 403.4 for more rows than one request may contain. */
export function checkRows(rows: readonly unknown[]): void {
  if (rows.length > MAX_ROWS) {
    throw new ServiceError('data_limit_reached', `A request may bring ${MAX_ROWS} transactions at most.`);
  }
}

/**
 * Commits a change to a ledger atomically. Nothing is written if `change` throws, or if the budget would exceed a
 * limit, which throws 403.4.
 */
export function commit<Result>(
  { ledger, maxTransactions }: { ledger: Ledger; maxTransactions: number },
  change: (state: LedgerState) => Result,
): Result {
  return ledger.commit((state) => {
    const before = { count: state.transactions.size, turnover: state.sums.turnover };
    const result = change(state);
    const { size: count } = state.transactions;
    if (count > before.count && count > maxTransactions) {
      throw new ServiceError(
        'data_limit_reached',
        `A budget may have ${maxTransactions} transactions at most.`,
      );
    }
    const { turnover } = state.sums;
    if (turnover > before.turnover && turnover > MAX_TURNOVER) {
      throw new ServiceError('data_limit_reached', 'The amounts of this budget would become too large.');
    }
    return result;
  });
}
