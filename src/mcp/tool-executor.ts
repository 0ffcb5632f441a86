/**
 * From arguments to an answer that can be shown, or to an error that can: what tools and resources have in common.
 */
import { createHash } from 'node:crypto';
import type { BudgetClient } from '../client/budget-client.ts';
import type { Simulation } from '../client/simulation.ts';
import { BudgetError } from '../errors.ts';
import { formatConfirmation } from '../format/dry-run.ts';
import { listProblems, word } from '../format/text.ts';
import { formatToolResult, type ToolResult } from '../format/tool-result.ts';
import { excessPrecision } from '../format/units.ts';
import type { BudgetSummary } from '../operations/budgets.ts';
import { type Clock, dateOf } from '../platform/clock.ts';
import type { ConsentQuestion } from './confirmation.ts';
import type { DisplayOptions, ToolDefinition } from './tool-definition.ts';

/** Where unexpected errors go. */
export interface ErrorLog {
  error(details: { err: unknown; operation: string }, message: string): void;
}

export interface ToolExecutorOptions {
  readonly client: Pick<BudgetClient, 'call' | 'readLocally' | 'budgetOf' | 'simulate' | 'isRepeated'>;
  readonly clock: Clock;
  readonly log: ErrorLog;
  /** What every answer has to say, such as that the data is invented. */
  readonly notice?: string | undefined;
  /** Whose calls they are, where there are several callers. */
  readonly caller?: string | undefined;
}

/** A question that has been understood: which budget, and what exactly. */
export interface ResolvedCall {
  readonly tool: ToolDefinition;
  /** With the budget's id. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly display: DisplayOptions;
  readonly budget?: BudgetSummary | undefined;
}

export class ToolExecutor {
  readonly #options: ToolExecutorOptions;

  constructor(options: ToolExecutorOptions) {
    this.#options = options;
  }

  /** `args` is what the surface's `input` parsed. Throws `invalid_input` for what only the budget's currency forbids. */
  async resolve(
    surface: ToolDefinition,
    args: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<ResolvedCall> {
    const { input: own, view } = surface.splitArguments(args);
    const budget = await this.#options.client.budgetOf(surface.operation, own, signal);
    const today = this.#today();
    const input = inputOf(own, budget, today);
    const digits = budget?.currency_format?.decimal_digits ?? 3;
    const problems = [
      ...excessPrecision(surface.operation.input, own, Math.min(digits, 3)).map(
        (path) =>
          `${path} has more decimals than ${word(budget?.currency_format?.iso_code ?? '')} takes (${digits})`,
      ),
      ...(surface.operation.check?.(input, today) ?? []),
    ];
    if (problems.length > 0) throw new BudgetError('invalid_input', `${listProblems(problems)}.`);
    return { tool: surface, input, display: view, budget };
  }

  /** The same question today, with nobody asked which budget is meant. */
  resolveAgain({ tool, budget }: ResolvedCall, args: Readonly<Record<string, unknown>>): ResolvedCall {
    const { input: own, view } = tool.splitArguments(args);
    return { tool, input: inputOf(own, budget, this.#today()), display: view, budget };
  }

  #today(): string {
    return dateOf(this.#options.clock.now());
  }

  /**
   * `onBytes` is told how much of a large budget has come. With `isRepeat` a write only gives what has become of an equal
   * one before, and nothing is sent.
   */
  async run(
    { tool, input, display }: ResolvedCall,
    signal?: AbortSignal,
    onBytes?: (received: number) => void,
    isRepeat = false,
  ): Promise<ToolResult> {
    const { client, caller, notice } = this.#options;
    const answer = await client.call(tool.operation, input, signal, onBytes, caller, isRepeat);
    return formatToolResult(tool, answer, { input, view: display, notice });
  }

  /** Whether a write would only be told what has become of an equal one before. */
  isRepeated({ tool, input }: ResolvedCall): boolean {
    return this.#options.client.isRepeated(tool.operation, input, this.#options.caller);
  }

  /**
   * What an answer from what is held would say today, apart from how fresh it is; undefined where nothing of use is
   * held, and null where there is no such thing.
   */
  readLocally({ tool, input, display, budget }: ResolvedCall): Record<string, unknown> | null | undefined {
    const held = this.#options.client.readLocally(tool.operation, input);
    if (!held?.data) return held && null;
    const as_of = new Date(held.asOf).toISOString();
    const freshness = { as_of, source: 'replica', requests_left: 0 } as const;
    const answer = { data: held.data, ...(budget && { budget }), freshness };
    // The knowledge grows with whatever changes in the budget.
    const {
      freshness: _freshness,
      server_knowledge: _knowledge,
      ...said
    } = formatToolResult(tool, answer, { input, view: display }).structured;
    return said;
  }

  /** What a write would do, with nothing written; and the question about it, unless it would be refused. */
  async simulate(
    question: ResolvedCall,
    signal?: AbortSignal,
  ): Promise<{ presented: ToolResult; consent?: ConsentQuestion }> {
    const { tool, input, display, budget } = question;
    const preview = await this.#options.client.simulate(tool.operation, input, signal);
    const { current, freshness, problems } = preview;
    const answer = { data: current, ...(budget && { budget }), freshness };
    return {
      presented: formatToolResult(tool, answer, {
        input,
        view: display,
        notice: this.#options.notice,
        preview,
      }),
      ...(problems.length === 0 && { consent: consentOf(question, preview) }),
    };
  }

  /**
   * What to ask the person before a write is carried out. Throws `invalid_input` where it would be refused anyway:
   * nobody is asked for consent to nothing.
   */
  async confirmationMessage(question: ResolvedCall, signal?: AbortSignal): Promise<ConsentQuestion> {
    const { tool, input } = question;
    const { operation } = tool;
    const preview = await this.#options.client.simulate(operation, input, signal);
    if (preview.problems.length > 0)
      throw new BudgetError('invalid_input', `${operation.title}: ${listProblems(preview.problems)}.`);
    return consentOf(question, preview);
  }

  /** What to tell a model. An unexpected error is a bug: its message stays in the log. */
  explainError(error: unknown, operation: string): string {
    if (error instanceof BudgetError) return error.explanation;
    this.#options.log.error({ err: error, operation }, 'internal error');
    return 'Internal error in this server. The details are in its log; trying again will hardly help.';
  }
}

/** Which tool with which arguments, the budget included. */
export const callDigest = ({ tool, input }: ResolvedCall): string => digestOf([tool.operation.name, input]);

function consentOf({ tool, input, budget }: ResolvedCall, preview: Simulation): ConsentQuestion {
  const ask = (shown: Simulation) => formatConfirmation(tool.operation, input, shown, budget);
  const { current, effects, freshness } = preview;
  // Why the data is old and since when may be told in other words each time; that it is old is part of the question.
  const { stale_reason, ...young } = freshness;
  const facts = ask({ ...preview, freshness: young });
  return {
    text: ask(preview),
    preview: digestOf([facts, current, effects, stale_reason !== undefined]),
  };
}

/** The order of properties makes no difference. */
function digestOf(value: unknown): string {
  const canonical = JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
  return createHash('sha256').update(canonical).digest('base64url');
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
