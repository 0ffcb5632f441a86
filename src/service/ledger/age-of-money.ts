/**
 * The age of money: the days between receiving money and spending it, first in, first out, as the average of the
 * last ten outflows. The state is kept per month, so a change requires recomputing that month and later ones only.
 * Pure functions.
 */
import { daysBetween } from './calendar.ts';

/** Money entering (positive) or leaving (negative) the cash accounts of a budget, in milliunits. */
export interface CashFlow {
  readonly date: string;
  readonly amount: number;
}

export interface MoneyAge {
  /** Income that is not spent yet, oldest first. */
  readonly unspent: readonly CashFlow[];
  /** The ages in days of the last ten outflows. */
  readonly ages: readonly number[];
}

export const INITIAL_MONEY_AGE: MoneyAge = { unspent: [], ages: [] };

const AVERAGED_OUTFLOWS = 10;

/** The state after `flows`, which must be ordered by date. Overspent money has no age. */
export function applyCashFlows(before: MoneyAge, flows: Iterable<CashFlow>): MoneyAge {
  const unspent = [...before.unspent];
  let ages = [...before.ages];
  let oldest = 0;
  for (const flow of flows) {
    if (flow.amount >= 0) {
      unspent.push(flow);
      continue;
    }
    let unpaid = -flow.amount;
    let weighted = 0;
    while (unpaid > 0) {
      const inflow = unspent[oldest];
      if (inflow === undefined) break;
      const part = Math.min(unpaid, inflow.amount);
      weighted += part * daysBetween(inflow.date, flow.date);
      unpaid -= part;
      if (part === inflow.amount) oldest += 1;
      else unspent[oldest] = { date: inflow.date, amount: inflow.amount - part };
    }
    const covered = -flow.amount - unpaid;
    if (covered > 0) ages.push(weighted / covered);
    if (ages.length > 1000) ages = ages.slice(-AVERAGED_OUTFLOWS);
  }
  return { unspent: unspent.slice(oldest), ages: ages.slice(-AVERAGED_OUTFLOWS) };
}

/** Whole days. Null when there are fewer than ten outflows. */
export function ageOfMoney({ ages }: MoneyAge): number | null {
  if (ages.length < AVERAGED_OUTFLOWS) return null;
  return Math.round(ages.reduce((sum, age) => sum + age, 0) / AVERAGED_OUTFLOWS);
}
