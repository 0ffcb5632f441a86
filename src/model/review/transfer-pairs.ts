/** Finds the two sides of transfers that came in as two transactions (docs/questions.md, What came in). */
import { daysBetween } from '../../base/calendar.ts';
import { groupBy } from '../../base/group-by.ts';
import type { Transaction } from '../replica/entities.ts';
import { firstIndexWhere } from '../replica/transaction-table.ts';
import { inOrderOfWork, MAX_DAYS_APART } from './likely-duplicates.ts';
import { NameWords } from './payee-names.ts';

/** A payee with so many payments of a category is a shop or an employer. */
const ENOUGH_PAYMENTS = 3;
/** With an opposite amount, so many before and as many from the same day on are compared. */
const COMPARED = 10;

/**
 * The row `kept` of a pair becomes a transfer, whose other side takes the place of `removed`. A row is in at most one pair.
 * `rows` are oldest first, and `withoutMeaning` are the ids of `uncategorizedIds`.
 */
export function transferPairs(
  rows: readonly Transaction[],
  cameIn: (row: Transaction) => boolean,
  withoutMeaning: ReadonlySet<string>,
) {
  const isCategorized = ({ category_id }: Transaction) =>
    category_id !== null && !withoutMeaning.has(category_id);
  const isPayment = (row: Transaction) =>
    row.approved && row.transfer_account_id === null && isCategorized(row);
  const payments = new Map<string | null, number>();
  for (const row of rows)
    if (isPayment(row)) payments.set(row.payee_id, (payments.get(row.payee_id) ?? 0) + 1);
  const isKnown = (row: Transaction) =>
    row.payee_id !== null && (payments.get(row.payee_id) ?? 0) - Number(isPayment(row)) >= ENOUGH_PAYMENTS;

  const sides = rows.filter(
    (row) =>
      row.transfer_account_id === null &&
      row.subtransactions.length === 0 &&
      row.amount !== 0 &&
      !isKnown(row),
  );
  const byAmount = groupBy(sides, ({ amount }) => amount);
  const nearestTo = ({ amount, date }: Transaction) => {
    const others = byAmount.get(-amount) ?? [];
    const at = firstIndexWhere(others, (other) => other.date >= date);
    return others.slice(Math.max(0, at - COMPARED), at + COMPARED);
  };
  const words = new NameWords();
  const pairs = sides
    .filter(({ amount }) => amount < 0)
    .flatMap((one) => nearestTo(one).map((other) => [one, other] as const))
    .filter(
      ([one, other]) =>
        (cameIn(one) || cameIn(other)) &&
        one.account_id !== other.account_id &&
        daysApart(one, other) <= MAX_DAYS_APART &&
        !(one.cleared === 'reconciled' && other.cleared === 'reconciled') &&
        (words.speakForTransfer(one, other.account_name) ||
          words.speakForTransfer(other, one.account_name) ||
          (one.payee_id !== null &&
            one.payee_id === other.payee_id &&
            !isCategorized(one) &&
            !isCategorized(other))),
    )
    .toSorted(([a, b], [c, d]) => daysApart(a, b) - daysApart(c, d));
  const used = new Set<Transaction>();
  return pairs.flatMap((pair) => {
    if (pair.some((row) => used.has(row))) return [];
    for (const row of pair) used.add(row);
    const [kept, removed] = inOrderOfWork(...pair);
    return [{ kept, removed }];
  });
}

const daysApart = (one: Transaction, other: Transaction) => Math.abs(daysBetween(one.date, other.date));
