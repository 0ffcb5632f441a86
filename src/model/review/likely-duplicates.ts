/**
 * Finds transactions that are probably there twice (docs/questions.md, What came in). Pairs that a payee often has, such as two
 * tickets a day, are none: what a person has approved before says so.
 */
import { dayNumber } from '../../base/calendar.ts';
import { groupBy } from '../../base/group-by.ts';
import type { Transaction } from '../replica/entities.ts';
import { sumOf } from '../sums/sum.ts';
import { NameWords } from './payee-names.ts';

export const MAX_DAYS_APART = 5;
/** Of one that was entered by hand and the one that the bank sent, whatever they are called. */
const MAX_DAYS_TO_BANK = 3;
/** Within one account and amount, each is compared with so many that follow it: of more in a few days, none is a mistake. */
const COMPARED = 10;
const ENOUGH_BEFORE = 2;

export interface Duplicate {
  /** The one that is probably too much. */
  readonly removed: Transaction;
  readonly kept: Transaction;
}

/** `rows` are oldest first. A row is removed at most once. */
export function likelyDuplicates(
  rows: readonly Transaction[],
  cameIn: (row: Transaction) => boolean,
): Duplicate[] {
  const alike = groupBy(
    rows.filter(({ amount }) => amount !== 0),
    ({ account_id, amount }) => `${account_id} ${amount}`,
  );
  const groups = [...alike.values()]
    .filter((group) => group.length > 1)
    .map((group) => group.map((row) => ({ row, day: dayNumber(row.date) })));
  const repeats = approvedRepeats(groups);
  const isUsual = (one: Transaction, other: Transaction, days: number) => {
    const payees = [...new Set([one.payee_id, other.payee_id])];
    const before = sumOf(payees, (id) => repeats.get(id)?.[days] ?? 0);
    const isCounted = one.approved && other.approved && one.payee_id === other.payee_id;
    return before - Number(isCounted) >= ENOUGH_BEFORE;
  };
  const words = new NameWords();
  const found: Duplicate[] = [];
  const removed = new Set<Transaction>();
  for (const group of groups)
    for (const [one, other, days] of closePairs(group)) {
      if (removed.has(one) || removed.has(other) || !(cameIn(one) || cameIn(other))) continue;
      if (one.cleared === 'reconciled' && other.cleared === 'reconciled') continue;
      if (areNumbered(one, other) || areWorded(one, other) || isUsual(one, other, days)) continue;
      if (!isHandAndBank(one, other, days) && !areOnePayment(one, other, words)) continue;
      const [kept, last] = inOrderOfWork(one, other);
      removed.add(last);
      found.push({ removed: last, kept });
    }
  return found;
}

interface Dated {
  readonly row: Transaction;
  /** In days since the epoch. */
  readonly day: number;
}

/** The pairs that are at most five days apart, with the number of days, the closest first. `group` is by date. */
function* closePairs(group: readonly Dated[]): Generator<readonly [Transaction, Transaction, days: number]> {
  for (let days = 0; days <= MAX_DAYS_APART; days += 1)
    for (const [at, { row, day }] of group.entries())
      for (let next = at + 1; next <= at + COMPARED; next += 1) {
        const other = group[next];
        if (!other || other.day - day > days) break;
        if (other.day - day === days) yield [row, other.row, days];
      }
}

/** How many equal payments to a payee that a person has approved were at most so many days apart, by these days. */
function approvedRepeats(
  groups: readonly (readonly Dated[])[],
): ReadonlyMap<string | null, readonly number[]> {
  const repeats = new Map<string | null, number[]>();
  for (const group of groups) {
    const last = new Map<string | null, number>();
    for (const { row, day } of group) {
      if (!row.approved) continue;
      const { payee_id } = row;
      const counts = repeats.get(payee_id) ?? Array.from({ length: MAX_DAYS_APART + 1 }, () => 0);
      repeats.set(payee_id, counts);
      const gap = day - (last.get(payee_id) ?? Number.NEGATIVE_INFINITY);
      last.set(payee_id, day);
      for (let days = gap; days <= MAX_DAYS_APART; days += 1) counts[days] = (counts[days] ?? 0) + 1;
    }
  }
  return repeats;
}

/** Whether the bank counts both as equal rows of one day (docs/interface.md, Transaction). */
function areNumbered(one: Transaction, other: Transaction): boolean {
  const [row, second] = [one, other].map(({ import_id }) => /^(YNAB:.+):\d+$/.exec(import_id ?? '')?.[1]);
  return row !== undefined && row === second && one.import_id !== other.import_id;
}

/** Whether the bank has booked both with the same words and other numbers, such as those of receipts. */
function areWorded(one: Transaction, other: Transaction): boolean {
  const [text, second] = [one, other].map((row) =>
    row.cleared === 'uncleared' ? null : row.import_payee_name_original,
  );
  const words = (bank: string) => bank.replaceAll(/\d+/g, '0');
  return !!text && !!second && text !== second && words(text) === words(second);
}

/** Whether the bank has not confirmed the one, which was entered by hand, and has sent the other. */
function isHandAndBank(one: Transaction, other: Transaction, days: number): boolean {
  const isOpen = (row: Transaction) => row.import_id === null && row.cleared === 'uncleared';
  const [open, sent] = isOpen(one) ? [one, other] : [other, one];
  return (
    days <= MAX_DAYS_TO_BANK &&
    isOpen(open) &&
    sent.import_id !== null &&
    !isTransfer(one) &&
    !isTransfer(other)
  );
}

const isTransfer = ({ transfer_account_id }: Transaction) => transfer_account_id !== null;

/** Whether their names say so. One may be a side of a transfer, if the other looks like one. */
function areOnePayment(one: Transaction, other: Transaction, words: NameWords): boolean {
  if (isTransfer(one) === isTransfer(other)) return !isTransfer(one) && words.goTogether(one, other);
  const [side, row] = isTransfer(one) ? [one, other] : [other, one];
  return row.import_id !== null && words.speakForTransfer(row, side.payee_name ?? '');
}

/** The one first in which more of a person's work would be lost. Of equal ones, the older one. */
export function inOrderOfWork(one: Transaction, other: Transaction): readonly [Transaction, Transaction] {
  const more = workIn(one) - workIn(other);
  return more > 0 || (more === 0 && one.date <= other.date) ? [one, other] : [other, one];
}

const workIn = (row: Transaction): number =>
  (isTransfer(row) ? 16 : 0) +
  (row.cleared === 'reconciled' ? 8 : 0) +
  (row.approved ? 4 : 0) +
  (row.category_id !== null || row.subtransactions.length > 0 ? 2 : 0) +
  (row.cleared === 'cleared' ? 1 : 0);
