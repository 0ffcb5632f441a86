/**
 * Writes, and the hosts that wait for their outcome. A host gets a result within ten seconds, even if the outcome of its
 * write is not known by then. An outcome that was not delivered to any host is kept for ten minutes. This file decides
 * whether a call repeats such a write. `ExactlyOnceWriter` carries out the write.
 *
 * The rules:
 *
 *   - If a write is not sent when its host gets a result or cancels, it is not sent later.
 *   - If a write is sent, it is followed until its outcome is known. It is never sent again.
 *   - A write is undelivered if its host cancelled it, or got the result that it is not settled, or if its connection was
 *     lost or the process of its host ended before the whole answer was sent. For ten minutes an equal call (same caller,
 *     same tool, same resolved arguments) waits for the outcome of that write, in any process of the sign-in. If it was
 *     carried out, the call returns that outcome and sends nothing. If it is proven that it was not carried out, the call
 *     becomes a write of its own. If neither is known, the budget is searched once more, and nothing is sent while that
 *     fails. If only a part was carried out, the call fails and says which.
 *   - A call looks for such a write when it begins, and once more in its turn just before it sends.
 *   - Equal calls whose hosts wait at the same time are separate writes. So is an equal call after a delivered outcome. If a
 *     host of another process seems to wait for an equal write that was sent, the call waits until it is known whether the
 *     host got the outcome: a process that was killed is not known to have ended for some seconds.
 *
 * Only writes that were sent are kept, so the service's limit of requests also limits the number of kept writes. The
 * writes of this process are kept in memory, with the promises of their outcomes. If there may be other processes,
 * `SharedWrites` has them too, and decides for which of them an equal call may wait.
 */

import type { Clock } from '../platform/clock.ts';
import { statusOf } from './adoption.ts';
import {
  claimEarlier,
  type EarlierOutcome,
  earlierHere,
  type OtherWrites,
  waitForEarlier,
} from './earlier-write.ts';
import { type OwnWrite, OwnWrites, reportedKey } from './own-writes.ts';
import { type AnyWriteResult, type Settlement, stateOf, type WriteStatus } from './settlement.ts';
import type { NewWrite, WritesSnapshot } from './shared-writes.ts';
import { isUnderWay, type StoredStep } from './stored-write.ts';
import { WaitingHost, type WaitingHostOptions } from './waiting-host.ts';
import {
  alreadyDelivered,
  cancelledAfterSending,
  cancelledBeforeSending,
  earlierNotWritten,
  keyOf,
  notSentInTime,
  notSettledInTime,
  type WriteCall,
} from './write-call.ts';
import type { WriteObserver } from './write-observer.ts';

/** Controls a write of one or several steps, and is notified of its progress. */
export interface RunObserver extends WriteObserver {
  /** Called before each step is sent, which waits until this has ended. */
  onStep?(step: StoredStep): Promise<void>;
}

/** How a write is shared with the other processes of a sign-in. */
export interface Sharing extends Pick<NewWrite, 'id' | 'takesBack' | 'continues' | 'isTogether'> {
  readonly others: OtherWrites;
}

export interface RunOptions extends WaitingHostOptions {
  /** Only returns the outcome of an earlier equal call, and sends nothing. */
  readonly isRepeat?: boolean;
  /** Missing if there are no other processes. */
  readonly sharing?: Sharing | undefined;
}

export class UnsettledWrites {
  readonly #clock: Clock;
  readonly #own: OwnWrites;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#own = new OwnWrites(clock);
  }

  /**
   * Carries out a write with `start`, or returns the outcome of an earlier equal call. Throws the error of `start`. If
   * the host's time ends before that, throws `not_written` or `outcome_unknown`. If the host cancels before the write is
   * sent, throws `cancelled`. With `isRepeat` it only returns the outcome of an earlier equal call. It then throws
   * `not_written` if that write is proven not to have happened, and `conflict` if no such call is kept any more.
   */
  async run<Own extends AnyWriteResult>(
    call: WriteCall,
    start: (observer: RunObserver) => Promise<Own>,
    { isRepeat = false, sharing, ...waiting }: RunOptions = {},
  ): Promise<{ readonly own: Own } | EarlierOutcome> {
    const host = new WaitingHost(this.#clock, waiting);
    try {
      for (;;) {
        const undelivered = sharing
          ? await claimEarlier(call, sharing.others, this.#own, host)
          : earlierHere(call, this.#own);
        if (isRepeat && !undelivered) throw alreadyDelivered(call);
        const earlier = undelivered && (await waitForEarlier(undelivered, host));
        if (earlier) return earlier;
        if (isRepeat) throw earlierNotWritten(call);
        const own = await this.#runNew(call, start, host, sharing).catch(undefinedIfEarlierEnded);
        if (own) return { own };
      }
    } finally {
      host.end();
    }
  }

  /** Whether a call would wait for the outcome of an earlier equal one. */
  isRepeated(call: WriteCall, stored?: WritesSnapshot): boolean {
    const key = keyOf(call);
    return (
      this.#own.findUndelivered(call, stored) !== undefined ||
      (stored?.writes.some((each) => stored.undelivered.has(each.id) && keyOf(each.call) === key) ?? false)
    );
  }

  /** Whether an answer to a write of this process has named this entity to the caller, not long ago. */
  isReported(id: string, caller = ''): boolean {
    return this.#own.reported.has(reportedKey(caller, id));
  }

  /**
   * The caller's writes that are not settled, and those whose outcome was not delivered. What the store of the sign-in does
   * not have may be of an earlier sign-in, and is included only if `isAccessible`.
   */
  status(
    caller: string,
    stored?: WritesSnapshot,
    isAccessible: (budgetId: string) => boolean = () => true,
  ): WriteStatus[] {
    const ids = new Set(stored?.writes.map(({ id }) => id));
    const own = this.#own
      .all(stored)
      .filter((each) => (each.stored && ids.has(each.stored.id)) || isAccessible(each.call.budgetId));
    const others = (stored?.writes ?? []).filter(
      (each) =>
        !each.isDelivered &&
        (isUnderWay(each) || stored?.undelivered.has(each.id)) &&
        !own.some(({ stored }) => stored?.id === each.id),
    );
    return [
      ...others.filter(({ call }) => call.caller === caller).map(statusOf),
      ...own
        .filter(({ call }) => call.caller === caller)
        .map(({ call, calledAt, state }) => ({
          tool: call.tool,
          budget_id: call.budgetId,
          called_at: calledAt,
          state,
        })),
    ];
  }

  /**
   * Resolves when no write is left to send and none waits for its response. It does not wait for searches, because no
   * host would get their results.
   */
  async drained(): Promise<void> {
    await Promise.all(this.#own.all().map(({ drained }) => drained));
    await this.#own.deliveries.finish();
  }

  async #runNew<Own extends AnyWriteResult>(
    call: WriteCall,
    start: (observer: RunObserver) => Promise<Own>,
    host: WaitingHost,
    sharing: Sharing | undefined,
  ): Promise<Own> {
    const calledAt = this.#clock.now();
    const cancellation = new AbortController();
    const { promise: drained, resolve: drain } = withResolver();
    let isOutcomeKnown = false;
    let wasSent = false;
    let describeWait = (): string | undefined => undefined;
    const isRepeated = (stored: WritesSnapshot) => this.isRepeated(call, stored);
    const work = start({
      signal: cancellation.signal,
      onWaiting(describe) {
        describeWait = describe;
      },
      async onStep(step) {
        // The timer of a process that was suspended can be later than its work.
        if (entry.state === 'waiting' && host.remainingMs() <= 0) throw notSentInTime(call, describeWait());
        if (!sharing) return;
        const { others, ...head } = sharing;
        const { writes } = others;
        if (!entry.stored && isRepeated(await others.adoption.adoptUpToDate())) throw new EarlierCallEnded();
        // Before it is there: a store that failed may have it.
        entry.stored = { id: head.id, writes };
        await writes.sending({ ...head, call, calledAt }, step);
      },
      onSent(searchAgain) {
        entry.state = 'sent';
        entry.searchAgain = searchAgain;
      },
      onResponseLost() {
        entry.state = 'being_looked_for';
        drain();
      },
      onOutcomeKnown() {
        isOutcomeKnown = true;
      },
      remainingMs: () => (entry.undeliveredSince === undefined ? host.remainingMs() : 0),
    });
    const entry: OwnWrite = {
      key: keyOf(call),
      call,
      calledAt,
      state: 'waiting',
      drained,
      settled: this.#settlement(work).then(async (settlement) => {
        wasSent = entry.state !== 'waiting';
        entry.state = stateOf(settlement);
        if (entry.stored) {
          const { id, writes } = entry.stored;
          await (wasSent ? writes.settled(id, settlement) : writes.remove(id));
        }
        drain();
        return settlement;
      }),
    };
    this.#own.add(entry);
    const end = await host.waitFor(entry.settled);
    if (end !== undefined && entry.state === 'waiting') {
      cancellation.abort();
      drain();
      this.#own.delete(entry);
      throw end === 'cancelled' ? cancelledBeforeSending() : notSentInTime(call, describeWait());
    }
    if (end === 'cancelled' || (end === 'timed_out' && !isOutcomeKnown)) {
      await this.#own.hostLeft(entry);
      throw end === 'cancelled' ? cancelledAfterSending(call) : notSettledInTime(call);
    }
    // The outcome is known, and only the delta after the write is still being read.
    await entry.settled;
    if (wasSent) this.#own.answer(entry, host);
    else this.#own.delete(entry);
    return work;
  }

  #settlement(work: Promise<AnyWriteResult>): Promise<Settlement> {
    return work.then(
      (outcome) => ({ outcome, at: this.#clock.now() }),
      (error: unknown) => ({ error, at: this.#clock.now() }),
    );
  }
}

/**
 * While a call waited for its turn in the budget, the process of an equal one ended. Its locks can stay for some seconds, and
 * until then it seemed to be running. Nothing was sent.
 */
export class EarlierCallEnded extends Error {}

function undefinedIfEarlierEnded(error: unknown): undefined {
  if (!(error instanceof EarlierCallEnded)) throw error;
}

/** A promise and the function that resolves it. */
function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((end) => {
    resolve = end;
  });
  return { promise, resolve };
}
