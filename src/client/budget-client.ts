/**
 * The one door to the budgeting service. It knows which budget is meant, whose token to send and how an operation
 * travels; it knows nothing of MCP or of how an answer looks. A call reads from top to bottom.
 */
import { randomInt } from 'node:crypto';
import type { z } from 'zod';
import type { TokenProvider } from '../auth/token-provider.ts';
import type { Clock } from '../clock.ts';
import { BudgetError } from '../errors.ts';
import { type BudgetExport, type BudgetSummary, getBudget, listBudgets } from '../operations/budgets.ts';
import type { DataOf, Immutable, Operation } from '../operations/operation.ts';
import { getUser } from '../operations/user.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import { ReplicaCache, type ReplicaSource } from '../replica/replica-cache.ts';
import { BudgetDirectory } from './budget-directory.ts';
import { CarefulWriter, type Written } from './careful-writer.ts';
import { decode, encode, knowledgeOf } from './codec.ts';
import { HeldBudgets } from './held-budgets.ts';
import type { HttpRequest, HttpResponse, HttpSender, OnBytes } from './http-sender.ts';
import { type Preview, preview } from './preview.ts';
import { type Attempt, type RateBudget, type RateStatus, RollingRateBudget } from './rate-budget.ts';
import { delayBeforeRetry } from './retry.ts';

/** What has changed in a budget since just before a write, each whole. */
export type Aftermath = Pick<
  BudgetExport['budget'],
  'accounts' | 'categories' | 'transactions' | 'scheduled_transactions'
>;

export interface Answer<Data> {
  /** The response's `data`, amounts in milliunits. */
  readonly data: Data;
  /** The budget that the answer is about; none for questions about the user. */
  readonly budget?: BudgetSummary;
  readonly freshness: Freshness;
  /** Of a write, as of those below. */
  readonly outcome?: Written<Data>['outcome'];
  readonly aftermath?: Aftermath;
  readonly twins?: readonly string[];
}

export interface Freshness {
  /** The answer held at this moment, as ISO 8601, or changed after it. */
  readonly as_of: string;
  /** Asked of the service just now, or taken from the replica that is held. */
  readonly source: 'service' | 'replica';
  /** How many requests the service still allows in this hour, as far as is known. */
  readonly requests_left: number;
  /** Why the answer is older than it should be. */
  readonly overdue?: string;
}

export interface ClientStatus {
  readonly requests: RateStatus;
  readonly replicas: ReturnType<ReplicaCache['status']>;
  /** Answers that cost no request. */
  readonly hits: number;
  readonly read_only: boolean;
}

export interface Refreshed {
  readonly budget: BudgetSummary;
  readonly freshness: Freshness;
  readonly server_knowledge: number;
  readonly bytes: number;
}

export interface BudgetClientOptions {
  readonly tokens: TokenProvider;
  readonly sender: HttpSender;
  readonly clock: Clock;
  /** The id or name of the budget to use where a call names none. */
  readonly budget?: string;
  /** Refuse every write before any request. */
  readonly readOnly?: boolean;
  /** The requests of this hour; by default counted for this client alone. */
  readonly rateBudget?: RateBudget;
  /** How much may be held of budgets; 0 to ask the service each time. */
  readonly cacheBytes?: number;
}

type Input = Readonly<Record<string, unknown>>;

interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Only what has changed after this knowledge. */
  readonly since?: number | undefined;
  readonly onBytes?: OnBytes | undefined;
  readonly timeoutMs?: number | undefined;
  /** Whose part of the rate budget it is; what a write reads for its own sake is the write's. */
  readonly spending?: 'read' | 'write';
}

export class BudgetClient {
  readonly #options: BudgetClientOptions;
  readonly #directory: BudgetDirectory;
  readonly #writer: CarefulWriter;
  readonly #rateBudget: RateBudget;
  readonly #replicas: ReplicaCache | undefined;
  readonly #held: HeldBudgets | undefined;
  /** A token's user never changes. */
  #user: { readonly asOf: number; readonly data: Promise<DataOf<typeof getUser.output.shape>> } | undefined;
  #readOnly: boolean;

  constructor(options: BudgetClientOptions) {
    this.#options = options;
    this.#readOnly = options.readOnly ?? false;
    this.#directory = new BudgetDirectory({
      clock: options.clock,
      ...(options.budget !== undefined && { configured: options.budget }),
      list: () => this.#read(listBudgets, {}),
      identify: async (literal, signal) =>
        (await this.#read(getBudget, { budget_id: literal }, { signal })).budget.id,
    });
    const { clock, rateBudget = new RollingRateBudget({ clock }), cacheBytes = 0 } = options;
    this.#rateBudget = rateBudget;
    this.#writer = new CarefulWriter(
      {
        send: (operation, input) => this.#ask(operation, input, { spending: 'write' }),
        // What is only told beside a write is not worth what is held back for writes.
        read: (operation, input, since, { spending = 'write', timeoutMs } = {}) =>
          this.#read(operation, input, { since, spending, timeoutMs }),
      },
      clock,
    );
    if (cacheBytes > 0) {
      const source: ReplicaSource = (budget_id, since, signal, onBytes) =>
        this.#read(getBudget, { budget_id }, { signal, since, onBytes });
      this.#replicas = new ReplicaCache({ clock, source, maxBytes: cacheBytes });
      this.#held = new HeldBudgets({ clock, rateBudget, replicas: this.#replicas });
    }
  }

  /** Whether writes are refused: by configuration, or because the token turned out to be read-only. */
  get readOnly(): boolean {
    return this.#readOnly;
  }

  /** Asks an operation with input that its schema has parsed. Expected failures are `BudgetError`s. */
  async call<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    signal?: AbortSignal,
    onBytes?: OnBytes,
  ): Promise<Answer<Immutable<DataOf<Output>>>> {
    if (operation.effect !== 'read' && this.#readOnly)
      throw new BudgetError(
        this.#options.readOnly ? 'read_only' : 'unauthorized_scope',
        `${operation.title} was not carried out.`,
      );
    const budget = await this.budgetOf(operation, input, signal);
    const asked = budget ? { ...input, budget_id: budget.id } : input;
    const about = budget && { budget };
    if (operation.effect !== 'read' && budget) {
      const sentAt = this.#options.clock.now();
      const written = await this.#write(operation, asked, budget.id, signal);
      return { ...about, ...written, freshness: await this.#freshness(sentAt, 'service') };
    }
    const usable = budget && operation.answer && (await this.#held?.use(budget.id, signal, onBytes));
    const data = usable && answerFrom(usable.replica, operation, asked);
    if (data)
      return { ...about, data, freshness: await this.#freshness(usable.asOf, 'replica', usable.overdue) };
    const small = this.#held && (await this.#small(operation, asked, this.#held, signal));
    if (small)
      return {
        data: operation.output.parse(small.data),
        freshness: await this.#freshness(small.asOf, 'replica'),
      };
    const askedAt = this.#options.clock.now();
    const told = await this.#read(operation, asked, { signal });
    return { ...about, data: told, freshness: await this.#freshness(askedAt, 'service') };
  }

  /** What is not of one budget, changes seldom, and is held by itself: who the user is, and which budgets there are. */
  async #small(operation: Operation, input: Input, held: HeldBudgets, signal?: AbortSignal) {
    if (operation.name === getUser.name) {
      this.#user ??= { asOf: this.#options.clock.now(), data: this.#read(getUser, {}) };
      const { asOf, data } = this.#user;
      data.catch(() => {
        this.#user = undefined;
      });
      return { asOf, data: await data };
    }
    if (operation.name !== listBudgets.name || input['include_accounts']) return undefined;
    const { list, readAt } = await this.#directory.current();
    const budgets = await held.withHeads(list.budgets, signal);
    const default_budget = budgets.find(({ id }) => id === list.default_budget?.id) ?? list.default_budget;
    return { asOf: readAt, data: { budgets, default_budget } };
  }

  async #freshness(asOf: number, source: Freshness['source'], overdue?: BudgetError): Promise<Freshness> {
    const { left } = await this.#rateBudget.status();
    const as_of = new Date(asOf).toISOString();
    return { as_of, source, requests_left: left, ...(overdue && { overdue: overdue.message }) };
  }

  /** Resolves when no write is under way. */
  settled(): Promise<void> {
    return this.#writer.settled();
  }

  /** What is held and what may still be asked; asks nothing. */
  async status(): Promise<ClientStatus> {
    return {
      requests: await this.#rateBudget.status(),
      replicas: this.#replicas?.status() ?? { held: [], syncs: 0, loads: 0, bytes: 0, too_large: [] },
      hits: this.#held?.hits ?? 0,
      read_only: this.#readOnly,
    };
  }

  /** Brings what is held of a budget up to date now; with `full`, loads it anew. */
  async refresh(wanted: string | undefined, full: boolean, signal?: AbortSignal): Promise<Refreshed> {
    const budget = await this.#directory.resolve(wanted, signal);
    if (!this.#replicas)
      throw new BudgetError('invalid_input', 'Nothing is held: every answer is asked anew.');
    const { asOf, replica } = full
      ? await this.#replicas.reload(budget.id, signal)
      : await this.#replicas.sync(budget.id, signal);
    return {
      budget,
      freshness: await this.#freshness(asOf, 'replica'),
      server_knowledge: replica.knowledge,
      bytes: replica.bytes,
    };
  }

  /** What a write would do; nothing is written. `input` names the budget by id. */
  async preview(operation: Operation, input: Input): Promise<Preview> {
    // What a person is asked to agree to is what there is now, not some seconds ago.
    const { budget_id } = input;
    if (typeof budget_id === 'string') await this.#held?.renew(budget_id);
    return preview(this, operation, input);
  }

  /** The budget that a call is about. */
  async budgetOf(
    operation: Operation,
    input: Input,
    signal?: AbortSignal,
  ): Promise<BudgetSummary | undefined> {
    if (!('budget_id' in operation.input.shape)) return undefined;
    const { budget_id } = input;
    return this.#directory.resolve(typeof budget_id === 'string' ? budget_id : undefined, signal);
  }

  async #read<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Input,
    options: AskOptions = {},
  ): Promise<DataOf<Output>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#ask(operation, input, options);
      } catch (error) {
        const delay = delayBeforeRetry(error, attempt, randomInt(1_000) / 1_000);
        if (delay === undefined) throw error;
        await this.#options.clock.sleep(delay, options.signal).catch(() => {
          throw new BudgetError('cancelled', 'The call was cancelled.');
        });
      }
    }
  }

  async #write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    budgetId: string,
    signal: AbortSignal | undefined,
  ): Promise<Omit<Answer<DataOf<Output>>, 'freshness'>> {
    try {
      const { aftermath, ...written } = await this.#writer.write(operation, input, budgetId, signal);
      this.#replicas?.written(budgetId);
      if (!aftermath) return written;
      this.#replicas?.learn(budgetId, aftermath.delta, aftermath.since, aftermath.asOf);
      return { ...written, aftermath: aftermath.delta.budget };
    } catch (error) {
      this.#replicas?.written(budgetId);
      if (error instanceof BudgetError && error.code === 'unauthorized_scope') this.#readOnly = true;
      throw error;
    }
  }

  async #ask<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Input,
    { since, spending = 'read', ...exchange }: AskOptions,
  ): Promise<DataOf<Output>> {
    const { baseUrl, token } = await this.#options.tokens.credential();
    const request = encode(operation, input, baseUrl, since);
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const { budget_id } = input;
    const learn = typeof budget_id === 'string' ? this.#writer.learner(budget_id) : undefined;
    const attempt = await this.#rateBudget.take(spending);
    const response = await this.#send({ ...request, headers }, attempt, exchange);
    const data = decode(operation, response);
    const knowledge = knowledgeOf(data);
    if (knowledge !== undefined) learn?.(knowledge);
    return data;
  }

  async #send(request: HttpRequest, attempt: Attempt, options: AskOptions): Promise<HttpResponse> {
    const { signal, onBytes, timeoutMs } = options;
    try {
      const response = await this.#options.sender.send(request, signal, onBytes, timeoutMs);
      await attempt.answered(response);
      return response;
    } catch (error) {
      await attempt.failed(error);
      throw error;
    }
  }
}

/** Undefined for an id that is not held: it may have come since, and if not, the service says so better. */
function answerFrom<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
  replica: BudgetReplica,
  operation: Operation<Input, Output>,
  input: z.output<z.ZodObject<Input>>,
): Immutable<DataOf<Output>> | undefined {
  try {
    return operation.answer?.(replica, input);
  } catch (error) {
    if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
    throw error;
  }
}
