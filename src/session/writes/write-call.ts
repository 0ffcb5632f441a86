/** A call that writes: its equality with other calls, its host, which waits for the outcome, and the errors for hosts that get none. */
import { z } from 'zod';
import { OVER, onAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { BudgetError, type ErrorCode } from '../../base/errors.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';

export const writeCall = z.object({
  /** Who calls, the same on all machines: by the grant on a hosted server, else by the token of the request. Empty by stdio. */
  caller: z.string(),
  tool: z.string(),
  title: z.string(),
  budgetId: z.string(),
  /** The arguments, with names replaced by ids. */
  input: z.record(z.string(), z.unknown()).readonly(),
  /** A digest of what the call reads and the arguments only name, such as a file. It does not distinguish calls. */
  source: z.string().optional(),
});

export type WriteCall = Readonly<z.output<typeof writeCall>>;

/** Equal for equal calls. The order of the arguments does not matter. */
export const keyOf = ({ caller, tool, input }: WriteCall): string => canonicalJson([caller, tool, input]);

/** True if a call with these resolved arguments may equal an earlier one. A tool may give others to its write, but not other texts. */
export const mayEqual = ({ input }: WriteCall, other: JsonObject): boolean =>
  Object.entries(other).every(
    ([name, value]) => typeof value !== 'string' || (input[name] ?? value) === value,
  );

/** Shorter than the time limits of hosts: many give up after about 20 s and would then never get the outcome. */
export const ANSWER_LIMIT_MS = 10_000;

const inTime = `${ANSWER_LIMIT_MS / 1_000} s`;

export const cancelledBeforeSending = () =>
  new BudgetError('cancelled', 'The call was cancelled before anything was sent.');

/** `text` follows the title of the write. */
export const failed = ({ title }: WriteCall, code: ErrorCode, text: string) =>
  new BudgetError(code, `${title}: ${text}`);

const ends = {
  cancelled: 'the call was cancelled after it had been sent.',
  timed_out: `after ${inTime} there is no outcome. It is still being looked for.`,
};

/** For a write that was sent. */
export const notAwaited = (call: WriteCall, end: 'timed_out' | 'cancelled') =>
  failed(call, 'outcome_unknown', ends[end]);

/** `wait` says in sentences which other write it has waited for, if it has. */
export const notSentInTime = (call: WriteCall, wait = 'Earlier reads took too long.') =>
  failed(call, 'not_written', `nothing was sent within ${inTime}. ${wait}`);

export const earlierUnknown = ({ title }: WriteCall, cause: BudgetError) => {
  const message = `${title}: an earlier equal call may have been carried out. ${cause.message}`;
  return new BudgetError('outcome_unknown', message, { cause });
};

/** `since` says in a sentence what has overtaken it. */
export const earlierPartlyWritten = ({ title }: WriteCall, cause: BudgetError, since?: string) => {
  const parts = [cause.message, since].filter(Boolean).join(' ');
  const message = `${title}: an earlier equal call was carried out in part, and nothing was sent now. ${parts}`;
  return new BudgetError('partly_written', message, { cause });
};

export interface WaitingHostOptions {
  readonly signal?: AbortSignal | undefined;
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
      const timeLimit = clock.sleep(Math.max(0, this.remainingMs()), this.#ended.signal);
      timeLimit.then(() => resolve('timed_out')).catch(() => {});
      const stopListening = onAbort(signal, () => resolve('cancelled'));
      onAbort(this.#ended.signal, stopListening);
    });
  }

  /** Waits until `work` ends. Returns why the host stopped waiting, or undefined if `work` ended first. */
  async waitFor(work: Promise<unknown>): Promise<'timed_out' | 'cancelled' | undefined> {
    return Promise.race([this.#stopped, work.then(() => undefined)]);
  }

  remainingMs(): number {
    return this.#timeLimitAt - this.#clock.monotonic();
  }

  end(): void {
    this.#ended.abort(OVER);
  }
}
