/** What a write says that waits for its turn in a budget: for whom, since when, until when, and what ends the wait sooner. */
import { z } from 'zod';
import type { Moment } from '../../base/clock.ts';
import { storedMoment } from '../../store/shared-store.ts';
import { LAG_MS } from '../freshness/watermarks.ts';
import { ARRIVAL_MS, SEND_WITHIN_MS } from './lost-write.ts';

/** The last turn at a budget. */
export const storedTurn = z.object({
  /** Of the lock. Rises when a turn is taken from a process. */
  number: z.int(),
  id: z.string(),
  /** The program that has it, such as `process 1234`. */
  program: z.string().optional(),
  since: storedMoment,
  /** When its last request was about to be sent, or when it began. */
  sentAt: storedMoment,
  /** When its process last showed that it is not suspended. */
  movedAt: storedMoment,
});

export type StoredTurn = Readonly<z.output<typeof storedTurn>>;

export interface Turn extends StoredTurn {
  /** Whether this process has it. */
  readonly isOwn: boolean;
  /** The write that has it, if it is one of this process. */
  readonly write?: string | undefined;
}

/** The turn of a process that does not move ends after this time: it is suspended. */
export const MAX_SILENT_MS = 44_000;
/** How often a process that waits looks whose turn it is. */
export const LOOK_MS = 1_000;
/** A turn ends at the latest this long after its last request: after the longest search for it, and time for reads. */
export const MAX_STEP_MS = SEND_WITHIN_MS + ARRIVAL_MS + LAG_MS + 15_000;
/** A process that has not moved for this long may be suspended. It moves every five seconds. */
const SILENT_MS = 15_000;

const isoOf = (wall: number): string => new Date(wall).toISOString();

/** In sentences. Undefined if nothing has the turn. */
export function formatWait(turn: Turn | undefined, now: Moment): string | undefined {
  if (!turn) return undefined;
  const { since, sentAt, movedAt, isOwn, program } = turn;
  const endOf = ({ wall }: Moment, limitMs: number) => wall + limitMs + LOOK_MS;
  const lastEnd = endOf(sentAt, MAX_STEP_MS);
  const other = program
    ? `Another process of this user (${program}), such as that of another window,`
    : 'Another process of this server';
  const begun = `${isOwn ? 'Another call' : other} has been writing to this budget since ${isoOf(since.wall)}.`;
  if (isOwn)
    return `${begun} It ends when its write is done or found, usually at once, and by about ${isoOf(lastEnd)} unless it sends another request before.`;
  const sooner = program ? `, or when ${program} ends` : '';
  if (now.monotonic - movedAt.monotonic > SILENT_MS)
    return `${begun} It has not moved since ${isoOf(movedAt.wall)} and may be suspended: its turn ends by itself at ${isoOf(Math.min(endOf(movedAt, MAX_SILENT_MS), lastEnd))} at the latest, and sooner if it goes on and finishes${sooner}.`;
  return `${begun} Its turn ends by itself at ${isoOf(lastEnd)} at the latest unless it sends another request before, and sooner when its write is done or found${sooner}.`;
}
