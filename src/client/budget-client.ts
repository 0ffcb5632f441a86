/**
 * The client of the budgeting service: who is signed in, whether that person may write, and who listens for changes. It
 * begins calls, which do the rest. It knows nothing of how a request travels, of MCP or of how an answer looks.
 */
import type { z } from 'zod';
import { BudgetError } from '../errors.ts';
import type { DataOf, Operation } from '../operations/operation.ts';
import type { BudgetSummary } from '../schema/budget.ts';
import type { Immutable } from '../schema/immutable.ts';
import { UnsettledWrites } from '../writes/unsettled-writes.ts';
import {
  BudgetCall,
  type CallDeps,
  type CallOptions,
  type ClientStatus,
  type OpenSession,
  type WriteRecord,
} from './budget-call.ts';
import type { CallResult } from './call-result.ts';
import {
  type AccountSession,
  type AccountSessionOptions,
  createAccountSession,
  createRateBudget,
} from './session.ts';

export interface BudgetClientOptions extends AccountSessionOptions {
  /** Told of every write once it has ended. */
  readonly onWrite?: (write: WriteRecord) => void;
  /** Refuse every write before any request. */
  readonly readOnly?: boolean;
}

/** Told of the budget whose data may be others now; of none when all may be, since somebody else is signed in. */
export type OnBudgetChange = (budgetId?: string) => void;

export class BudgetClient {
  readonly #options: BudgetClientOptions;
  #session: AccountSession | undefined;
  /** Of all sessions: a token that was exchanged for another one must not make an equal call a new write. */
  readonly #writes: UnsettledWrites;
  readonly #listeners = new Set<OnBudgetChange>();
  readonly #scopeListeners = new Set<() => void>();
  #readOnly: boolean;

  constructor(options: BudgetClientOptions) {
    this.#options = options;
    this.#writes = new UnsettledWrites(options.clock);
    this.#readOnly = options.readOnly ?? false;
  }

  /** Begins a call. Nothing is asked before its first question. */
  begin(options: CallOptions = {}): BudgetCall {
    return new BudgetCall(this.#deps(), options);
  }

  /** One operation as a call of its own, with input that its schema has parsed. */
  call<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    signal?: AbortSignal,
  ): Promise<CallResult<Immutable<DataOf<Output>>>> {
    const call = this.begin({ signal });
    return operation.kind === 'read' ? call.read(operation, input) : call.write(operation, input);
  }

  /** Whether writes are refused: by configuration, or because the token turned out to be read-only. */
  get readOnly(): boolean {
    return this.#readOnly;
  }

  /** The user's budgets, as far as they are known without asking anybody. */
  get knownBudgets(): readonly BudgetSummary[] {
    return this.#session?.directory.known ?? [];
  }

  /** `listener` hears of changes as syncs and writes bring them, until what is returned is called. */
  onChange(listener: OnBudgetChange): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `listener` hears whenever `readOnly` has become another, until what is returned is called. */
  onReadOnlyChanged(listener: () => void): () => void {
    this.#scopeListeners.add(listener);
    return () => this.#scopeListeners.delete(listener);
  }

  /** Resolves when no write is to be sent or answered any more. */
  async writesSettled(): Promise<void> {
    await this.#writes.drained();
  }

  /** What is held and what may still be asked; asks the service nothing. */
  async status(caller = ''): Promise<ClientStatus> {
    const token = await this.#options.tokens.describe().catch((error: unknown) => {
      if (error instanceof BudgetError) return error;
      throw error;
    });
    return {
      requests: await (this.#session?.rateBudget ?? createRateBudget(this.#options)).status(),
      replicas: this.#session?.replicas?.status() ?? {
        cached: [],
        syncs: 0,
        loads: 0,
        bytes: 0,
        too_large: [],
        failing: [],
      },
      hits: this.#session?.freshness?.hits ?? 0,
      // Of a sign-in before, only what is about budgets that this one may see as well.
      writes: this.#writes
        .status(caller)
        .filter(({ budget_id }) => this.knownBudgets.some(({ id }) => id === budget_id)),
      read_only: this.#readOnly,
      token,
    };
  }

  #deps(): CallDeps {
    const { clock, onWrite, readOnly } = this.#options;
    const client = this;
    return {
      clock,
      writes: this.#writes,
      openSession: (signal) => this.#openSession(signal),
      get lastSession() {
        return client.#session;
      },
      status: (caller) => this.status(caller),
      checkWritable: (title) => {
        if (this.#readOnly)
          throw new BudgetError(
            readOnly ? 'read_only' : 'unauthorized_scope',
            `${title} was not carried out.`,
          );
      },
      writeEnded: (record) => onWrite?.(record),
      budgetChanged: (budgetId) => this.#changed(budgetId),
      scopeRefused: (session) => {
        if (session === this.#session) this.#setReadOnly(true);
      },
    };
  }

  /** The session of the person who is signed in now. */
  async #openSession(signal?: AbortSignal): Promise<OpenSession> {
    const { signIn, scope, endsAt } = await this.#options.tokens.credential(signal);
    const former = this.#session;
    if (former?.signIn === signIn) return { session: former, signInEndsAt: endsAt };
    this.#setReadOnly(this.#options.readOnly === true || scope === 'read-only');
    const session = createAccountSession(this.#options, signIn, (budgetId) => this.#changed(budgetId));
    this.#session = session;
    if (former) this.#changed();
    return { session, signInEndsAt: endsAt };
  }

  #setReadOnly(readOnly: boolean): void {
    if (this.#readOnly === readOnly) return;
    this.#readOnly = readOnly;
    for (const listener of this.#scopeListeners) listener();
  }

  #changed(budgetId?: string): void {
    for (const listener of this.#listeners) listener(budgetId);
  }
}
