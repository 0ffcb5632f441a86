/**
 * The one door to the budgeting service. It knows which budget is meant, whose token to send and how an operation
 * travels; it knows nothing of MCP or of how an answer looks. A call reads from top to bottom.
 */
import type { z } from 'zod';
import type { TokenProvider } from '../auth/token-provider.ts';
import type { Clock } from '../clock.ts';
import { type BudgetSummary, getBudget, listBudgets } from '../operations/budgets.ts';
import type { Operation } from '../operations/operation.ts';
import { BudgetDirectory } from './budget-directory.ts';
import { decode, encode } from './codec.ts';
import type { HttpSender } from './http-sender.ts';

export interface Answer<Data> {
  /** The response's `data`, amounts in milliunits. */
  readonly data: Data;
  /** The budget that the answer is about; none for questions about the user. */
  readonly budget?: BudgetSummary;
  readonly freshness: Freshness;
}

export interface Freshness {
  /** The answer held at this moment, as ISO 8601, or changed after it. */
  readonly as_of: string;
  readonly source: 'service';
}

export interface BudgetClientOptions {
  readonly tokens: TokenProvider;
  readonly sender: HttpSender;
  readonly clock: Clock;
  /** The id or name of the budget to use where a call names none. */
  readonly budget?: string;
}

export class BudgetClient {
  readonly #options: BudgetClientOptions;
  readonly #directory: BudgetDirectory;

  constructor(options: BudgetClientOptions) {
    this.#options = options;
    this.#directory = new BudgetDirectory({
      clock: options.clock,
      ...(options.budget !== undefined && { configured: options.budget }),
      list: (signal) => this.#ask(listBudgets, {}, signal),
      identify: async (literal, signal) =>
        (await this.#ask(getBudget, { budget_id: literal }, signal)).budget.id,
    });
  }

  /** Asks an operation with input that its schema has parsed. Expected failures are `BudgetError`s. */
  async call<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Answer<z.output<z.ZodObject<Output>>>> {
    const budget = await this.#budgetOf(operation, input, signal);
    const as_of = new Date(this.#options.clock.now()).toISOString();
    const data = await this.#ask(operation, budget ? { ...input, budget_id: budget.id } : input, signal);
    return { data, ...(budget && { budget }), freshness: { as_of, source: 'service' } };
  }

  async #budgetOf(operation: Operation, input: Readonly<Record<string, unknown>>, signal?: AbortSignal) {
    if (!('budget_id' in operation.input.shape)) return undefined;
    const { budget_id } = input;
    return this.#directory.resolve(typeof budget_id === 'string' ? budget_id : undefined, signal);
  }

  async #ask<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<z.output<z.ZodObject<Output>>> {
    const { baseUrl, token } = await this.#options.tokens.credential();
    const request = encode(operation, input, baseUrl);
    const authorization = `Bearer ${token}`;
    const response = await this.#options.sender.send(
      { ...request, headers: { ...request.headers, authorization } },
      signal,
    );
    return decode(operation, response);
  }
}
