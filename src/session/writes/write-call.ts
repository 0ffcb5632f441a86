/** A call that writes: its equality with other calls, and the errors for hosts that get no outcome. */

import { BudgetError } from '../../base/errors.ts';
import { canonicalJson, type JsonObject } from '../../base/json.ts';
import { ANSWER_LIMIT_MS } from './waiting-host.ts';

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
