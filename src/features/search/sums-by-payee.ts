/** The number and the sum of found transactions for each payee, as long as these are few. Pure. */
import type { FoundTransaction } from '../../model/sums/found-transactions.ts';

export interface PayeeSum {
  readonly id: string;
  readonly name: string | null;
  readonly transactions: number;
  /** In milliunits, of what matches. */
  readonly sum: number;
}

const MAX_PAYEES = 5;

/**
 * Largest sum first. Empty for a single payee or more than five, if most have one row only, if a row has no payee, or if
 * legs have payees of their own.
 */
export function sumsByPayee(rows: readonly FoundTransaction[]): PayeeSum[] {
  const sums = new Map<string, PayeeSum>();
  for (const { payee_id, payee_name: name, amount, matching_amount = amount, subtransactions } of rows) {
    if (payee_id === null) return [];
    if (subtransactions.some((leg) => leg.payee_id !== null && leg.payee_id !== payee_id)) return [];
    const { transactions, sum } = sums.get(payee_id) ?? { transactions: 0, sum: 0 };
    sums.set(payee_id, { id: payee_id, name, transactions: transactions + 1, sum: sum + matching_amount });
    if (sums.size > MAX_PAYEES) return [];
  }
  if (sums.size < 2 || rows.length < 2 * sums.size) return [];
  return [...sums.values()].sort((a, b) => Math.abs(b.sum) - Math.abs(a.sum));
}
