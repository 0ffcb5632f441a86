/**
 * The writes that this process carries out, of all its sign-ins: after a change of the token, an equal call must still find its
 * earlier write. The store of a sign-in has them too, but not what only this process has, such as its hosts.
 */

import { setMaxListeners } from 'node:events';
import { withCancellation, withTimeLimit } from '../../base/abort.ts';
import { type Clock, momentOf } from '../../base/clock.ts';
import { ignoreStoreError } from '../../store/store-error.ts';
import type { WriteResult } from '../call-result.ts';
import { OwnRows } from './lost-write.ts';
import type { OwnWrite, SharedWrites } from './own-write.ts';
import {
  type Action,
  isEqual,
  isExpired,
  isUndelivered,
  type PendingWrite,
  type SentWrite,
} from './pending-write.ts';
import type { WaitingHost, WriteCall } from './write-call.ts';
import { idsIn } from './write-response.ts';

/** A write of any process, and where its record is. */
export interface Located {
  readonly record: PendingWrite;
  readonly shared: SharedWrites;
}

const reportedKey = (caller: string, id: string) => `${caller} ${id}`;

export class OwnWrites {
  readonly #clock: Clock;
  readonly #deliveries: Deliveries;
  /** The entities that answers have named as written or as possible duplicates, for each caller (`reportedKey`). */
  readonly #reported: OwnRows;
  /** By id, in the order of the calls. */
  readonly #writes = new Map<string, OwnWrite>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#deliveries = new Deliveries(clock);
    this.#reported = new OwnRows(clock);
  }

  add(write: OwnWrite): void {
    this.#writes.set(write.id, write);
  }

  delete({ id }: OwnWrite): void {
    this.#writes.delete(id);
  }

  find(id: string): OwnWrite | undefined {
    return this.#writes.get(id);
  }

  /**
   * Those that are not among `stored`, which are the writes of all processes of this sign-in: for example those of an earlier one.
   * Forgets those that are delivered or expired.
   */
  beside(stored: readonly SentWrite[]): readonly OwnWrite[] {
    for (const { id, state } of stored) if (state === 'delivered') this.#writes.delete(id);
    const now = momentOf(this.#clock);
    for (const [id, { record }] of this.#writes) if (isExpired(record, now)) this.#writes.delete(id);
    const ids = new Set(stored.map(({ id }) => id));
    return [...this.#writes.values()].filter(({ id }) => !ids.has(id));
  }

  /** The undelivered writes that equal the call and are not among those `stored`. */
  undeliveredBeside(stored: readonly SentWrite[], call: WriteCall): readonly OwnWrite[] {
    return this.beside(stored).filter(({ record }) => isUndelivered(record) && isEqual(record, call));
  }

  /** A host of this process waits for the outcome from now on. False if another one was first. */
  async claim({ record: { id }, shared: { pending } }: Located): Promise<boolean> {
    const own = this.#writes.get(id);
    const isClaimed = (await pending.claim(id)) ?? (own !== undefined && isUndelivered(own.record));
    if (isClaimed) own?.claimed();
    return isClaimed;
  }

  /** Changes a write of any process, here and in its store. */
  async change({ record: { id }, shared }: Located, action: Action): Promise<void> {
    const own = this.#writes.get(id);
    await (own ? own.dispatch([action]) : shared.pending.change(id, [action]));
    if (own?.record.state === 'delivered') this.#writes.delete(id);
  }

  /** The host gets the outcome, unless its connection is lost before. */
  answer(write: Located, outcome: WriteResult | undefined, host: WaitingHost): void {
    const { pending, journal } = write.shared;
    const { process } = pending;
    pending.markReported(write.record.id);
    const ids = outcome ? [...idsIn(outcome.data), ...(outcome.possibleDuplicates ?? [])] : [];
    this.#reported.add(ids.map((id) => reportedKey(write.record.call.caller, id)));
    this.#deliveries.follow(host, async (isDelivered) => {
      await this.change(write, { type: isDelivered ? 'deliver' : 'leave', process });
      // The host does not wait for that.
      await journal.trim().catch(ignoreStoreError);
    });
  }

  /** Whether an answer to a write of this process has named this entity to the caller, not long ago. */
  isReported(id: string, caller: string): boolean {
    return this.#reported.has(reportedKey(caller, id));
  }

  /** Resolves when no write is left to send or waits for its response, and all answers are sent or will not be. It does not wait for searches. */
  async drained(): Promise<void> {
    const isDrained = ({ state, isTogether }: PendingWrite) =>
      state === 'settled' || state === 'delivered' || (state === 'lost' && !isTogether);
    await Promise.all([...this.#writes.values()].map((write) => write.until(isDrained)));
    await this.#deliveries.finish();
  }
}

/** Enough for formatting and sending an answer, where it is not known when it was sent. */
const DELIVERY_MS = 1_000;

/**
 * Outcomes on their way to a host. That way is not over when the outcome leaves this part of the program. So a write stays in
 * the store until the answer was sent: after a kill or a lost connection in between, an equal call still gets the outcome,
 * and is not written a second time.
 */
export class Deliveries {
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  readonly #open = new Set<Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
    // All outcomes that are on their way wait on it. Node.js would take more than ten for a leak.
    setMaxListeners(0, this.#ending.signal);
  }

  /** Calls `end` when it is known whether the host has got the outcome. */
  follow({ answered }: Pick<WaitingHost, 'answered'>, end: (isDelivered: boolean) => Promise<unknown>): void {
    const open = this.#isDelivered(answered).then(async (isDelivered) => {
      await end(isDelivered);
      this.#open.delete(open);
    });
    this.#open.add(open);
  }

  /** Ends all soon. An answer that is not sent then counts as not delivered, and where that is not known, as delivered. */
  async finish(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#open);
  }

  async #isDelivered(answered: Promise<boolean> | undefined): Promise<boolean> {
    const { signal } = this.#ending;
    if (!answered) {
      await this.#clock.sleep(DELIVERY_MS, signal).catch(() => {});
      return true;
    }
    const isSent = await withCancellation(answered, signal).catch(() => undefined);
    if (isSent !== undefined) return isSent;
    return withTimeLimit(this.#clock, DELIVERY_MS, answered, () => false);
  }
}
