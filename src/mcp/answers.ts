/**
 * From arguments to an answer that can be shown, or to an error that can: what tools and resources have in common.
 */
import type { BudgetClient } from '../client/budget-client.ts';
import { BudgetError } from '../errors.ts';
import { type Presented, present } from './present.ts';
import type { Surface } from './surface.ts';

/** Where unexpected errors go. */
export interface ErrorLog {
  error(details: { err: unknown; operation: string }, message: string): void;
}

export interface AnswersOptions {
  readonly client: Pick<BudgetClient, 'call'>;
  readonly log: ErrorLog;
  /** What every answer has to say, such as that the data is invented. */
  readonly notice?: string | undefined;
}

export class Answers {
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** `args` is what the surface's `input` parsed. */
  async answer(
    surface: Surface,
    args: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Presented> {
    const { input, view } = surface.part(args);
    const answer = await this.#options.client.call(surface.operation, input, signal);
    return present(surface, answer, { input, view, notice: this.#options.notice });
  }

  /** What to tell a model. An unexpected error is a bug: its message stays in the log. */
  explain(error: unknown, operation: string): string {
    if (error instanceof BudgetError) return `${error.message} ${error.advice}`;
    this.#options.log.error({ err: error, operation }, 'internal error');
    return 'Internal error in this server. The details are in its log; trying again will hardly help.';
  }
}
