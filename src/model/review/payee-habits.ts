/**
 * Compares what came in with what its payee had before, as far as a person has approved it (docs/questions.md, What came in).
 * Each transaction is compared with those before it only, in one pass over all.
 */
import { ownNameProblem } from '../bookkeeping/payee-names.ts';
import type { Transaction } from '../replica/entities.ts';
import { linesOf } from '../sums/lines.ts';

const ENOUGH_AMOUNTS = 5;
/** The middle one is that of the newest. */
const MOST_AMOUNTS = 100;
const TIMES_MIDDLE = 2;
const TIMES_LARGEST = 1.25;
const ENOUGH_CATEGORIES = 5;
const SHARE_OF_HABIT = 0.9;
const ENOUGH_SPLITS = 3;
const SHARE_OF_SPLITS = 0.8;

export type Oddity = { readonly row: Transaction } & (
  | { readonly kind: 'legs_missing' | 'payee_seen_first' }
  /** `usual` is the amount in the middle of the earlier ones. */
  | { readonly kind: 'unusual_amount'; readonly usual: number; readonly of: number }
  /** The category that the payee had in `count` of `of` lines. */
  | { readonly kind: 'against_habit'; readonly usual: string; readonly count: number; readonly of: number }
);

export interface HabitOptions {
  readonly cameIn: (row: Transaction) => boolean;
  /** Whether a line with this category has none. */
  readonly hasNoMeaning: (categoryId: string) => boolean;
  /** Whether a person can choose the category. */
  readonly isUsable: (categoryId: string) => boolean;
}

/** Amounts of one direction, without their signs. */
class Amounts {
  readonly all: number[] = [];
  largest = 0;

  add(amount: number): void {
    this.all.push(amount);
    this.largest = Math.max(this.largest, amount);
  }

  get middle(): number {
    const newest = this.all.slice(-MOST_AMOUNTS).sort((a, b) => a - b);
    return newest[newest.length >> 1] ?? 0;
  }
}

/** What is known of a payee before a transaction. */
class History {
  readonly spent = new Amounts();
  readonly received = new Amounts();
  readonly categories = new Map<string, number>();
  /** The category of most lines. */
  usual = '';
  lines = 0;
  splits = 0;
  transactions = 0;
}

/** `rows` are oldest first. */
export function payeeOddities(rows: readonly Transaction[], options: HabitOptions): Oddity[] {
  const histories = new Map<string, History>();
  const historyOf = (payee: string) => {
    const known = histories.get(payee) ?? new History();
    histories.set(payee, known);
    return known;
  };
  return rows.flatMap((row) => {
    if (row.payee_id === null || row.transfer_account_id !== null) return [];
    const history = histories.get(row.payee_id);
    const found = options.cameIn(row) ? odditiesOf(row, history, options) : [];
    const known = historyOf(row.payee_id);
    if (row.approved) {
      (row.amount < 0 ? known.spent : known.received).add(Math.abs(row.amount));
      known.transactions += 1;
      if (row.subtransactions.length > 0) known.splits += 1;
    }
    for (const { payee_id, category_id } of linesOf(row)) {
      const ofLine = historyOf(payee_id ?? row.payee_id);
      if (!row.approved || category_id === null || options.hasNoMeaning(category_id)) continue;
      ofLine.lines += 1;
      const count = (ofLine.categories.get(category_id) ?? 0) + 1;
      ofLine.categories.set(category_id, count);
      if (count > (ofLine.categories.get(ofLine.usual) ?? 0)) ofLine.usual = category_id;
    }
    return found;
  });
}

function odditiesOf(row: Transaction, history: History | undefined, options: HabitOptions): Oddity[] {
  if (!history)
    return ownNameProblem('', row.payee_name ?? '') === undefined ? [{ row, kind: 'payee_seen_first' }] : [];
  return [
    ...unusualAmount(row, history),
    ...againstHabit(row, history, options),
    ...(row.subtransactions.length === 0 &&
    history.splits >= ENOUGH_SPLITS &&
    history.splits >= history.transactions * SHARE_OF_SPLITS
      ? [{ row, kind: 'legs_missing' as const }]
      : []),
  ];
}

function unusualAmount(row: Transaction, { spent, received }: History): Oddity[] {
  const earlier = row.amount < 0 ? spent : received;
  const amount = Math.abs(row.amount);
  if (earlier.all.length < ENOUGH_AMOUNTS || amount <= earlier.largest * TIMES_LARGEST) return [];
  const { middle } = earlier;
  if (amount < middle * TIMES_MIDDLE) return [];
  return [{ row, kind: 'unusual_amount', usual: Math.sign(row.amount) * middle, of: earlier.all.length }];
}

function againstHabit(
  row: Transaction,
  { categories, usual, lines }: History,
  options: HabitOptions,
): Oddity[] {
  const { category_id, subtransactions } = row;
  if (subtransactions.length > 0 || category_id === null || options.hasNoMeaning(category_id)) return [];
  const count = categories.get(usual) ?? 0;
  if (lines < ENOUGH_CATEGORIES || count < lines * SHARE_OF_HABIT) return [];
  return usual !== category_id && options.isUsable(usual)
    ? [{ row, kind: 'against_habit', usual, count, of: lines }]
    : [];
}
