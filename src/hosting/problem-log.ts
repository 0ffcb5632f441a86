/**
 * Logs what goes wrong in a hosted server. While its store cannot be used, all requests fail for the same reason, so the reason
 * is logged once a minute.
 */
import { ageOf, type Clock, type Moment, momentOf } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { isUnavailable } from './unavailable.ts';

const AGAIN_MS = 60_000;

export function problemLog(log: Pick<Logger, 'error'>, clock: Clock): (error: Error) => void {
  const loggedAt = new Map<string, Moment>();
  return (error) => {
    if (!isUnavailable(error)) {
      log.error({ err: error }, 'internal error');
      return;
    }
    const { reason } = error;
    const last = loggedAt.get(reason);
    if (last && ageOf(clock, last) < AGAIN_MS) return;
    loggedAt.set(reason, momentOf(clock));
    log.error({ reason }, 'the storage cannot be used');
  };
}
