/**
 * Writes and the hosts that wait for them. A host is answered within ten seconds, even where it is not known by then
 * what has become of its write; the outcome of a write that nobody waited for is kept for ten minutes. It knows when a
 * call repeats a write whose outcome was never delivered; how a write is carried out is the writer's business.
 *
 * The rules:
 *
 *   - A write that has not been sent when its host is answered or cancels is not sent any more.
 *   - A write that has been sent is seen through. After that nothing is sent again for it, whoever waits.
 *   - An equal call (same caller, same tool, same resolved arguments) within ten minutes of a write that was cancelled,
 *     or answered as not settled, waits for what becomes of that one. Where that was carried out, its outcome is the
 *     answer, and nothing is sent. Where it is proven that it was not, the call is a write of its own. Where neither is
 *     known, the budget is looked at once more; while that cannot be had, nothing is sent.
 *   - Equal calls whose hosts wait side by side are writes of their own, and so is an equal call after an outcome that
 *     was delivered.
 *
 * Only what has been sent is kept, so that the service's limit of requests is also the limit of what is kept.
 */

import { BudgetError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Attendance, LookAgain } from './exactly-once-writer.ts';
import { WaitingHost } from './waiting-host.ts';
import {
  answeredMeanwhile,
  cancelledSent,
  cancelledUnsent,
  keyOf,
  notCarriedOut,
  notSent,
  unknown,
  unsettled,
  type WriteCall,
} from './write-call.ts';
import type { WriteResult } from './write-result.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Since nobody waits for it any more. */
const KEPT_MS = 10 * 60_000;

export type Outcome = WriteResult<Fields>;

/** What an equal call before has done; times in milliseconds since the epoch. */
export interface EarlierOutcome {
  readonly earlier: Outcome;
  readonly calledAt: number;
  readonly settledAt: number;
}

export interface WriteStatus {
  readonly tool: string;
  readonly budget_id: string;
  /** Milliseconds since the epoch. */
  readonly called_at: number;
  readonly state: 'waiting' | 'sent' | 'being_looked_for' | 'written' | 'not_written' | 'unknown';
}

interface Settlement {
  /** Where it was carried out. */
  readonly outcome?: Outcome;
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
  /** Resolves when nothing is to be sent or answered any more. */
  readonly answered: Promise<void>;
  readonly settled: Promise<Settlement>;
  lookAgain?: LookAgain;
  /** By the monotonic clock; undefined while somebody waits for it. */
  leftAt?: number | undefined;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
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
   * Carries out a write by `start`, or gives what an equal call before has done. Throws what `start` throws;
   * `not_written` or `outcome_unknown` where the host has to be answered before that; `cancelled` where it has gone before
   * anything was sent. With `isRepeat` it only gives what an equal call before has done, and sends nothing;
   * `not_written` where it is proven that it was not carried out, or where there is no such call any more.
   */
  async run<Own extends Outcome>(
    call: WriteCall,
    start: (attendance: Attendance) => Promise<Own>,
    { signal, isRepeat = false }: RunOptions = {},
  ): Promise<{ readonly own: Own } | EarlierOutcome> {
    const host = new WaitingHost(this.#clock, signal);
    try {
      const left = this.#leftBehind(call);
      if (isRepeat && !left) throw answeredMeanwhile(call);
      const earlier = left && (await this.#rejoin(left, host));
      if (earlier) return earlier;
      if (isRepeat) throw notCarriedOut(call);
      return { own: await this.#begin(call, start, host) };
    } finally {
      host.end();
    }
  }

  /** Whether a call would wait for what has become of an equal one before. */
  isRepeated(call: WriteCall): boolean {
    return this.#leftBehind(call) !== undefined;
  }

  /** A caller's writes that are not settled, and those whose outcome was not delivered. */
  status(caller: string): WriteStatus[] {
    this.#forget();
    const entries = [...this.#entries].filter(({ call }) => call.caller === caller);
    return entries.map(({ call: { tool, budgetId }, calledAt, state }) => ({
      tool,
      budget_id: budgetId,
      called_at: calledAt,
      state,
    }));
  }

  /** Resolves when nothing is to be sent or answered. What is only looked for is not waited for: nobody would be told. */
  async answered(): Promise<void> {
    await Promise.all([...this.#entries].map(({ answered }) => answered));
  }

  async #begin<Own extends Outcome>(
    call: WriteCall,
    start: (attendance: Attendance) => Promise<Own>,
    host: WaitingHost,
  ): Promise<Own> {
    const withdrawal = new AbortController();
    const { promise: answered, resolve: answer } = openEnded();
    let isKnown = false;
    const work = start({
      signal: withdrawal.signal,
      onSent(lookAgain) {
        entry.state = 'sent';
        entry.lookAgain = lookAgain;
      },
      onLost() {
        entry.state = 'being_looked_for';
        answer();
      },
      onKnown() {
        isKnown = true;
      },
      timeLeft: () => (entry.leftAt === undefined ? host.timeLeft() : 0),
    });
    const entry: Entry = {
      key: keyOf(call),
      call,
      calledAt: this.#clock.now(),
      state: 'waiting',
      answered,
      settled: this.#settlement(work).then((settlement) => {
        entry.state = stateOf(settlement);
        answer();
        return settlement;
      }),
    };
    this.#entries.add(entry);
    const end = await host.unlessOver(entry.settled);
    if (end !== undefined && entry.state === 'waiting') {
      withdrawal.abort();
      answer();
      this.#entries.delete(entry);
      throw end === 'cancelled' ? cancelledUnsent() : notSent(call);
    }
    if (end === 'cancelled' || (end === 'late' && !isKnown)) throw this.#leave(entry, end);
    // Its aftermath is still being read.
    await entry.settled;
    this.#entries.delete(entry);
    return work;
  }

  /** Undefined where it is proven that nothing was written. */
  async #rejoin(entry: Entry, host: WaitingHost): Promise<EarlierOutcome | undefined> {
    entry.leftAt = undefined;
    const end = await host.unlessOver(entry.settled);
    if (end) throw this.#leave(entry, end);
    const { outcome, at } = await entry.settled;
    const earlier = outcome ?? (entry.state === 'unknown' ? await this.#lookedFor(entry, host) : undefined);
    this.#entries.delete(entry);
    return earlier && { earlier, calledAt: entry.calledAt, settledAt: at };
  }

  async #lookedFor(entry: Entry, host: WaitingHost): Promise<Outcome | undefined> {
    const looking = entry.lookAgain?.().then(
      (data) => ({ data }),
      (error: unknown) => ({ error }),
    );
    const end = await host.unlessOver(looking ?? Promise.resolve());
    if (end) throw this.#leave(entry, end);
    const seen = await looking;
    if (seen && 'error' in seen) {
      this.#leave(entry, 'late');
      throw seen.error instanceof BudgetError ? unknown(entry.call, seen.error) : seen.error;
    }
    return seen?.data && { data: seen.data, outcome: 'confirmed_afterwards' };
  }

  /** What to tell the host, who waits no longer. */
  #leave(entry: Entry, why: 'late' | 'cancelled'): BudgetError {
    entry.leftAt = this.#clock.monotonic();
    return why === 'cancelled' ? cancelledSent(entry.call) : unsettled(entry.call);
  }

  #leftBehind(call: WriteCall): Entry | undefined {
    this.#forget();
    const key = keyOf(call);
    return [...this.#entries].find((entry) => entry.key === key && entry.leftAt !== undefined);
  }

  /** It protects from writing twice: so it goes by the monotonic clock. */
  #forget(): void {
    const now = this.#clock.monotonic();
    for (const entry of this.#entries) {
      const isSettled =
        entry.state === 'written' || entry.state === 'not_written' || entry.state === 'unknown';
      if (isSettled && entry.leftAt !== undefined && now - entry.leftAt > KEPT_MS)
        this.#entries.delete(entry);
    }
  }

  #settlement(work: Promise<Outcome>): Promise<Settlement> {
    return work.then(
      (outcome) => ({ outcome, at: this.#clock.now() }),
      (error: unknown) => ({ error, at: this.#clock.now() }),
    );
  }
}

function stateOf({ outcome, error }: Settlement): WriteStatus['state'] {
  if (outcome) return 'written';
  return error instanceof BudgetError && error.code !== 'outcome_unknown' ? 'not_written' : 'unknown';
}

/** A promise, and what resolves it. */
function openEnded(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((end) => {
    resolve = end;
  });
  return { promise, resolve };
}
