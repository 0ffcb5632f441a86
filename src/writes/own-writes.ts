/**
 * The writes of this process that are not settled, and those whose outcome was not delivered. They have the promises of
 * their outcomes, which the store cannot have.
 */
import type { Clock } from '../platform/clock.ts';
import { Deliveries } from './deliveries.ts';
import { OwnRows } from './own-rows.ts';
import { idsIn } from './recent-writes.ts';
import type { Settlement, WriteState } from './settlement.ts';
import { MAX_UNDELIVERED_MS, type SharedWrites, type WritesSnapshot } from './shared-writes.ts';
import type { WaitingHost } from './waiting-host.ts';
import { keyOf, type WriteCall } from './write-call.ts';
import type { SearchAgain } from './write-observer.ts';

export interface OwnWrite {
  readonly key: string;
  readonly call: WriteCall;
  /** Milliseconds since the epoch. */
  readonly calledAt: number;
  state: WriteState;
  /** Present if the store has the write. */
  stored?: { readonly id: string; readonly writes: SharedWrites } | undefined;
  /** Resolves when there is nothing left to send and no response to wait for. */
  readonly drained: Promise<void>;
  /** The outcome is on its way to the host. */
  isOnItsWay?: boolean;
  readonly settled: Promise<Settlement>;
  searchAgain?: SearchAgain | undefined;
  /** When the last host stopped waiting, by the monotonic clock. Undefined while a host waits. */
  undeliveredSince?: number | undefined;
}

export const reportedKey = (caller: string, id: string) => `${caller} ${id}`;

export class OwnWrites {
  readonly deliveries: Deliveries;
  /** What answers have named as written or as possible duplicates, for each caller (`reportedKey`). */
  readonly reported: OwnRows;
  readonly #clock: Clock;
  /** In the order of the calls. */
  readonly #writes = new Set<OwnWrite>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.deliveries = new Deliveries(clock);
    this.reported = new OwnRows(clock);
  }

  add(write: OwnWrite): void {
    this.#writes.add(write);
  }

  delete(write: OwnWrite): void {
    this.#writes.delete(write);
  }

  /** No host waits for the outcome any more. The next equal call may. */
  async hostLeft(write: OwnWrite): Promise<void> {
    write.undeliveredSince = this.#clock.monotonic();
    await write.stored?.writes.hostLeft(write.stored.id);
  }

  /** The host gets the outcome, unless its connection is lost before. */
  answer(write: OwnWrite, host: WaitingHost): void {
    const { stored } = write;
    write.isOnItsWay = true;
    void write.settled.then(({ outcome }) => {
      const ids = outcome ? [...idsIn(outcome.data), ...(outcome.possibleDuplicates ?? [])] : [];
      this.reported.add(ids.map((id) => reportedKey(write.call.caller, id)));
    });
    this.deliveries.follow(host, async (isDelivered) => {
      write.isOnItsWay = false;
      if (!isDelivered) return this.hostLeft(write);
      this.delete(write);
      await stored?.writes.remove(stored.id);
    });
  }

  /** The writes that may still be asked for, in the order of the calls. */
  all(stored?: WritesSnapshot): readonly OwnWrite[] {
    this.#removeDelivered(stored);
    return [...this.#writes].filter(({ isOnItsWay = false }) => !isOnItsWay);
  }

  byId(id: string): OwnWrite | undefined {
    return [...this.#writes].find(({ stored }) => stored?.id === id);
  }

  /** An undelivered write that equals the call. Those that the store has are left out: it knows about all processes. */
  findUndelivered(call: WriteCall, stored?: WritesSnapshot): OwnWrite | undefined {
    const key = keyOf(call);
    const isStored = (write: OwnWrite) => stored?.writes.some(({ id }) => id === write.stored?.id) ?? false;
    return this.all(stored).find(
      (write) => write.key === key && write.undeliveredSince !== undefined && !isStored(write),
    );
  }

  /**
   * Removes what has expired, and what another process has delivered. Uses the monotonic clock, because setting the wall
   * clock must not make an equal call write twice.
   */
  #removeDelivered(stored: WritesSnapshot | undefined): void {
    const now = this.#clock.monotonic();
    const delivered = new Set(stored?.writes.filter(({ isDelivered }) => isDelivered).map(({ id }) => id));
    for (const write of this.#writes) {
      const { state, undeliveredSince } = write;
      const isUnderWay = state === 'waiting' || state === 'sent' || state === 'being_looked_for';
      const isExpired = undeliveredSince !== undefined && now - undeliveredSince > MAX_UNDELIVERED_MS;
      const isDelivered = write.stored !== undefined && delivered.has(write.stored.id);
      if (!isUnderWay && (isExpired || isDelivered)) this.#writes.delete(write);
    }
  }
}
