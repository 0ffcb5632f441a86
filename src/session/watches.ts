/**
 * What is watched with a sign-in: one record with each watch, the state of its rule, and what it has found and not delivered
 * yet. A change of the record is one step, so that what is found is stored before it is sent. It knows no rules and sends
 * nothing.
 */
import { z } from 'zod';
import type { Clock, Moment } from '../base/clock.ts';
import { jsonRecord } from '../base/schema/fields.ts';
import { type Changed, SharedRecord, type SharedStore } from '../store/shared-store.ts';

const ruleState = z.object({
  /** The person's day of the last check. */
  day: z.string(),
  /** Digests of what was true then. */
  active: z.array(z.string()),
  /** Digests of what was new on that day. */
  reported: z.array(z.string()),
});

export type RuleState = z.output<typeof ruleState>;

const occurrence = z.object({
  /** Ascending within a watch. */
  number: z.int(),
  eventId: z.string(),
  /** Milliseconds since the epoch, as all times here. */
  at: z.number(),
  data: jsonRecord,
});

export type Occurrence = z.output<typeof occurrence>;

/** Categories that a client may learn. They do not tell what a receiver has answered. */
export const deliveryErrors = [
  'connection_refused',
  'timeout',
  'tls_error',
  'http_4xx',
  'http_5xx',
  'challenge_failed',
] as const;

export type DeliveryError = (typeof deliveryErrors)[number];

const callback = z.object({
  url: z.string(),
  secret: z.string(),
  /** For a time, deliveries are signed with the secret before the last one too. */
  earlier: z.object({ secret: z.string(), until: z.number() }).optional(),
  deliveredAt: z.number().optional(),
  failedSince: z.number().optional(),
  lastError: z.enum(deliveryErrors).optional(),
  /** How often the first occurrence was sent without success, and when it is sent again. */
  attempts: z.int(),
  nextAt: z.number(),
  /** It has failed for a day. Nothing is sent until the client asks for it again. */
  isPaused: z.boolean(),
  /** `lost` at the last answer to the client. */
  lostShown: z.int(),
});

export type Callback = z.output<typeof callback>;

const watch = z.object({
  id: z.string(),
  /** Another one for each begin. A position of an earlier watch with the same id does not count. */
  begin: z.string(),
  principal: z.string(),
  event: z.string(),
  /** As the client gave them, and with ids and amounts in milliunits. */
  arguments: jsonRecord,
  input: jsonRecord,
  budgetId: z.string(),
  /** Missing if the client asks for what was found. */
  callback: callback.optional(),
  expiresAt: z.number(),
  checkedAt: z.number(),
  rule: ruleState,
  /** The number of the last occurrence, and of the last one that is missing in `occurrences` without being delivered. */
  last: z.int(),
  lost: z.int(),
  occurrences: z.array(occurrence),
});

export type Watch = z.output<typeof watch>;

const watches = z.array(watch);

/** How long what was found is kept, and how many of each watch. */
const KEPT_MS = 24 * 3_600_000;
const MAX_KEPT = 100;

export class Watches {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #record: SharedRecord<typeof watches>;
  readonly #onRemoved: (watches: Watches) => Promise<void>;

  /** `onRemoved` is called after each `remove` that has ended a watch. */
  constructor(
    store: SharedStore,
    clock: Clock,
    onRemoved: (watches: Watches) => Promise<void> = async () => {},
  ) {
    this.#onRemoved = onRemoved;
    this.#store = store;
    this.#clock = clock;
    this.#record = new SharedRecord(store, 'watches', watches, []);
  }

  /** Those whose time is not over. */
  async list(): Promise<readonly Watch[]> {
    const now = this.#clock.now();
    return (await this.#record.read()).filter(({ expiresAt }) => expiresAt > now);
  }

  /** Replaces all watches by what `change` returns. Those whose time is over are removed before. */
  change<Result>(
    change: (watches: readonly Watch[], now: Moment) => Changed<readonly Watch[], Result>,
  ): Promise<Result> {
    return this.#record.update((before, now) => {
      const current = before.filter(({ expiresAt }) => expiresAt > now.wall);
      const { value, result } = change(current, now);
      return { value: value.map((each) => trimmed(each, now.wall)), result };
    });
  }

  /** Replaces one watch, unless it has ended. `change` may end it. */
  changeOne(
    { id, begin }: Pick<Watch, 'id' | 'begin'>,
    change: (watch: Watch, now: Moment) => Watch | undefined,
  ): Promise<void> {
    return this.change((all, now) => ({
      value: all.flatMap((each) =>
        each.id === id && each.begin === begin ? (change(each, now) ?? []) : each,
      ),
      result: undefined,
    }));
  }

  /** Whether there was a watch with this id. */
  async remove(id: string): Promise<boolean> {
    const isRemoved = await this.change((all) => ({
      value: all.filter((each) => each.id !== id),
      result: all.some((each) => each.id === id),
    }));
    if (isRemoved) await this.#onRemoved(this);
    return isRemoved;
  }

  /** Runs `work` unless another process does the same for this sign-in: then undefined. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    const release = await this.#store.lock('watches', { waitMs: 0 });
    if (!release) return undefined;
    try {
      return await work();
    } finally {
      await release();
    }
  }
}

function trimmed(watch: Watch, now: number): Watch {
  const kept = watch.occurrences.filter(({ at }) => at > now - KEPT_MS).slice(-MAX_KEPT);
  const removed = watch.occurrences.length - kept.length;
  if (removed === 0) return watch;
  const lost = Math.max(watch.lost, watch.occurrences[removed - 1]?.number ?? 0);
  return { ...watch, occurrences: kept, lost };
}
