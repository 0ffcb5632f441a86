/**
 * Writes, and the hosts that wait for their outcome. A host gets a result within ten seconds, even if the outcome of its
 * write is not known by then. An outcome that was not delivered to any host is kept for ten minutes. This file decides
 * whether a call repeats such a write. `ExactlyOnceWriter` carries out the write.
 *
 * The rules:
 *
 *   - If a write is not sent when its host gets a result or cancels, it is not sent later.
 *   - If a write is sent, it is followed until its outcome is known. It is never sent again.
 *   - A write is undelivered if its host cancelled it, or got the result that it is not settled. For ten minutes an equal
 *     call (same caller, same tool, same resolved arguments) waits for the outcome of that write. If it was carried out,
 *     the call returns that outcome and sends nothing. If it is proven that it was not carried out, the call becomes a
 *     write of its own. If neither is known, the budget is searched once more, and nothing is sent while that fails. If
 *     only a part was carried out, the call fails and says which.
 *   - Equal calls whose hosts wait at the same time are separate writes. So is an equal call after a delivered outcome.
 *
 * Only writes that were sent are kept, so the service's limit of requests also limits the number of kept writes.
 */

import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json.ts';
import type { SearchAgain, WriteObserver } from './exactly-once-writer.ts';
import { WaitingHost } from './waiting-host.ts';
import {
  alreadyDelivered,
  cancelledAfterSending,
  cancelledBeforeSending,
  earlierNotWritten,
  earlierPartlyWritten,
  earlierUnknown,
  keyOf,
  notSentInTime,
  notSettledInTime,
  type WriteCall,
} from './write-call.ts';
import type { WriteResult } from './write-result.ts';

/** How long an outcome is kept after the last host stopped waiting. */
const MAX_UNDELIVERED_MS = 10 * 60_000;

export type AnyWriteResult = WriteResult<JsonObject>;

/** The outcome of an earlier equal call. Times are milliseconds since the epoch. */
export interface EarlierOutcome {
  readonly earlier: AnyWriteResult;
  readonly calledAt: number;
  readonly settledAt: number;
}

export interface WriteStatus {
  readonly tool: string;
  readonly budget_id: string;
  /** Milliseconds since the epoch. */
  readonly called_at: number;
  readonly state:
    | 'waiting'
    | 'sent'
    | 'being_looked_for'
    | 'written'
    | 'partly_written'
    | 'not_written'
    | 'unknown';
}

interface Settlement {
  /** Present if the write was carried out. */
  readonly outcome?: AnyWriteResult;
  readonly error?: unknown;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface Entry {
  readonly key: string;
  readonly call: WriteCall;
  /** Milliseconds since the epoch. */
  readonly calledAt: number;
  state: WriteStatus['state'];
  /** Resolves when there is nothing left to send and no response to wait for. */
  readonly drained: Promise<void>;
  readonly settled: Promise<Settlement>;
  searchAgain?: SearchAgain | undefined;
  /** When the last host stopped waiting, by the monotonic clock. Undefined while a host waits. */
  undeliveredSince?: number | undefined;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /** Only returns the outcome of an earlier equal call, and sends nothing. */
  readonly isRepeat?: boolean;
}

export class UnsettledWrites {
  readonly #clock: Clock;
  /** In the order of the calls. */
  readonly #entries = new Set<Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Carries out a write with `start`, or returns the outcome of an earlier equal call. Throws the error of `start`. If
   * the host's time ends before that, throws `not_written` or `outcome_unknown`. If the host cancels before the write is
   * sent, throws `cancelled`. With `isRepeat` it only returns the outcome of an earlier equal call. It then throws
   * `not_written` if that write is proven not to have happened, or if no such call is kept.
   */
  async run<Own extends AnyWriteResult>(
    call: WriteCall,
    start: (observer: WriteObserver) => Promise<Own>,
    { signal, isRepeat = false }: RunOptions = {},
  ): Promise<{ readonly own: Own } | EarlierOutcome> {
    const host = new WaitingHost(this.#clock, signal);
    try {
      const undelivered = this.#findUndelivered(call);
      if (isRepeat && !undelivered) throw alreadyDelivered(call);
      const earlier = undelivered && (await this.#waitForEarlier(undelivered, host));
      if (earlier) return earlier;
      if (isRepeat) throw earlierNotWritten(call);
      return { own: await this.#runNew(call, start, host) };
    } finally {
      host.end();
    }
  }

  /** Whether a call would wait for the outcome of an earlier equal one. */
  isRepeated(call: WriteCall): boolean {
    return this.#findUndelivered(call) !== undefined;
  }

  /** The caller's writes that are not settled, and those whose outcome was not delivered. */
  status(caller: string): WriteStatus[] {
    this.#removeExpired();
    const entries = [...this.#entries].filter(({ call }) => call.caller === caller);
    return entries.map(({ call: { tool, budgetId }, calledAt, state }) => ({
      tool,
      budget_id: budgetId,
      called_at: calledAt,
      state,
    }));
  }

  /**
   * Resolves when no write is left to send and none waits for its response. It does not wait for searches, because no
   * host would get their results.
   */
  async drained(): Promise<void> {
    await Promise.all([...this.#entries].map(({ drained }) => drained));
  }

  async #runNew<Own extends AnyWriteResult>(
    call: WriteCall,
    start: (observer: WriteObserver) => Promise<Own>,
    host: WaitingHost,
  ): Promise<Own> {
    const cancellation = new AbortController();
    const { promise: drained, resolve: drain } = withResolver();
    let isOutcomeKnown = false;
    const work = start({
      signal: cancellation.signal,
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
    const entry: Entry = {
      key: keyOf(call),
      call,
      calledAt: this.#clock.now(),
      state: 'waiting',
      drained,
      settled: this.#settlement(work).then((settlement) => {
        entry.state = stateOf(settlement);
        drain();
        return settlement;
      }),
    };
    this.#entries.add(entry);
    const end = await host.waitFor(entry.settled);
    if (end !== undefined && entry.state === 'waiting') {
      cancellation.abort();
      drain();
      this.#entries.delete(entry);
      throw end === 'cancelled' ? cancelledBeforeSending() : notSentInTime(call);
    }
    if (end === 'cancelled' || (end === 'timed_out' && !isOutcomeKnown)) throw this.#stopWaiting(entry, end);
    // The outcome is known, and only the delta after the write is still being read.
    await entry.settled;
    this.#entries.delete(entry);
    return work;
  }

  /** Undefined if it is proven that the earlier call wrote nothing. */
  async #waitForEarlier(entry: Entry, host: WaitingHost): Promise<EarlierOutcome | undefined> {
    entry.undeliveredSince = undefined;
    const end = await host.waitFor(entry.settled);
    if (end) throw this.#stopWaiting(entry, end);
    const { outcome, error, at } = await entry.settled;
    if (error instanceof BudgetError && error.code === 'partly_written') {
      this.#entries.delete(entry);
      throw earlierPartlyWritten(entry.call, error);
    }
    const earlier =
      outcome ?? (entry.state === 'unknown' ? await this.#searchAgain(entry, error, host) : undefined);
    this.#entries.delete(entry);
    return earlier && { earlier, calledAt: entry.calledAt, settledAt: at };
  }

  /** `error` is the one with which the write ended. It stands if the write cannot be searched for. */
  async #searchAgain(entry: Entry, error: unknown, host: WaitingHost): Promise<AnyWriteResult | undefined> {
    const search = (entry.searchAgain?.() ?? Promise.reject(error)).then(
      (data) => ({ data }),
      (error: unknown) => ({ error }),
    );
    const end = await host.waitFor(search);
    if (end) throw this.#stopWaiting(entry, end);
    const result = await search;
    if ('error' in result) {
      this.#stopWaiting(entry, 'timed_out');
      throw result.error instanceof BudgetError ? earlierUnknown(entry.call, result.error) : result.error;
    }
    return result.data && { data: result.data, outcome: 'confirmed_afterwards' };
  }

  /** Returns the error for the host that stops waiting. */
  #stopWaiting(entry: Entry, reason: 'timed_out' | 'cancelled'): BudgetError {
    entry.undeliveredSince = this.#clock.monotonic();
    return reason === 'cancelled' ? cancelledAfterSending(entry.call) : notSettledInTime(entry.call);
  }

  #findUndelivered(call: WriteCall): Entry | undefined {
    this.#removeExpired();
    const key = keyOf(call);
    return [...this.#entries].find((entry) => entry.key === key && entry.undeliveredSince !== undefined);
  }

  /** Uses the monotonic clock, because setting the wall clock must not make an equal call write twice. */
  #removeExpired(): void {
    const now = this.#clock.monotonic();
    for (const entry of this.#entries) {
      const isUnderWay =
        entry.state === 'waiting' || entry.state === 'sent' || entry.state === 'being_looked_for';
      if (
        !isUnderWay &&
        entry.undeliveredSince !== undefined &&
        now - entry.undeliveredSince > MAX_UNDELIVERED_MS
      )
        this.#entries.delete(entry);
    }
  }

  #settlement(work: Promise<AnyWriteResult>): Promise<Settlement> {
    return work.then(
      (outcome) => ({ outcome, at: this.#clock.now() }),
      (error: unknown) => ({ error, at: this.#clock.now() }),
    );
  }
}

function stateOf({ outcome, error }: Settlement): WriteStatus['state'] {
  if (outcome) return 'written';
  if (!(error instanceof BudgetError)) return 'unknown';
  if (error.code === 'partly_written') return 'partly_written';
  return error.code === 'outcome_unknown' ? 'unknown' : 'not_written';
}

/** A promise and the function that resolves it. */
function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((end) => {
    resolve = end;
  });
  return { promise, resolve };
}
