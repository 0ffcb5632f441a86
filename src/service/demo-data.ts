/**
 * The demo data: budgets to try the service with, all invented. They follow from a number and from the clock's
 * date, so that the same day shows the same household and it is always up to today.
 *
 * It knows what its people do and writes it with the ledger's own changes; it must not reach into how the ledger
 * keeps or serves things.
 */
import { household } from './demo-data/household.ts';
import { japanTrip } from './demo-data/japan-trip.ts';
import { Random } from './demo-data/random.ts';
import type { Ledger } from './ledger.ts';

export interface DemoOptions {
  readonly seed?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How many transactions the household shall hold, from 200 up; some 1,500 if left out. */
  readonly transactions?: number | undefined;
}

/** First the household (EUR), then a small budget in a currency without decimals (JPY). */
export function demoBudgets({ seed = 1, now, transactions }: DemoOptions): Ledger[] {
  const random = new Random(seed);
  return [household(random, now, transactions), japanTrip(random, now)];
}
