/**
 * Import ids for rows of a bank's list. They have the form of the service's own imports, so that a row that the bank or a
 * file brings in later is recognised as the same (docs/interface.md, Transaction). Pure.
 */
import type { BankRow } from './bank-list.ts';

/** An id for each row, with the lowest occurrence that the account does not have. `taken` are the import ids that it has. */
export function importIdsOf(rows: readonly BankRow[], taken: ReadonlySet<string>): string[] {
  const occurrences = new Map<string, number>();
  return rows.map(({ amount, date }) => {
    const start = `YNAB:${amount}:${date}:`;
    let occurrence = (occurrences.get(start) ?? 0) + 1;
    while (taken.has(start + occurrence)) occurrence += 1;
    occurrences.set(start, occurrence);
    return start + occurrence;
  });
}
