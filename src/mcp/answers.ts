/**
 * From arguments to an answer that can be shown, or to an error that can: what tools and resources have in common.
 */
import type { BudgetClient } from '../client/budget-client.ts';
import { type Clock, dateOf } from '../clock.ts';
import { BudgetError } from '../errors.ts';
import type { BudgetSummary } from '../operations/budgets.ts';
import { type Presented, present } from './present.ts';
import { consentQuestion } from './previewed.ts';
import type { Surface, View } from './surface.ts';
import { tooFine } from './units.ts';

/** Where unexpected errors go. */
export interface ErrorLog {
  error(details: { err: unknown; operation: string }, message: string): void;
}

export interface AnswersOptions {
  readonly client: Pick<BudgetClient, 'call' | 'recall' | 'budgetOf' | 'preview' | 'isRepeated'>;
  readonly clock: Clock;
  readonly log: ErrorLog;
  /** What every answer has to say, such as that the data is invented. */
  readonly notice?: string | undefined;
  /** Whose calls they are, where there are several callers. */
  readonly caller?: string | undefined;
}

/** A question that has been understood: which budget, and what exactly. */
export interface Question {
  readonly surface: Surface;
  /** With the budget's id. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly view: View;
  readonly budget?: BudgetSummary | undefined;
}

export class Answers {
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** `args` is what the surface's `input` parsed. Throws `invalid_input` for what only the budget's currency forbids. */
  async understand(
    surface: Surface,
    args: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Question> {
    const { input: own, view } = surface.part(args);
    const budget = await this.#options.client.budgetOf(surface.operation, own, signal);
    const today = this.#today();
    const input = inputOf(own, budget, today);
    const digits = budget?.currency_format?.decimal_digits ?? 3;
    const problems = [
      ...tooFine(surface.operation.input, own, Math.min(digits, 3)).map(
        (path) => `${path} has more decimals than ${budget?.currency_format?.iso_code} takes (${digits})`,
      ),
      ...(surface.operation.check?.(input, today) ?? []),
    ];
    if (problems.length > 0) throw new BudgetError('invalid_input', `${problems.join('; ')}.`);
    return { surface, input, view, budget };
  }

  /** The same question today, with nobody asked which budget is meant. */
  again({ surface, budget }: Question, args: Readonly<Record<string, unknown>>): Question {
    const { input: own, view } = surface.part(args);
    return { surface, input: inputOf(own, budget, this.#today()), view, budget };
  }

  #today(): string {
    return dateOf(this.#options.clock.now());
  }

  /** `onBytes` is told how much of a large budget has come. */
  async answer(
    { surface, input, view }: Question,
    signal?: AbortSignal,
    onBytes?: (received: number) => void,
  ): Promise<Presented> {
    const { client, caller, notice } = this.#options;
    const answer = await client.call(surface.operation, input, signal, onBytes, caller);
    return present(surface, answer, { input, view, notice });
  }

  /** Whether a write would only be told what has become of an equal one before. */
  isRepeated({ surface, input }: Question): boolean {
    return this.#options.client.isRepeated(surface.operation, input, this.#options.caller);
  }

  /**
   * What an answer from what is held would say today, apart from how fresh it is; undefined where nothing of use is
   * held, and null where there is no such thing.
   */
  recall({ surface, input, view, budget }: Question): Record<string, unknown> | null | undefined {
    const held = this.#options.client.recall(surface.operation, input);
    if (!held?.data) return held && null;
    const as_of = new Date(held.asOf).toISOString();
    const freshness = { as_of, source: 'replica', requests_left: 0 } as const;
    const answer = { data: held.data, ...(budget && { budget }), freshness };
    // The knowledge grows with whatever changes in the budget.
    const {
      freshness: _freshness,
      server_knowledge: _knowledge,
      ...said
    } = present(surface, answer, { input, view }).structured;
    return said;
  }

  /** What a write would do, with nothing written. */
  async preview({ surface, input, view, budget }: Question, signal?: AbortSignal): Promise<Presented> {
    const preview = await this.#options.client.preview(surface.operation, input, signal);
    const { current, freshness } = preview;
    const answer = { data: current, ...(budget && { budget }), freshness };
    return present(surface, answer, { input, view, notice: this.#options.notice, preview });
  }

  /**
   * What to ask the person before a write is carried out. Throws `invalid_input` where it would be refused anyway:
   * nobody is asked for consent to nothing.
   */
  async consentQuestion(
    { surface: { operation }, input, budget }: Question,
    signal?: AbortSignal,
  ): Promise<string> {
    const preview = await this.#options.client.preview(operation, input, signal);
    if (preview.problems.length > 0)
      throw new BudgetError('invalid_input', `${operation.title}: ${preview.problems.join('; ')}.`);
    return consentQuestion(operation, input, preview, budget);
  }

  /** What to tell a model. An unexpected error is a bug: its message stays in the log. */
  explain(error: unknown, operation: string): string {
    if (error instanceof BudgetError) return error.explanation;
    this.#options.log.error({ err: error, operation }, 'internal error');
    return 'Internal error in this server. The details are in its log; trying again will hardly help.';
  }
}

function inputOf(
  own: Readonly<Record<string, unknown>>,
  budget: BudgetSummary | undefined,
  today: string,
): Record<string, unknown> {
  // A month that is told by "current" stays the same month until all is done.
  const month = own['month'] === 'current' && { month: `${today.slice(0, 7)}-01` };
  return { ...own, ...month, ...(budget && { budget_id: budget.id }) };
}
