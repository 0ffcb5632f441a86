/** A call that writes: what makes two of them equal, and what its host is told where nothing better is known. */
import { BudgetError } from '../errors.ts';
import { ANSWER_MS } from './waiting-host.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface WriteCall {
  /** Whose it is, where there are several callers. */
  readonly caller: string;
  readonly tool: string;
  readonly title: string;
  readonly budgetId: string;
  /** With every name replaced by what it stands for. */
  readonly input: Fields;
}

/** The same for equal arguments, in whatever order they were given. */
export const keyOf = ({ caller, tool, input }: WriteCall): string =>
  JSON.stringify([caller, tool, input], (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

export const cancelledUnsent = () =>
  new BudgetError('cancelled', 'The call was cancelled before anything was sent.');

export const cancelledSent = ({ title }: WriteCall) =>
  new BudgetError('outcome_unknown', `${title}: the call was cancelled after it had been sent.`);

export const answeredMeanwhile = ({ title }: WriteCall) =>
  new BudgetError('not_written', `${title}: the equal call before it was answered meanwhile.`);

export const notCarriedOut = ({ title }: WriteCall) =>
  new BudgetError('not_written', `${title}: the equal call before it was not carried out.`);

export const notSent = ({ title }: WriteCall) =>
  new BudgetError(
    'not_written',
    `${title}: nothing was sent within ${ANSWER_MS / 1_000} s; what is before it takes longer.`,
  );

export const unsettled = ({ title }: WriteCall) =>
  new BudgetError(
    'outcome_unknown',
    `${title}: after ${ANSWER_MS / 1_000} s the service has not said whether it was written. It is still being looked for.`,
  );

export const unknown = ({ title }: WriteCall, cause: BudgetError) =>
  new BudgetError(
    'outcome_unknown',
    `${title}: an equal call before may have been carried out. ${cause.message}`,
    {
      cause,
    },
  );
