/**
 * What a receiver of a watch gets, one message after the other, and what becomes of the watch by its answers. It does not know
 * how a message is sent.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { parseJson } from '../base/json.ts';
import type { Callback, DeliveryError, Occurrence, Watch, Watches } from '../session/watches.ts';

/** A message to be signed and posted. */
export interface Delivery {
  readonly url: string;
  readonly watchId: string;
  /** The same for each try. */
  readonly messageId: string;
  readonly body: string;
  /** The last one is the current one. */
  readonly secrets: readonly string[];
  /** Whether a client or a person decides when it is sent. There are few of these. */
  readonly isOnDemand?: boolean;
}

/** What became of a message that was sent. `status` if there was an answer. */
export type Sent =
  | { readonly accepted: string }
  | { readonly error: DeliveryError; readonly status?: number };

/** `isPostponed` if nothing was sent, because the host or the person has too many messages now. Another try makes sense after `waitMs`. */
export type Outcome = Sent | { readonly isPostponed: true; readonly waitMs: number };

export interface Webhooks {
  /** Whether messages may be posted there, as far as the address itself says. */
  accepts(url: URL): boolean;
  /** Signs and posts a message. Never rejects because of the receiver. */
  post(delivery: Delivery, signal?: AbortSignal): Promise<Outcome>;
}

const DAY_MS = 24 * 3_600_000;
/** Others wait while the messages of one sign-in are sent. */
const TURN_MS = 10_000;
const MAX_PAUSE_MS = 2 * 3_600_000;
const FIRST_PAUSE_MS = 5_000;
const PAUSE_FACTOR = 4;
/** The receiver wants nothing more of this watch, or not this message. */
const NOTHING_MORE = 410;
const TOO_LARGE = 413;

const challengeAnswer = z.object({ challenge: z.string() });

/** Asks a receiver whether it wants what it will get. */
export async function verify(
  watchId: string,
  { url, secret }: Pick<Callback, 'url' | 'secret'>,
  webhooks: Webhooks,
  signal?: AbortSignal,
): Promise<Outcome> {
  const challenge = randomBytes(24).toString('base64url');
  const body = JSON.stringify({ type: 'verification', challenge });
  const messageId = `msg_verification_${randomBytes(12).toString('base64url')}`;
  const message = { url, watchId, messageId, body, secrets: [secret], isOnDemand: true };
  const outcome = await webhooks.post(message, signal);
  if (!('accepted' in outcome)) return outcome;
  const { data } = challengeAnswer.safeParse(parseJson(outcome.accepted));
  return data?.challenge === challenge ? outcome : { error: 'challenge_failed' };
}

/** The form in which an occurrence is given to clients, with the position after it. */
export const eventOf = (watch: Watch, { eventId, at, data, number }: Occurrence) => ({
  eventId,
  name: watch.event,
  timestamp: new Date(at).toISOString(),
  data,
  cursor: cursorAt(watch, number),
});

/** A position in what a watch has found. */
export const cursorAt = ({ begin }: Watch, number: number): string => `${begin}.${number}`;

/** When something of the watch is to be sent, in milliseconds since the epoch. */
function nextDelivery(watch: Watch, now: number): number {
  const { callback } = watch;
  if (!callback || callback.isPaused || !watch.occurrences[0]) return Number.POSITIVE_INFINITY;
  // No pause is longer, so the clock was set back.
  return callback.nextAt > now + MAX_PAUSE_MS ? now : callback.nextAt;
}

/**
 * Sends what is due of all watches, at the same time. Returns when more is to be sent, in milliseconds since the epoch: what is
 * left after some time at once, and what has no room when it may be tried again.
 */
export async function deliverAll(
  watches: Watches,
  webhooks: Webhooks,
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  const end = clock.monotonic() + TURN_MS;
  const deliverOf = async (listed: Watch): Promise<number> => {
    let watch: Watch | undefined = listed;
    while (watch) {
      const [first] = watch.occurrences;
      const now = clock.now();
      const due = nextDelivery(watch, now);
      if (!watch.callback || !first || due > now || signal.aborted || clock.monotonic() >= end) return due;
      const { url, secret, earlier } = watch.callback;
      const outcome = await webhooks.post(
        {
          url,
          watchId: listed.id,
          messageId: first.eventId,
          body: JSON.stringify(eventOf(watch, first)),
          secrets: [...(earlier && earlier.until > now ? [earlier.secret] : []), secret],
        },
        signal,
      );
      // The end of this process, and a limit of its own, are no failures of the receiver.
      if ('isPostponed' in outcome) return clock.now() + outcome.waitMs;
      if ('error' in outcome && signal.aborted) return due;
      await watches.changeOne(watch, (current, at) => afterDelivery(current, first.number, outcome, at.wall));
      // It may have ended or changed meanwhile.
      watch = (await watches.list()).find((each) => each.id === listed.id);
    }
    return Number.POSITIVE_INFINITY;
  };
  return Math.min(...(await Promise.all((await watches.list()).map(deliverOf))));
}

/** Undefined if the watch ends. */
export function afterDelivery(watch: Watch, number: number, outcome: Sent, now: number): Watch | undefined {
  const { callback } = watch;
  if (!callback) return watch;
  const withoutIt = { ...watch, occurrences: watch.occurrences.filter((each) => each.number !== number) };
  if (!('error' in outcome)) {
    const { failedSince: _, lastError: __, ...rest } = callback;
    return { ...withoutIt, callback: { ...rest, attempts: 0, nextAt: now, deliveredAt: now } };
  }
  if (outcome.status === NOTHING_MORE) return undefined;
  const { failedSince = now } = callback;
  const failed = { ...callback, failedSince, lastError: outcome.error };
  if (outcome.status === TOO_LARGE) {
    const lost = Math.max(watch.lost, number);
    return { ...withoutIt, lost, callback: { ...failed, attempts: 0, nextAt: now } };
  }
  const attempts = callback.attempts + 1;
  const pauseMs = Math.min(FIRST_PAUSE_MS * PAUSE_FACTOR ** (attempts - 1), MAX_PAUSE_MS);
  return {
    ...watch,
    callback: { ...failed, attempts, nextAt: now + pauseMs, isPaused: now + pauseMs - failedSince >= DAY_MS },
  };
}

/**
 * A message that a person has asked for, to see whether it arrives: one to each address, in turn, until one has not taken it.
 * Returns how the last one went. Undefined if there is no address.
 */
export async function sendTest(
  watches: readonly Watch[],
  webhooks: Webhooks,
  now: number,
): Promise<Outcome | undefined> {
  const byUrl = new Map(watches.map((watch) => [watch.callback?.url, watch]));
  let outcome: Outcome | undefined;
  for (const watch of byUrl.values()) {
    if (!watch.callback) continue;
    const { url, secret } = watch.callback;
    const eventId = `evt_test_${randomBytes(12).toString('base64url')}`;
    const data = {
      message: 'This is a test that the person has asked for. Nothing has happened in the budget.',
      amount: 0,
      currency: null,
      budget: '""',
      next: { tool: 'list_watches', arguments: {} },
    };
    const body = JSON.stringify(eventOf(watch, { eventId, at: now, data, number: watch.last }));
    const message = { url, watchId: watch.id, messageId: eventId, body, secrets: [secret], isOnDemand: true };
    outcome = await webhooks.post(message);
    if (!('accepted' in outcome)) break;
  }
  return outcome;
}
