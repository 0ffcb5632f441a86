/** A call that writes: its equality with other calls, its host, which waits for the outcome, and the errors for hosts that get none. */

import type { Clock } from '../../base/clock.ts';
import { BudgetError } from '../../base/errors.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';

export interface WriteCall {
  /** Distinguishes the callers if the server has several. */
  readonly caller: string;
  readonly tool: string;
  readonly title: string;
  readonly budgetId: string;
  /** The arguments, with names replaced by ids. */
  readonly input: JsonObject;
}

/** Equal for equal calls. The order of the arguments does not matter. */
export const keyOf = ({ caller, tool, input }: WriteCall): string => canonicalJson([caller, tool, input]);

export const cancelledBeforeSending = () =>
  new BudgetError('cancelled', 'The call was cancelled before anything was sent.');

export const cancelledAfterSending = ({ title }: WriteCall) =>
  new BudgetError('outcome_unknown', `${title}: the call was cancelled after it had been sent.`);

export const alreadyDelivered = ({ title }: WriteCall) =>
  new BudgetError('conflict', `${title}: the outcome of the earlier equal call has already been delivered.`);

export const earlierNotWritten = ({ title }: WriteCall) =>
  new BudgetError('not_written', `${title}: the earlier equal call was not carried out.`);

/** `wait` says in sentences which other write it has waited for, if it has. */
export const notSentInTime = ({ title }: WriteCall, wait = 'Earlier reads took too long.') =>
  new BudgetError('not_written', `${title}: nothing was sent within ${ANSWER_LIMIT_MS / 1_000} s. ${wait}`);

export const notSettledInTime = ({ title }: WriteCall) =>
  new BudgetError(
    'outcome_unknown',
    `${title}: after ${ANSWER_LIMIT_MS / 1_000} s there is no outcome. It is still being looked for.`,
  );

export const equalNotAnswered = ({ title }: WriteCall) =>
  new BudgetError(
    'outcome_unknown',
    `${title}: nothing was sent now. An equal call was sent by another process, which may still answer it.`,
  );

export const earlierUnknown = ({ title }: WriteCall, cause: BudgetError) =>
  new BudgetError(
    'outcome_unknown',
    `${title}: an earlier equal call may have been carried out. ${cause.message}`,
    {
      cause,
    },
  );

export const earlierPartlyWritten = ({ title }: WriteCall, cause: BudgetError) =>
  new BudgetError(
    'partly_written',
    `${title}: an earlier equal call was carried out in part, and nothing was sent now. ${cause.message}`,
    { cause },
  );

/** Shorter than the time limits of hosts: many give up after about 20 s and would then never get the outcome. */
export const ANSWER_LIMIT_MS = 10_000;

export interface WaitingHostOptions {
  /** Aborted if the host cancels. */
  readonly signal?: AbortSignal | undefined;
  /** How long it has waited already. */
  readonly waitedMs?: number | undefined;
  /** Resolves when its request is over: whether the whole answer was sent. Missing if that is not known. */
  readonly answered?: Promise<boolean> | undefined;
}

/** A host that waits for the outcome of a write: at most ten seconds, and not after it cancels. */
export class WaitingHost {
  readonly answered: Promise<boolean> | undefined;
  readonly #clock: Clock;
  readonly #timeLimitAt: number;
  readonly #ended = new AbortController();
  readonly #stopped: Promise<'timed_out' | 'cancelled'>;

  constructor(clock: Clock, { signal, waitedMs = 0, answered }: WaitingHostOptions = {}) {
    this.#clock = clock;
    this.answered = answered;
    this.#timeLimitAt = clock.monotonic() + ANSWER_LIMIT_MS - waitedMs;
    this.#stopped = new Promise((resolve) => {
      const listenerOptions = { signal: this.#ended.signal };
      clock.sleep(Math.max(0, this.remainingMs()), this.#ended.signal).then(
        () => resolve('timed_out'),
        () => {},
      );
      signal?.addEventListener('abort', () => resolve('cancelled'), listenerOptions);
      if (signal?.aborted) resolve('cancelled');
    });
  }

  /** Waits until `work` ends. Returns why the host stopped waiting, or undefined if `work` ended first. */
  async waitFor(work: Promise<unknown>): Promise<'timed_out' | 'cancelled' | undefined> {
    return Promise.race([this.#stopped, work.then(() => undefined)]);
  }

  /** Waits for that time. Returns why the host stopped waiting, or undefined if it waits still. */
  pause(milliseconds: number): Promise<'timed_out' | 'cancelled' | undefined> {
    return this.waitFor(this.#clock.sleep(milliseconds));
  }

  remainingMs(): number {
    return this.#timeLimitAt - this.#clock.monotonic();
  }

  end(): void {
    this.#ended.abort();
  }
}
