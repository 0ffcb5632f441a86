/**
 * Answers and lines of the log while the store of the server cannot be used, because Redis does not answer for example. The
 * reason is for the log only. Nothing is answered without the store: who has access, and as whom, is only known there.
 */
import { ageOf, type Clock, type Moment, momentOf } from '../base/clock.ts';
import { currentHostRequest } from '../base/host-request.ts';
import type { Logger } from '../base/log.ts';
import { StoreError } from '../store/store-error.ts';

/** `retryAfter` is the header of the response, in seconds. */
export const UNAVAILABLE = {
  message: 'This server cannot use its storage now. Try again in a minute.',
  retryAfter: '60',
};

export const UNAVAILABLE_STATUS = 503;

/** A refresh token that is used again after this time replaces the tokens of its first use. None of these arrives later. */
export const TOKEN_ANSWER_MS = 10_000;

/**
 * Whether the client has waited too long for the answer to its current request. With a new token, the official clients send
 * a call that they have given up in the meantime. So no renewal begins or succeeds that late.
 */
export const isLate = (): boolean => (currentHostRequest()?.waitedMs() ?? 0) > TOKEN_ANSWER_MS;

const LOGGED_AGAIN_MS = 60_000;

export const isUnavailable = (error: unknown): error is StoreError => error instanceof StoreError;

/**
 * Logs what goes wrong in a hosted server. While its store cannot be used, all requests fail for the same reason, so the reason
 * is logged once a minute.
 */
export function problemLog(log: Pick<Logger, 'error'>, clock: Clock): (error: Error) => void {
  const loggedAt = new Map<string, Moment>();
  return (error) => {
    if (!isUnavailable(error)) {
      log.error({ err: error }, 'internal error');
      return;
    }
    const { reason } = error;
    const last = loggedAt.get(reason);
    if (last && ageOf(clock, last) < LOGGED_AGAIN_MS) return;
    loggedAt.set(reason, momentOf(clock));
    log.error({ reason }, 'the storage cannot be used');
  };
}
