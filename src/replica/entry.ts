/** A budget in the cache, with how old it is and whether an answer from it may lack something. Pure. */
import { dateOf, type Moment } from '../platform/clock.ts';
import type { BudgetReplica } from './budget-replica.ts';
import { LAG_MS, type Mark } from './watermarks.ts';

/** A budget as it was at `asOf`, or later. */
export interface Held {
  readonly replica: BudgetReplica;
  readonly asOf: Moment;
  /** When the service was last asked. */
  readonly askedAt: Moment;
  /** What it answered then was older than what it had shown before. */
  readonly isBehind: boolean;
  /** A write of ours may be missing. */
  readonly lacksWrite: boolean;
}

export interface Entry extends Omit<Held, 'lacksWrite'> {
  /** How many of our writes it surely shows, */
  readonly writes: number;
  /** and how many there were when the service was last asked. */
  readonly writesWhenAsked: number;
}

/** `writes` is how many of ours there have been. */
export function heldOf({ writes: shown, writesWhenAsked: _, ...held }: Entry, writes: number): Held {
  return { ...held, lacksWrite: shown < writes };
}

/** After an answer that was asked for at `mark` and shows all that was known then. */
export const currentEntry = (replica: BudgetReplica, { at, writes }: Mark): Entry => ({
  replica,
  asOf: at,
  askedAt: at,
  isBehind: false,
  writes,
  writesWhenAsked: writes,
});

/**
 * After an answer that was behind: what is known for certain stays. What was not held before is as old as a copy of the
 * service may be, and shows no more than the `settled` writes, which are too long ago for any copy to lack them.
 */
export function entryWhileBehind(
  replica: BudgetReplica,
  { at, writes }: Mark,
  before: Entry | undefined,
  settled: number,
): Entry {
  const asked = { askedAt: at, isBehind: true, writesWhenAsked: writes };
  if (before && before.replica.knowledge >= replica.knowledge) return { ...before, ...asked };
  const asOf = { wall: at.wall - LAG_MS, monotonic: at.monotonic - LAG_MS };
  return { replica, asOf, writes: settled, ...asked };
}

/** No delta need tell that a month has ended, and with it the amounts of all categories. */
export const isOfMonth = ({ asOf }: Pick<Held, 'asOf'>, now: Moment) =>
  dateOf(asOf.wall).slice(0, 7) === dateOf(now.wall).slice(0, 7);
