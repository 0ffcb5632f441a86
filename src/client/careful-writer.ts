/**
 * Writes that happen once. A write whose answer was lost may have happened: it is looked for in what the budget shows
 * as changed since just before, and repeated only if it is not there. It knows when a write is in doubt; how a write
 * shows is in the operation's own entry (`recover`).
 */
import type { z } from 'zod';
import { type Clock, type Moment, momentOf } from '../clock.ts';
import { BudgetError } from '../errors.ts';
import { listAccounts } from '../operations/accounts.ts';
import { twinsOf } from '../operations/agreement.ts';
import { type BudgetExport, getBudget } from '../operations/budgets.ts';
import { type Ask, type DataOf, inputFor, type Operation } from '../operations/operation.ts';
import type { Baselines } from './baselines.ts';
import { knowledgeOf } from './codec.ts';

type Input = Readonly<Record<string, unknown>>;

/** How the writer reaches the service. */
export interface ServicePort {
  /** One request, for one answer. */
  send<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Input,
  ): Promise<DataOf<Output>>;
  /** A read, repeated where that may help; with `since` only what has changed after that knowledge. */
  read<Output extends z.ZodRawShape>(
    operation: Operation<z.ZodRawShape, Output>,
    input: Input,
    since?: number,
    limits?: ReadLimits,
  ): Promise<DataOf<Output>>;
}

export interface ReadLimits {
  /** Whose part of the rate budget it is; by default the write's. */
  readonly spending?: 'read' | 'write';
  readonly timeoutMs?: number;
}

export interface Written<Data> {
  readonly data: Data;
  /** `confirmed_afterwards`: the answer was lost, and the budget shows that the write has happened. */
  readonly outcome: 'written' | 'confirmed_afterwards';
  /** Nothing where it could not be read, since the write itself has succeeded. */
  readonly aftermath?: Aftermath;
  /** Of a creation: ids of what else has come in that looks just like it, as a request does that arrives twice. */
  readonly twins?: readonly string[];
}

/** What has changed in a budget since just before a write, each whole. */
export interface Aftermath {
  readonly delta: BudgetExport;
  /** The knowledge that it starts from. */
  readonly since: number;
  /** When it was asked for. */
  readonly asOf: Moment;
}

/** How soon what broke off is looked for: mostly it is done by then, */
const SETTLING_MS = 1_000;
/** but the service may be at work on it for so long (specification, Limits): until then, nothing there means nothing. */
const PROCESSING_MS = 30_000;

/** How long a write that has succeeded waits to be told what it changed: longer, and its host might give it up. */
const AFTERMATH_MS = 3_000;

export class CarefulWriter {
  readonly #service: ServicePort;
  readonly #baselines: Baselines;
  readonly #clock: Clock;
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(service: ServicePort, baselines: Baselines, clock: Clock) {
    this.#service = service;
    this.#baselines = baselines;
    this.#clock = clock;
  }

  /**
   * `input` names the budget by id. Throws the service's refusal; `not_written` where the budget does not have it;
   * `outcome_unknown` where that cannot be told; `cancelled` where `signal` is aborted before it is sent. Once it is
   * sent, it is seen through to its end, whether its caller waits or not.
   */
  write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    budgetId: string,
    signal?: AbortSignal,
  ): Promise<Written<DataOf<Output>>> {
    // One at a time for each budget, up to its aftermath: two equal entries that are made at once could not be told
    // apart, and each would be taken for a twin of the other.
    const turn = (this.#queues.get(budgetId) ?? Promise.resolve()).then(() =>
      this.#write(operation, input, budgetId, signal),
    );
    this.#queues.set(
      budgetId,
      turn.catch(() => {}),
    );
    return turn;
  }

  /** Resolves when no write is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#queues.values());
  }

  async #write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    budgetId: string,
    signal: AbortSignal | undefined,
  ): Promise<Written<DataOf<Output>>> {
    const since = await this.#baseline(operation, budgetId);
    if (signal?.aborted)
      throw new BudgetError('cancelled', 'The call was cancelled before anything was sent.');
    const written = await this.#baselines.during(budgetId, async (learn) => {
      const written = await this.#attempt(operation, input, since);
      const knowledge = knowledgeOf(written.data);
      if (knowledge !== undefined) learn(knowledge);
      return written;
    });
    const aftermath = await this.#aftermath(budgetId, since);
    if (!aftermath) return written;
    if (operation.effect !== 'create') return { ...written, aftermath };
    const { accounts, transactions, scheduled_transactions } = aftermath.delta.budget;
    const changed = [...accounts, ...transactions, ...scheduled_transactions];
    return { ...written, aftermath, twins: twinsOf(rowsOf(written.data), changed) };
  }

  async #attempt<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    since: number,
  ): Promise<Written<DataOf<Output>>> {
    let doubt: BudgetError | undefined;
    // A request that timed out may still be on its way.
    let isUnderWay = false;
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const sentAt = this.#clock.now();
      try {
        return { data: await this.#service.send(operation, input), outcome: 'written' };
      } catch (error) {
        if (!(error instanceof BudgetError)) throw error;
        // A refusal is the last word, unless it may refuse what an earlier attempt has already done.
        if (!error.mayHaveHappened && !doubt) throw error;
        isUnderWay ||= error.code === 'timed_out' || error.code === 'gateway_timed_out';
        const look = () => this.#recover(operation, input, since, error);
        const data = error.mayHaveHappened ? await this.#find(look, sentAt) : await look();
        if (data) return { data, outcome: 'confirmed_afterwards' };
        if (!error.mayHaveHappened && !(isUnderWay && error.retryable)) throw error;
        doubt = error;
        // What the service is still at work on must not be sent again.
        if (!error.mayHaveHappened || error.code === 'gateway_timed_out') break;
      }
    }
    const code = isUnderWay ? 'outcome_unknown' : 'not_written';
    throw new BudgetError(code, `${operation.title}: ${doubt?.message ?? ''}`, { cause: doubt });
  }

  /** What the budget knew just before a write. Where that cannot be read, nothing is sent. */
  async #baseline(operation: Pick<Operation, 'title'>, budgetId: string): Promise<number> {
    const known = this.#baselines.of(budgetId);
    if (known?.isRecent) return known.knowledge;
    try {
      const about = { budget_id: budgetId };
      const { server_knowledge } = await this.#service.read(listAccounts, about, known?.knowledge);
      return server_knowledge;
    } catch (error) {
      if (!(error instanceof BudgetError && error.mayHaveHappened)) throw error;
      throw new BudgetError('not_written', `${operation.title}: nothing was sent. ${error.message}`, {
        cause: error,
      });
    }
  }

  /** Looks soon and, where there is nothing yet, again when the service is no longer at work on it. */
  async #find<Data>(look: () => Promise<Data | undefined>, sentAt: number): Promise<Data | undefined> {
    await this.#clock.sleep(SETTLING_MS);
    const found = await look();
    const left = sentAt + PROCESSING_MS - this.#clock.now();
    if (found || left <= 0) return found;
    await this.#clock.sleep(left);
    return look();
  }

  /** What a lost answer would have said; undefined where the budget shows that the write has not happened. */
  async #recover<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    since: number,
    error: BudgetError,
  ): Promise<DataOf<Output> | undefined> {
    const ask: Ask = (read) => this.#service.read(read, inputFor(read, input), read.rows && since);
    try {
      return await operation.recover?.(ask, input);
    } catch (cause) {
      if (!(cause instanceof BudgetError)) throw cause;
      if (cause.code === 'resource_not_found') return undefined;
      throw new BudgetError(
        'outcome_unknown',
        `${operation.title}: ${error.message} Whether it was written could not be found out.`,
        { cause },
      );
    }
  }

  async #aftermath(budgetId: string, since: number): Promise<Aftermath | undefined> {
    const asOf = momentOf(this.#clock);
    try {
      return {
        delta: await this.#service.read(getBudget, { budget_id: budgetId }, since, {
          spending: 'read',
          timeoutMs: AFTERMATH_MS,
        }),
        since,
        asOf,
      };
    } catch (error) {
      if (error instanceof BudgetError) return undefined;
      throw error;
    }
  }
}

/** What came back, be it one or many. */
function rowsOf(data: Input): Input[] {
  return Object.values(data)
    .flat()
    .filter((value): value is Input => typeof value === 'object' && value !== null);
}
