/**
 * The demo data: invented budgets to try the service with. They depend on the seed and on the date of the clock
 * only. The same seed gives the same data on the same day, and the data always reaches up to today.
 *
 * The budgets are written with the public change functions of the ledger.
 */
import { recordAssignments } from './demo-data/assignments.ts';
import { EURO, household } from './demo-data/household.ts';
import type { HouseholdSize } from './demo-data/household-size.ts';
import { japanTrip } from './demo-data/japan-trip.ts';
import { Random } from './demo-data/random.ts';
import { makeHouseholdUntidy, makeTripUntidy } from './demo-data/untidy.ts';
import type { Ledger } from './ledger.ts';

/** The size is that of the household. It has about 1,500 transactions by default, and from 200 up their exact number. */
export interface DemoOptions extends HouseholdSize {
  readonly seed?: number | undefined;
  /** Whether the budgets are as those of real people are after years: with what other programs and old versions left. */
  readonly untidy?: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The household (EUR), then a small budget in a currency without decimals (JPY). */
export function demoBudgets({ seed = 1, now, untidy = false, ...size }: DemoOptions): Ledger[] {
  const random = new Random(seed);
  const home = household(random, now, size, { ...EURO, sumsIncome: untidy, exportsDeleted: untidy });
  const trip = japanTrip(random, now, untidy);
  for (const budget of [home, trip]) recordAssignments(budget);
  if (untidy) {
    makeHouseholdUntidy(home);
    makeTripUntidy(trip);
  }
  return [home, trip];
}
