/** How the clock of this machine differs from that of the service, by the `Date` of an answer. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** A smaller difference is not mentioned. */
export const TOLERATED_MS = 2 * MINUTE_MS;

/** When a request was sent and its answer came, in milliseconds since the epoch by the clock of this machine. */
export interface RoundTrip {
  readonly sentAt: number;
  readonly receivedAt: number;
}

/**
 * By how many milliseconds this clock is ahead, negative if it is behind. `date` was set at an unknown moment of the round
 * trip and has whole seconds, so it is at least that much. Undefined if `date` is no date.
 */
export function clockAhead(date: unknown, { sentAt, receivedAt }: RoundTrip): number | undefined {
  const at = Date.parse(String(date));
  if (Number.isNaN(at)) return undefined;
  return Math.max(sentAt - at - SECOND_MS, Math.min(receivedAt - at, 0));
}

/** The difference as a sentence. Undefined if there is none of more than two minutes, or if it is unknown. */
export function describeClock(ahead: number | undefined): string | undefined {
  if (ahead === undefined || Math.abs(ahead) <= TOLERATED_MS) return undefined;
  return `The clock of this machine is ${durationOf(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} that of the service.`;
}

function durationOf(milliseconds: number): string {
  if (milliseconds < 2 * HOUR_MS) return `${Math.round(milliseconds / MINUTE_MS)} min`;
  const hours = Math.round(milliseconds / HOUR_MS);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
