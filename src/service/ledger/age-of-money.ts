/**
 * The age of money, pure: how many days lie between money coming in and being spent. First in, first out; the
 * average over the last ten outflows. It is carried from month to month, so that a change in a month makes only
 * that month and later ones be counted again.
 */
import { daysBetween } from './calendar.ts';

/** Money entering (positive) or leaving (negative) the cash accounts of a budget, in milliunits. */
export interface CashFlow {
  readonly date: string;
  readonly amount: number;
}

export interface MoneyAge {
  /** What came in and is not yet spent, oldest first. */
  readonly unspent: readonly CashFlow[];
  /** The ages in days of the last ten outflows. */
  readonly ages: readonly number[];
}

export const NO_MONEY: MoneyAge = { unspent: [], ages: [] };

const OUTFLOWS = 10;

/** The state after `flows`, which are ordered by date. Spending money that is not there has no age. */
export function spend(before: MoneyAge, flows: Iterable<CashFlow>): MoneyAge {
  const unspent = [...before.unspent];
  let ages = [...before.ages];
  let oldest = 0;
  for (const flow of flows) {
    if (flow.amount >= 0) {
      unspent.push(flow);
      continue;
    }
    let due = -flow.amount;
    let weighted = 0;
    while (due > 0) {
      const inflow = unspent[oldest];
      if (inflow === undefined) break;
      const part = Math.min(due, inflow.amount);
      weighted += part * daysBetween(inflow.date, flow.date);
      due -= part;
      if (part === inflow.amount) oldest += 1;
      else unspent[oldest] = { date: inflow.date, amount: inflow.amount - part };
    }
    const paid = -flow.amount - due;
    if (paid > 0) ages.push(weighted / paid);
    if (ages.length > 1000) ages = ages.slice(-OUTFLOWS);
  }
  return { unspent: unspent.slice(oldest), ages: ages.slice(-OUTFLOWS) };
}

/** Whole days; null while fewer than ten outflows are known. */
export function ageOfMoney({ ages }: MoneyAge): number | null {
  if (ages.length < OUTFLOWS) return null;
  return Math.round(ages.reduce((sum, age) => sum + age, 0) / OUTFLOWS);
}
