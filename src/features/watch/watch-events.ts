/** The events that can be watched, in the order in which they are listed. */
import {
  incomeArrived,
  largeTransaction,
  needsAttention,
  recurringPriceChanged,
  unusualTransaction,
} from './arrival-events.ts';
import { balanceBelow, categoryBelow, categoryOverspent } from './balance-events.ts';
import type { WatchEvent } from './watch-event.ts';

export const watchEvents: readonly WatchEvent[] = [
  categoryOverspent,
  categoryBelow,
  balanceBelow,
  largeTransaction,
  unusualTransaction,
  recurringPriceChanged,
  needsAttention,
  incomeArrived,
];

export const findEvent = (name: string): WatchEvent | undefined =>
  watchEvents.find((each) => each.name === name);
