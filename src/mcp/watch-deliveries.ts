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
}

export type Outcome =
  | { readonly accepted: string }
  /** `status` if there was an answer. `isPostponed` if nothing was sent, because the host gets too many messages now. */
  | { readonly error: DeliveryError; readonly status?: number; readonly isPostponed?: boolean };

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

/** Asks a receiver whether it wants what it will get. Undefined if it does, `postponed` if it was not asked. */
export async function verify(
  watchId: string,
  { url, secret }: Pick<Callback, 'url' | 'secret'>,
  webhooks: Webhooks,
  signal?: AbortSignal,
): Promise<DeliveryError | 'postponed' | undefined> {
  const challenge = randomBytes(24).toString('base64url');
  const body = JSON.stringify({ type: 'verification', challenge });
  const messageId = `msg_verification_${randomBytes(12).toString('base64url')}`;
  const outcome = await webhooks.post({ url, watchId, messageId, body, secrets: [secret] }, signal);
  if ('error' in outcome) return outcome.isPostponed ? 'postponed' : outcome.error;
  const { data } = challengeAnswer.safeParse(parseJson(outcome.accepted));
  return data?.challenge === challenge ? undefined : 'challenge_failed';
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

const firstOf = ({ occurrences }: Watch) => occurrences[0];

/** When something of the watch is to be sent, in milliseconds since the epoch. */
export function nextDelivery(watch: Watch): number {
  const { callback } = watch;
  if (!callback || callback.isPaused || !firstOf(watch)) return Number.POSITIVE_INFINITY;
  return callback.nextAt;
}

/** Sends what is due of all watches, at the same time. What is left after some time is sent by the next call. */
export async function deliverAll(
  watches: Watches,
  webhooks: Webhooks,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const end = clock.monotonic() + TURN_MS;
  const deliverOf = async (id: string) => {
    while (clock.monotonic() < end) {
      // It may have ended or changed meanwhile.
      const watch = (await watches.list()).find((each) => each.id === id);
      const first = watch && firstOf(watch);
      const now = clock.now();
      if (!watch?.callback || !first || nextDelivery(watch) > now) return;
      if (signal.aborted) return;
      const { url, secret, earlier } = watch.callback;
      const outcome = await webhooks.post(
        {
          url,
          watchId: id,
          messageId: first.eventId,
          body: JSON.stringify(eventOf(watch, first)),
          secrets: [...(earlier && earlier.until > now ? [earlier.secret] : []), secret],
        },
        signal,
      );
      // The end of this process, and a limit of its own, are no failures of the receiver.
      if ('error' in outcome && (signal.aborted || outcome.isPostponed)) return;
      await watches.changeOne(watch, (current, at) => afterDelivery(current, first.number, outcome, at.wall));
    }
  };
  await Promise.all((await watches.list()).map(({ id }) => deliverOf(id)));
}

/** Undefined if the watch ends. */
export function afterDelivery(
  watch: Watch,
  number: number,
  outcome: Outcome,
  now: number,
): Watch | undefined {
  const { callback } = watch;
  if (!callback) return watch;
  const without = watch.occurrences.filter((each) => each.number !== number);
  if (!('error' in outcome)) {
    const { failedSince: _, lastError: __, ...rest } = callback;
    return {
      ...watch,
      occurrences: without,
      callback: { ...rest, attempts: 0, nextAt: now, deliveredAt: now },
    };
  }
  if (outcome.status === NOTHING_MORE) return undefined;
  const { failedSince = now } = callback;
  const failed = { ...callback, failedSince, lastError: outcome.error };
  if (outcome.status === TOO_LARGE)
    return {
      ...watch,
      occurrences: without,
      lost: Math.max(watch.lost, number),
      callback: { ...failed, attempts: 0, nextAt: now },
    };
  const attempts = callback.attempts + 1;
  const pauseMs = Math.min(FIRST_PAUSE_MS * PAUSE_FACTOR ** (attempts - 1), MAX_PAUSE_MS);
  return {
    ...watch,
    callback: { ...failed, attempts, nextAt: now + pauseMs, isPaused: now + pauseMs - failedSince >= DAY_MS },
  };
}

/** A message that a person has asked for, to see whether it arrives. Returns how it went for each address, by one watch of it. */
export async function sendTest(
  watches: readonly Watch[],
  webhooks: Webhooks,
  now: number,
): Promise<Outcome[]> {
  const byUrl = new Map(
    watches.flatMap((watch) =>
      watch.callback ? [[watch.callback.url, { watch, callback: watch.callback }] as const] : [],
    ),
  );
  return Promise.all(
    [...byUrl.values()].map(({ watch, callback: { url, secret } }) => {
      const eventId = `evt_test_${randomBytes(12).toString('base64url')}`;
      const data = {
        message: 'This is a test that the person has asked for. Nothing has happened in the budget.',
        amount: 0,
        currency: null,
        budget: '""',
        next: { tool: 'list_watches', arguments: {} },
      };
      const body = JSON.stringify(eventOf(watch, { eventId, at: now, data, number: watch.last }));
      return webhooks.post({ url, watchId: watch.id, messageId: eventId, body, secrets: [secret] });
    }),
  );
}
