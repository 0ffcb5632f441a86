/**
 * Writes, and the hosts that wait for their outcome (docs/pending-writes.md). A host gets a result within ten seconds, even if the
 * outcome of its write is not known by then. This file decides whether a call repeats an earlier write. `ExactlyOnceWriter` carries
 * out a new one. The rules:
 *
 *   - A write that is not sent when its host gets a result or cancels is not sent later. One that was sent is never sent again.
 *   - For ten minutes, an equal call (same caller, same tool, same resolved arguments) waits for the outcome of an undelivered write,
 *     in any process of the sign-in. If that was carried out, the call returns its outcome and sends nothing. If it is proven that it
 *     was not, the call becomes a write of its own. If neither is known, the budget is searched once more, and nothing is sent while
 *     that fails. If only a part was carried out, the call fails, and `list_writes` shows which. An outcome that is not right any more
 *     (`overtaken`) is repeated with what came after it, or the call becomes a write of its own.
 *   - Equal calls of one process whose hosts wait at the same time are separate writes. So is an equal call after a delivered outcome.
 *     If a host of another process seems to wait for an equal write, the call waits until it is known whether that host got the
 *     outcome: with Redis, a process that was killed is known to have ended after ten seconds.
 *
 * `PendingWrite` is the record of a write, `PendingWrites` all of them in the store, `WriteTurns` the right to send, `Adoption` what
 * becomes of the writes of ended processes, and `LostWrite` the search for one.
 *
 * Only writes that were sent are kept, so the service's limit of requests also limits the number of kept writes.
 */
import type { Clock } from '../../base/clock.ts';
import { BudgetError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { WriteResult } from '../call-result.ts';
import type { JournalEntry } from './journal.ts';
import { overtaken } from './overtaken.ts';
import { type NewWrite, OwnWrite, type SharedWrites } from './own-write.ts';
import { type Located, OwnWrites } from './own-writes.ts';
import {
  errorOf,
  isEqual,
  isSettled,
  isUndelivered,
  type PendingWrite,
  type SentWrite,
  stateOf,
  statusOf,
  type WriteStatus,
} from './pending-write.ts';
import {
  cancelledBeforeSending,
  earlierPartlyWritten,
  earlierUnknown,
  failed,
  mayEqual,
  notAwaited,
  notSentInTime,
  WaitingHost,
  type WaitingHostOptions,
  type WriteCall,
} from './write-call.ts';
import { EarlierCallEnded } from './write-turns.ts';

/** How often a write of another process is looked at again. */
const POLL_MS = 100;

export interface RunOptions extends WaitingHostOptions {
  readonly mustNotSend?: boolean;
  /** The pending writes of all processes, as the call has seen them. Read if they are missing. */
  readonly known?: readonly SentWrite[] | undefined;
}

export class UnsettledWrites {
  readonly #clock: Clock;
  readonly ownWrites: OwnWrites;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.ownWrites = new OwnWrites(clock);
  }

  /**
   * Carries out a write with `start`, or returns the outcome of an earlier equal call. Throws the error of `start`. If
   * the host's time ends before that, throws `not_written` or `outcome_unknown`. If the host cancels before the write is
   * sent, throws `cancelled`. With `mustNotSend` it only returns the outcome of an earlier equal call. It then throws
   * `not_written` if that write has not happened or was taken back, and `conflict` if no such call is kept any more.
   */
  async run<Own extends WriteResult>(
    write: NewWrite,
    shared: SharedWrites,
    start: (write: OwnWrite) => Promise<Own>,
    { mustNotSend = false, known, ...waiting }: RunOptions = {},
  ): Promise<{ readonly written: Own } | EarlierOutcome> {
    const { call } = write;
    const host = new WaitingHost(this.#clock, waiting);
    try {
      // What has changed since the call has seen it is noticed just before anything is sent.
      for (let seen = mustNotSend ? undefined : known; ; seen = undefined) {
        const undelivered = await this.#claimEarlier(call, shared, host, seen);
        if (mustNotSend && !undelivered)
          throw failed(call, 'conflict', 'the outcome of the earlier equal call has already been delivered.');
        const earlier = undelivered && (await this.#waitForEarlier(undelivered, call, host));
        if (earlier) return earlier;
        if (mustNotSend) throw failed(call, 'not_written', NOT_THERE);
        const own = new OwnWrite(write, shared, this.#clock, host);
        const result = await this.#runNew(own, start, host).catch(undefinedIfEarlierEnded);
        if (result) return { written: result };
      }
    } finally {
      host.end();
    }
  }

  /** Whether a call would get the outcome of an earlier equal one. `stored` are the writes of all processes, and `entries` those of the journal. */
  isRepeated(call: WriteCall, stored: readonly SentWrite[], entries: readonly JournalEntry[] = []): boolean {
    const equal = stored.filter((write) => isUndelivered(write) && isEqual(write, call));
    const beside = this.ownWrites.undeliveredBeside(stored, call).map(({ record }) => record);
    return [...equal, ...beside].some(
      (write) => !isSettled(write) || !overtaken(write, call, entries).isOver,
    );
  }

  /**
   * The caller's unsettled or undelivered writes that may equal a call with `input`, by default all. Those that are not `stored` may be of
   * another sign-in (`isAccessible`).
   */
  status(
    caller: string,
    stored: readonly SentWrite[],
    isAccessible: (budgetId: string) => boolean = () => true,
    input: JsonObject = {},
  ): WriteStatus[] {
    const beside = this.ownWrites.beside(stored).map(({ record }) => record);
    const accessible = beside.filter(({ call }) => isAccessible(call.budgetId));
    const isShown = (write: PendingWrite) =>
      write.call.caller === caller &&
      mayEqual(write.call, input) &&
      (!isSettled(write) || isUndelivered(write));
    return [...stored, ...accessible].filter(isShown).map(statusOf);
  }

  async #runNew<Own extends WriteResult>(
    write: OwnWrite,
    start: (write: OwnWrite) => Promise<Own>,
    host: WaitingHost,
  ): Promise<Own> {
    const { call } = write.record;
    this.ownWrites.add(write);
    const work = start(write);
    const settled = work.then(
      (outcome) => write.settle({ outcome }),
      (error: unknown) => write.settle({ error }),
    );
    const end = await host.waitFor(settled);
    if (end !== undefined && write.record.state === 'planned') {
      write.cancel();
      this.ownWrites.delete(write);
      throw end === 'cancelled' ? cancelledBeforeSending() : notSentInTime(call, write.wait);
    }
    const isOutcomeKnown = write.record.state === 'answered' || isSettled(write.record);
    if (end === 'cancelled' || (end === 'timed_out' && !isOutcomeKnown)) {
      await write.dispatch([{ type: 'leave', process: write.record.owner }]);
      throw notAwaited(call, end);
    }
    // The outcome is known, and only the delta after the write is still being read.
    await settled;
    if (write.record.state === 'delivered') this.ownWrites.delete(write);
    else this.ownWrites.answer(write, write.outcome, host);
    return work;
  }

  /**
   * The earlier equal write of any process. A host of this process waits for it from then on, so that no other call gets its
   * outcome too. While a host of another process seems to wait for an equal write, nothing is decided: that process may have been
   * killed, and this call may be the second attempt of the same host. In Redis that shows only when its lease ends, so a call right
   * after the kill may end without an outcome. `known` are the writes as the call has seen them.
   */
  async #claimEarlier(
    call: WriteCall,
    shared: SharedWrites,
    host: WaitingHost,
    known?: readonly SentWrite[],
  ): Promise<Located | undefined> {
    for (let seen = known; ; seen = undefined) {
      const stored = await shared.adoption.noteAndAdopt(seen);
      const equal = stored.filter((record) => isEqual(record, call));
      const undelivered = [
        ...equal.filter(isUndelivered).map((record) => ({ record, shared })),
        ...this.ownWrites.undeliveredBeside(stored, call),
      ];
      for (const write of undelivered) if (await this.ownWrites.claim(write)) return write;
      if (!equal.some((write) => shared.pending.isAwaitedElsewhere(write))) return undefined;
      const end = await host.waitFor(this.#clock.sleep(POLL_MS));
      if (end)
        throw end === 'cancelled' ? cancelledBeforeSending() : failed(call, 'outcome_unknown', AWAITED);
    }
  }

  /** Undefined if the earlier call wrote nothing, or nothing that counts any more: there is no outcome to deliver. */
  async #waitForEarlier(
    earlier: Located,
    again: WriteCall,
    host: WaitingHost,
  ): Promise<EarlierOutcome | undefined> {
    const { shared, record } = earlier;
    const ending = new AbortController();
    try {
      const settling = this.#settledRecord(earlier, ending.signal);
      const settled = (await this.#whileHostWaits(settling, earlier, host)) ?? record;
      const end = await this.#endOf(earlier, settled, host);
      const entries = end && (await shared.journal.list(record.call));
      const { isOver, since } = overtaken(record, again, entries ?? []);
      if (!end || isOver) {
        await this.ownWrites.change(earlier, { type: 'deliver', process: shared.pending.process });
        return undefined;
      }
      if (end instanceof BudgetError) {
        this.ownWrites.answer(earlier, undefined, host);
        throw earlierPartlyWritten(record.call, end, since);
      }
      this.ownWrites.answer(earlier, end, host);
      return { earlier: end, calledAt: record.calledAt, settledAt: settled.result?.at ?? 0, since };
    } finally {
      ending.abort();
    }
  }

  /** The outcome of a write, or the error if only a part was carried out. Undefined if it is proven that nothing was. */
  async #endOf(
    earlier: Located,
    settled: PendingWrite,
    host: WaitingHost,
  ): Promise<WriteResult | BudgetError | undefined> {
    const { id, call, isTogether } = settled;
    const { result } = settled;
    const outcome = this.ownWrites.find(id)?.outcome ?? result?.outcome;
    if (outcome) return outcome;
    const error = (result && errorOf(result)) ?? failed(call, 'outcome_unknown', LOST);
    if (error.code === 'partly_written') return error;
    if (result && stateOf(settled) !== 'unknown') return undefined;
    // A search for one step does not show what became of the others.
    const search = isTogether ? Promise.reject(error) : earlier.shared.adoption.searchAgain(earlier.record);
    const data = await this.#whileHostWaits(search, earlier, host);
    return data && { data, outcome: 'confirmed_afterwards' };
  }

  /** Undefined if the write is not known any more. With `signal`, the write as it is. */
  async #settledRecord(earlier: Located, signal: AbortSignal): Promise<PendingWrite | undefined> {
    const { id } = earlier.record;
    const write = this.ownWrites.find(id);
    if (write) {
      await write.until(isSettled);
      return write.record;
    }
    for (;;) {
      // The search goes on in the background.
      const found = (await earlier.shared.adoption.adoptAndSearch()).find((stored) => stored.id === id);
      if (!found || isSettled(found) || signal.aborted) return found;
      await this.#clock.sleep(POLL_MS);
    }
  }

  /** If the host stops waiting, or if `work` fails, the next equal call may wait for the write. */
  async #whileHostWaits<Result>(work: Promise<Result>, earlier: Located, host: WaitingHost): Promise<Result> {
    const { call } = earlier.record;
    const leave = () =>
      this.ownWrites.change(earlier, { type: 'leave', process: earlier.shared.pending.process });
    const end = await host.waitFor(work).catch(async (error: unknown) => {
      await leave();
      throw error instanceof BudgetError ? earlierUnknown(call, error) : error;
    });
    if (end === undefined) return work;
    work.catch(() => {});
    await leave();
    throw notAwaited(call, end);
  }
}

function undefinedIfEarlierEnded(error: unknown): undefined {
  if (!(error instanceof EarlierCallEnded)) throw error;
}

/** The outcome of an earlier equal call. Times are milliseconds since the epoch. */
export interface EarlierOutcome {
  readonly earlier: WriteResult;
  readonly calledAt: number;
  readonly settledAt: number;
  /** What has overtaken it, in a sentence. */
  readonly since: string | undefined;
}

const AWAITED = 'nothing was sent now. An equal call was sent by another process, which may still answer it.';
const NOT_THERE = 'the earlier equal call was not carried out, or was taken back.';
const LOST = 'this server has lost what it knew about the earlier call.';
