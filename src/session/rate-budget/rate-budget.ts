/**
 * How many requests may still be sent in this hour with the token of a sign-in (docs/interface.md, Limits). Every request
 * is taken before it is sent and settled when it has ended, by a change of the rate ledger that all processes of the
 * sign-in share. An answer whose count the ledger expects is settled with the next change, or 15 seconds later: until then its
 * request counts as one that is under way. The rules are in `rate-ledger.ts` and `rate-usage.ts`. It sends no requests and never waits for a place.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Clock, type Moment, momentOf } from '../../base/clock.ts';
import { BudgetError, type ErrorCode } from '../../base/errors.ts';
import { MemoryStore } from '../../store/memory-store.ts';
import { SharedRecord, type SharedStore } from '../../store/shared-store.ts';
import { ignoreStoreError } from '../../store/store-error.ts';
import type { HttpResponse } from '../http/http-sender.ts';
import {
  type EndedRequest,
  emptyLedger,
  ledgerAt,
  type OpenRequest,
  type RateLedger,
  type RequestEnd,
  rateLedger,
  withEnd,
} from './rate-ledger.ts';
import { type Asking, type RateStatus, type Refusal, type Spending, statusOf, take } from './rate-usage.ts';

export const RATE_LEDGER = 'rate ledger';

/** Settles the request, once. */
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
  /** Requests per hour until a response gives the limit. */
  readonly limit?: number;
  /** How many of them are reserved for writes, at most half of the limit. */
  readonly reserve?: number;
  /** The caller of the current request, if there are several. Requests without one have no share, and no share refuses them. */
  readonly caller?: (() => string | undefined) | undefined;
  /** The callers of this process that have a share from the start. By default a caller has one once it has asked. */
  readonly expectedCallers?: (() => readonly string[]) | undefined;
}

const withEnded = (ledger: RateLedger, ended: readonly EndedRequest[]): RateLedger =>
  ended.reduce(withEnd, ledger);

/** An answer that the ledger expects is settled within this time, so before the ledger takes its request for one of a killed process. */
const SETTLE_WITHIN_MS = 15_000;

/** After these errors the request was not sent. */
const NEVER_SENT: ReadonlySet<ErrorCode> = new Set(['unreachable', 'not_signed_in', 'invalid_input']);

export class RateBudget {
  readonly #options: RateBudgetOptions;
  readonly #store: SharedStore;
  readonly #record: SharedRecord<typeof rateLedger>;
  #lastRequest = 0;
  #ledger: RateLedger;
  /** The requests with expected answers, which are settled with the next change. */
  #ended: readonly EndedRequest[] = [];

  constructor(options: RateBudgetOptions) {
    const { clock, store = new MemoryStore(clock), limit = 200 } = options;
    this.#options = options;
    this.#store = store;
    this.#ledger = emptyLedger(limit);
    this.#record = new SharedRecord(store, RATE_LEDGER, rateLedger, this.#ledger);
  }

  /** Must be called before each request, also a retry. Reads that a write needs are taken as `write`. Throws `rate_budget_spent` with the time of the next free request. */
  async take(kind: Spending): Promise<RateBudgetAttempt> {
    this.#lastRequest += 1;
    const asking = { ...this.#asking(), kind, id: `${this.#store.processId} ${this.#lastRequest}` };
    const ask = (ended?: ReadonlySet<string>) =>
      this.#update((ledger, now) => {
        const askers = ledger.askers.filter(({ processId }) => !ended?.has(processId));
        const asked = take({ ...ledger, askers }, asking);
        return { ...asked, wall: now.wall };
      });
    let asked = await ask();
    if ('reason' in asked.taken && asked.taken.reason === 'shared') {
      // Processes that have ended have no share any more. Their requests count as before.
      const ended = await this.#endedProcesses(asked.ledger);
      if (ended.size > 0) asked = await ask(ended);
    }
    const { taken, wall } = asked;
    if ('reason' in taken) throw spentError(taken, wall);
    return this.#attempt(taken);
  }

  async status(): Promise<RateStatus> {
    return this.statusOf(await this.#store.read(RATE_LEDGER), momentOf(this.#options.clock));
  }

  /** The status by the value that the record `RATE_LEDGER` had at `now`, by the clock of the store. */
  statusOf(stored: unknown, now: Moment): RateStatus {
    this.#ledger = this.#record.parse(stored);
    return this.#statusAt(now);
  }

  /** How many requests are left, as far as this process has seen. */
  get left(): number {
    return this.#statusAt(momentOf(this.#options.clock)).left;
  }

  /** Resolves when all requests that have ended are settled. */
  async settled(): Promise<void> {
    if (this.#ended.length > 0) await this.#settle();
  }

  #statusAt(now: Moment): RateStatus {
    return statusOf(ledgerAt(withEnded(this.#ledger, this.#ended), now), now, this.#asking());
  }

  /** Changes the ledger by one access to the store. */
  async #update<Result extends { readonly ledger: RateLedger }>(
    change: (ledger: RateLedger, now: Moment) => Result,
  ): Promise<Result> {
    const ended = this.#ended;
    this.#ended = [];
    const result = await this.#record.update((stored, now) => {
      const result = change(ledgerAt(withEnded(stored, ended), now), now);
      return { value: result.ledger, result };
    });
    this.#ledger = result.ledger;
    return result;
  }

  #attempt(request: OpenRequest): RateBudgetAttempt {
    const settle = async (end: RequestEnd) => {
      const at = this.#expectedAt(request, end);
      if (at === undefined) return this.#settle({ request, end });
      const ended = { request, end, at };
      this.#ended = [...this.#ended, ended];
      const { clock } = this.#options;
      void clock.sleep(SETTLE_WITHIN_MS, undefined, true).then(async () => {
        if (this.#ended.includes(ended)) await this.#settle();
      });
    };
    return {
      // Without the body, which may have megabytes: the end is kept for some seconds.
      answered: ({ status, headers }) => settle({ status, headers }),
      failed: (error) =>
        settle(error instanceof BudgetError && NEVER_SENT.has(error.code) ? 'not_sent' : 'lost'),
    };
  }

  /** If the store fails, the response is there all the same. In the ledger, the request is like one of a killed process. */
  #settle(...ended: readonly EndedRequest[]): Promise<void> {
    return this.#update((ledger) => ({ ledger: withEnded(ledger, ended) })).then(() => {}, ignoreStoreError);
  }

  /** The time of the ledger, if the end changes nothing else there: the answer is a success, and its count that of the ledger. */
  #expectedAt(request: OpenRequest, end: RequestEnd): number | undefined {
    if (end === 'lost' || end === 'not_sent' || end.status >= 300) return undefined;
    const before = ledgerAt(withEnded(this.#ledger, this.#ended), momentOf(this.#options.clock));
    const after = withEnd(before, { request, end });
    const isExpected =
      before.retryAt === undefined &&
      after.limit === before.limit &&
      after.counted.length === before.counted.length + 1 &&
      isDeepStrictEqual(after.others, before.others);
    return isExpected ? before.time : undefined;
  }

  #asking(): Asking {
    const { processId } = this.#store;
    const { caller, expectedCallers, reserve = 20 } = this.#options;
    if (!caller) return { asker: { processId }, reserve };
    const current = caller();
    return {
      asker: current === undefined ? undefined : { processId, caller: current },
      expected: expectedCallers?.().map((each) => ({ processId, caller: each })),
      reserve,
    };
  }

  /** The other processes that have ended since they last asked. */
  async #endedProcesses({ askers }: RateLedger): Promise<ReadonlySet<string>> {
    const others = new Set(askers.map(({ processId }) => processId));
    others.delete(this.#store.processId);
    for (const id of others) if (await this.#store.isRunning(id)) others.delete(id);
    return others;
  }
}

const EXPLANATIONS: Readonly<Record<Refusal['reason'], string>> = {
  used: 'The requests of this hour are used up.',
  reserved: 'The remaining requests are reserved for writes.',
  shared:
    'Other callers or other programs of the same user may use the token too, and the remaining requests of this hour are reserved for them.',
};

function spentError({ reason, waitMs, isTried }: Refusal, now: number): BudgetError {
  const next =
    reason === 'shared'
      ? 'The next request for this caller is free at the latest in'
      : isTried
        ? 'When the next one is free is not known: one request is tried in'
        : 'The next request is free in';
  const seconds = Math.ceil(waitMs / 1000);
  const at = new Date(now + waitMs).toISOString();
  return new BudgetError('rate_budget_spent', `${EXPLANATIONS[reason]} ${next} ${seconds} s, at ${at}.`);
}
