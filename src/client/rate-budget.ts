/**
 * How many requests may still be sent in this hour with the token of a sign-in (docs/interface.md, Limits). Every request
 * is taken before it is sent and settled when it has ended, by one change of the rate ledger that all processes of the
 * sign-in share. The rules are in `rate-ledger.ts`, `rate-usage.ts` and `rate-settlement.ts`. It sends no requests and
 * never waits for a place.
 */
import { BudgetError, type ErrorCode } from '../errors.ts';
import { type Clock, momentOf } from '../platform/clock.ts';
import { MemoryStore } from '../state/memory-store.ts';
import { SharedRecord, type SharedStore } from '../state/shared-store.ts';
import { ignoreStoreError } from '../state/store-error.ts';
import type { HttpResponse } from './http-sender.ts';
import {
  emptyLedger,
  ledgerAt,
  type OpenRequest,
  type RateLedger,
  rateLedger,
  unknownLedger,
  withoutAskersOf,
} from './rate-ledger.ts';
import { notSent, type RequestEnd, withEnd, withOpen } from './rate-settlement.ts';
import { type Asking, type RateStatus, type Refusal, type Spending, statusOf, take } from './rate-usage.ts';

export interface RateBudget {
  /**
   * Must be called before each request, including retries. Reads that a write needs are taken as `write`. Throws
   * `rate_budget_spent` with the time of the next free request if this one is not allowed.
   */
  take(kind: Spending): Promise<RateBudgetAttempt>;
  status(): Promise<RateStatus>;
  /**
   * `left` of the status. What this process has read in the last second is not read again: an answer must not become
   * old while it waits for a store that does not answer.
   */
  left(): Promise<number>;
}

/** The first call of either method settles the request. Later calls have no effect. */
export interface RateBudgetAttempt {
  /** There is a response, with any status. */
  answered(response: Pick<HttpResponse, 'status' | 'headers'>): Promise<void>;
  /** There is no response. The code of `error` shows whether the service may have received the request. */
  failed(error: unknown): Promise<void>;
}

export interface RateBudgetOptions {
  readonly clock: Clock;
  /** Has the ledger. By default this process has its own. */
  readonly store?: SharedStore;
  /**
   * What a store without a ledger means. `unused`: no request was sent with the token. `unknown`: the ledger may have been
   * lost, and the limit may be reached.
   */
  readonly missingLedger?: 'unused' | 'unknown';
  /** Requests per hour until a response gives the limit. */
  readonly limit?: number;
  /** How many of them are reserved for writes, at most half of the limit. */
  readonly reserve?: number;
  /**
   * The caller of the current request, if this process has several. Undefined for requests without a caller, which no
   * share includes and which are not refused for the sake of other callers or processes.
   */
  readonly caller?: (() => string | undefined) | undefined;
  /** The callers of this process that have a share from the start. By default a caller has one once it has asked. */
  readonly expectedCallers?: (() => readonly string[]) | undefined;
}

/** `left` uses what was read within this time. */
const RECENTLY_READ_MS = 1_000;

/** After these errors the request was not sent. */
const NEVER_SENT: ReadonlySet<ErrorCode> = new Set(['unreachable', 'not_signed_in', 'invalid_input']);

export class RollingRateBudget implements RateBudget {
  readonly #options: Pick<RateBudgetOptions, 'clock' | 'caller' | 'expectedCallers'>;
  readonly #store: SharedStore;
  readonly #reserve: number;
  readonly #record: SharedRecord<typeof rateLedger>;
  #lastRequest = 0;
  /** The ledger as it was read or changed last. Undefined if the last change failed. */
  #seen: { readonly ledger: RateLedger; readonly at: number } | undefined;
  /** The last result of `#endedAskers`. */
  #ended: { readonly ledger: RateLedger; readonly processIds: ReadonlySet<string> } | undefined;

  constructor({
    clock,
    store = new MemoryStore(clock),
    missingLedger = 'unused',
    limit = 200,
    reserve = 20,
    caller,
    expectedCallers,
  }: RateBudgetOptions) {
    this.#options = { clock, caller, expectedCallers };
    this.#store = store;
    this.#reserve = reserve;
    const initial = missingLedger === 'unused' ? emptyLedger(limit) : unknownLedger(limit);
    this.#record = new SharedRecord(store, 'rate ledger', rateLedger, initial);
  }

  async take(kind: Spending): Promise<RateBudgetAttempt> {
    const asking = this.#asking();
    this.#lastRequest += 1;
    const id = `${this.#store.processId} ${this.#lastRequest}`;
    const ended = await this.#endedAskers(await this.#record.read());
    const { taking, now } = await this.#record.update((stored, now) => {
      const ledger = withoutAskersOf(ledgerAt(stored, now), ended);
      const taking = take(ledger, { kind, id, reserve: this.#reserve, asking });
      return { value: taking.ledger, result: { taking, now } };
    });
    this.#see(taking.ledger);
    const { request, refusal } = taking;
    // The change is made again when the store is free, and may have another result then. This one counts.
    if (this.#store.isBlocked)
      await this.#record.update((stored, now) => {
        const ledger = ledgerAt(stored, now);
        return { value: request ? withOpen(ledger, request) : notSent(ledger, id), result: undefined };
      });
    if (refusal) throw spentError(refusal, now.wall);
    return this.#attempt(request);
  }

  /** Does not change the ledger. */
  async status(): Promise<RateStatus> {
    const asking = this.#asking();
    const stored = await this.#record.read();
    const ended = this.#ended?.ledger === stored ? this.#ended.processIds : await this.#endedAskers(stored);
    this.#see(stored);
    const now = momentOf(this.#options.clock);
    const ledger = withoutAskersOf(ledgerAt(stored, now), ended);
    return statusOf(ledger, now, { asking, reserve: this.#reserve });
  }

  async left(): Promise<number> {
    const now = momentOf(this.#options.clock);
    const { ledger, at } = this.#seen ?? {};
    if (!ledger || at === undefined || now.monotonic - at > RECENTLY_READ_MS)
      return (await this.status()).left;
    return statusOf(ledgerAt(ledger, now), now, { asking: { asker: undefined }, reserve: this.#reserve })
      .left;
  }

  #see(ledger: RateLedger): void {
    this.#seen = { ledger, at: this.#options.clock.monotonic() };
  }

  #attempt(request: OpenRequest): RateBudgetAttempt {
    let isSettled = false;
    const settle = async (end: RequestEnd) => {
      if (isSettled) return;
      isSettled = true;
      const { clock } = this.#options;
      const endedAt = clock.monotonic();
      this.#seen = undefined;
      const updating = this.#record.update((stored, now) => {
        const value = withEnd(ledgerAt(stored, now), request, end, clock.monotonic() - endedAt);
        return { value, result: value };
      });
      // The response is there. In the ledger, the request is like one of a process that was killed.
      await updating.then((ledger) => this.#see(ledger), ignoreStoreError);
    };
    return {
      answered: ({ status, headers }) => settle({ status, headers }),
      failed: (error) =>
        settle(error instanceof BudgetError && NEVER_SENT.has(error.code) ? 'not_sent' : 'lost'),
    };
  }

  #asking(): Asking {
    const { processId } = this.#store;
    const { caller, expectedCallers = () => [] } = this.#options;
    if (!caller) return { asker: { processId } };
    const current = caller();
    return {
      asker: current === undefined ? undefined : { processId, caller: current },
      expected: expectedCallers().map((each) => ({ processId, caller: each })),
    };
  }

  /** The other processes that have ended since they last asked. */
  async #endedAskers(ledger: RateLedger): Promise<ReadonlySet<string>> {
    const others = new Set(ledger.askers.map(({ processId }) => processId));
    others.delete(this.#store.processId);
    const processIds = new Set<string>();
    for (const id of others) if (!(await this.#store.isRunning(id))) processIds.add(id);
    this.#ended = { ledger, processIds };
    return processIds;
  }
}

const EXPLANATIONS: Readonly<Record<Refusal['reason'], string>> = {
  used: 'The requests of this hour are used up.',
  reserved: 'The remaining requests are reserved for writes.',
  shared:
    'Other callers or other programs of the same user may use the token too, and the remaining requests of this hour are reserved for them.',
};

function spentError({ reason, waitMs, isProbe }: Refusal, now: number): BudgetError {
  const next =
    reason === 'shared'
      ? 'The next request for this caller is free at the latest in'
      : isProbe
        ? 'When the next one is free is not known: one request is tried in'
        : 'The next request is free in';
  const seconds = Math.ceil(waitMs / 1000);
  const at = new Date(now + waitMs).toISOString();
  return new BudgetError('rate_budget_spent', `${EXPLANATIONS[reason]} ${next} ${seconds} s, at ${at}.`);
}
