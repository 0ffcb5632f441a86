/**
 * The one door to the budgeting service. It knows who is signed in, which budget is meant and whether that person may
 * write; it knows nothing of how a request travels, of MCP or of how an answer looks. A call reads from top to bottom.
 */
import type { z } from 'zod';
import type { TokenStatus } from '../auth/token-provider.ts';
import { BudgetError } from '../errors.ts';
import type { BudgetSummary } from '../operations/budgets.ts';
import type { DataOf, Immutable, Operation } from '../operations/operation.ts';
import type { CacheStatus } from '../replica/replica-cache.ts';
import type { CallResult, Freshness } from './call-result.ts';
import { evidenceOf } from './evidence.ts';
import type { Attendance } from './exactly-once-writer.ts';
import type { OnProgress } from './http-sender.ts';
import { readFromReplica } from './local-reads.ts';
import type { RateStatus } from './rate-budget.ts';
import { type Found, readBudget, readWithoutBudget } from './reads.ts';
import {
  type AccountSession,
  type AccountSessionOptions,
  createAccountSession,
  createRateBudget,
} from './session.ts';
import { type Simulation, simulate } from './simulation.ts';
import { UnsettledWrites, type WriteStatus } from './unsettled-writes.ts';
import type { WriteCall } from './write-call.ts';

export interface ClientStatus {
  readonly requests: RateStatus;
  readonly replicas: CacheStatus;
  /** Answers that cost no request. */
  readonly hits: number;
  /** Of one caller: writes that are not settled, or whose outcome was not delivered. */
  readonly writes: readonly WriteStatus[];
  readonly read_only: boolean;
  /** What is known of the token, or why it cannot be had. */
  readonly token: TokenStatus | BudgetError;
}

export interface RefreshResult {
  readonly budget: BudgetSummary;
  readonly freshness: Freshness;
  readonly server_knowledge: number;
  readonly bytes: number;
}

/** What became of a write, fit for a log: what was written is nobody's business. */
export interface WriteRecord {
  readonly tool: string;
  /** As the answer tells it; of one that failed, why. */
  readonly outcome: string;
}

export interface BudgetClientOptions extends AccountSessionOptions {
  /** Told of every write once it has ended. */
  readonly onWrite?: (write: WriteRecord) => void;
  /** Refuse every write before any request. */
  readonly readOnly?: boolean;
}

type Input = Readonly<Record<string, unknown>>;

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
  /** When the sign-in ends, if that is soon. */
  #endsAt: number | undefined;

  constructor(options: BudgetClientOptions) {
    this.#options = options;
    this.#writes = new UnsettledWrites(options.clock);
    this.#readOnly = options.readOnly ?? false;
  }

  /** Whether writes are refused: by configuration, or because the token turned out to be read-only. */
  get readOnly(): boolean {
    return this.#readOnly;
  }

  /** The user's budgets, as far as they are known without asking anybody. */
  get knownBudgets(): readonly BudgetSummary[] {
    return this.#session?.directory.known ?? [];
  }

  /**
   * Asks an operation with input that its schema has parsed. Expected failures are `BudgetError`s. `caller` says whose
   * call it is, where there are several: what has become of a write is told to its own caller alone. With `isRepeat`
   * nothing is done unless an equal write before is still to be answered.
   */
  async call<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>>,
    signal?: AbortSignal,
    onBytes?: OnProgress,
    caller = '',
    isRepeat = false,
  ): Promise<CallResult<Immutable<DataOf<Output>>>> {
    const session = await this.#current(signal);
    if (operation.kind !== 'read' && this.#readOnly)
      throw new BudgetError(
        this.#options.readOnly ? 'read_only' : 'unauthorized_scope',
        `${operation.title} was not carried out.`,
      );
    const budget = await budgetOf(session, operation, input, signal);
    const parts = { ...session, clock: this.#options.clock };
    if (!budget) {
      const { data, ...found } = await readWithoutBudget(parts, operation, input, signal);
      return { data, freshness: await this.#freshness(session, found) };
    }
    try {
      const about = { ...input, budget_id: budget.id };
      if (operation.kind !== 'read')
        return { budget, ...(await this.#runWrite(session, operation, about, { signal, caller, isRepeat })) };
      const { data, ...found } = await readBudget(parts, operation, about, signal, onBytes);
      return { budget, data, freshness: await this.#freshness(session, found) };
    } catch (error) {
      // What is held was synced a moment ago: then a read asked for something else that is not there.
      const isThere = operation.kind === 'read' && session.freshness?.has(budget.id);
      throw isThere ? error : await this.#whereGone(session, budget, error, signal);
    }
  }

  /** Where the service does not know what was asked for, the budget itself may be gone. */
  async #whereGone(
    { directory }: AccountSession,
    budget: BudgetSummary,
    error: unknown,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const isUnknown = error instanceof BudgetError && error.code === 'resource_not_found';
    if (!isUnknown) return error;
    return directory.recheck(budget, signal).then(
      () => error,
      (gone: unknown) => gone,
    );
  }

  /**
   * What a read of a budget would be answered with, however old, at no request; undefined where nothing of use is held.
   * `data` is missing where the budget has no such thing. `input` names the budget by id.
   */
  readLocally<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>> & { readonly budget_id?: unknown },
  ): { readonly data: Immutable<DataOf<Output>> | undefined; readonly asOf: number } | undefined {
    const { budget_id } = input;
    const held = typeof budget_id === 'string' ? this.#session?.replicas?.peek(budget_id) : undefined;
    if (!held || held.lacksWrite || !operation.readLocally) return undefined;
    return { data: readFromReplica(held.replica, operation, input), asOf: held.asOf.wall };
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
    await this.#writes.answered();
  }

  /** Whether a write would only be told what has become of an equal one before. `input` names the budget by id. */
  isRepeated(operation: Operation, input: Input, caller = ''): boolean {
    const { budget_id } = input;
    const call = writeCall(operation, input, String(budget_id), caller);
    return this.#writes.isRepeated(call);
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

  /** Brings what is held of a budget up to date now; with `full`, loads it anew. */
  async refresh(wanted: string | undefined, full: boolean, signal?: AbortSignal): Promise<RefreshResult> {
    const session = await this.#current(signal);
    const budget = await session.directory.resolve(wanted, signal);
    if (!session.freshness)
      throw new BudgetError('invalid_input', 'Nothing is held: every answer is asked anew.');
    try {
      const { asOf, replica, staleReason } = await session.freshness.refresh(budget.id, full, signal);
      return {
        budget,
        freshness: await this.#freshness(session, {
          asOf: asOf.wall,
          source: 'replica',
          overdue: staleReason,
        }),
        server_knowledge: replica.knowledge,
        bytes: replica.bytes,
      };
    } catch (error) {
      throw await this.#whereGone(session, budget, error, signal);
    }
  }

  /** What a write would do; nothing is written. `input` names the budget by id. */
  async simulate(operation: Operation, input: Input, signal?: AbortSignal): Promise<Simulation> {
    // What a person is asked to agree to is what there is now, not some seconds ago.
    const { budget_id } = input;
    if (typeof budget_id === 'string')
      await (await this.#current(signal)).freshness?.revalidate(budget_id, signal);
    return simulate(this, operation, input, signal);
  }

  /** The budget that a call is about. */
  async budgetOf(
    operation: Operation,
    input: Input,
    signal?: AbortSignal,
  ): Promise<BudgetSummary | undefined> {
    return budgetOf(await this.#current(signal), operation, input, signal);
  }

  async #freshness(
    { rateBudget }: AccountSession,
    { asOf, source, overdue }: Omit<Found<unknown>, 'data'>,
  ): Promise<Freshness> {
    const { left } = await rateBudget.status();
    return {
      as_of: new Date(asOf).toISOString(),
      source,
      requests_left: left,
      ...(overdue !== undefined && { stale_reason: overdue }),
      ...(this.#endsAt !== undefined && { sign_in_ends: new Date(this.#endsAt).toISOString() }),
    };
  }

  /** The session of whoever is signed in now. */
  async #current(signal?: AbortSignal): Promise<AccountSession> {
    const { signIn, scope, endsAt } = await this.#options.tokens.credential(signal);
    this.#endsAt = endsAt;
    if (this.#session?.signIn === signIn) return this.#session;
    this.#setReadOnly(this.#options.readOnly === true || scope === 'read-only');
    const former = this.#session;
    const session = createAccountSession(this.#options, signIn, (budgetId) => this.#changed(budgetId));
    this.#session = session;
    if (former) this.#changed();
    return session;
  }

  #setReadOnly(readOnly: boolean): void {
    if (this.#readOnly === readOnly) return;
    this.#readOnly = readOnly;
    for (const listener of this.#scopeListeners) listener();
  }

  #changed(budgetId?: string): void {
    for (const listener of this.#listeners) listener(budgetId);
  }

  /** Carries out a write, or gives what has become of an equal one whose outcome was not delivered. */
  async #runWrite<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    session: AccountSession,
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>> & { readonly budget_id: string },
    { signal, caller, isRepeat }: { signal: AbortSignal | undefined; caller: string; isRepeat: boolean },
  ): Promise<CallResult<DataOf<Output>>> {
    const sentAt = this.#options.clock.now();
    const result = await this.#writes.run(
      writeCall(operation, input, input.budget_id, caller),
      (attendance) => this.#write(session, operation, input, attendance),
      { signal, isRepeat },
    );
    const source = 'service';
    if ('own' in result)
      return { ...result.own, freshness: await this.#freshness(session, { asOf: sentAt, source }) };
    const { earlier, calledAt, settledAt } = result;
    return {
      ...earlier,
      data: operation.output.parse(earlier.data),
      earlier_call: new Date(calledAt).toISOString(),
      freshness: await this.#freshness(session, { asOf: settledAt, source }),
    };
  }

  async #write<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(
    session: AccountSession,
    operation: Operation<Input, Output>,
    input: z.output<z.ZodObject<Input>> & { readonly budget_id: string },
    attendance: Attendance,
  ): Promise<Omit<CallResult<DataOf<Output>>, 'freshness'>> {
    const { writer, replicas, marks } = session;
    const { budget_id } = input;
    try {
      const { deltaAfterWrite, ...written } = await writer.write(operation, input, budget_id, attendance);
      this.#options.onWrite?.({ tool: operation.name, outcome: written.outcome });
      // Of an answer that came, this was noted as it came.
      if (written.outcome === 'confirmed_afterwards')
        marks.recordWrite(budget_id, evidenceOf(operation.kind, written.data));
      if (deltaAfterWrite)
        replicas?.applyDelta(budget_id, deltaAfterWrite.delta, deltaAfterWrite.since, deltaAfterWrite.asOf);
      this.#changed(budget_id);
      return deltaAfterWrite ? { ...written, changed: deltaAfterWrite.delta.budget } : written;
    } catch (error) {
      const outcome = error instanceof BudgetError ? error.code : 'failed';
      this.#options.onWrite?.({ tool: operation.name, outcome });
      if (error instanceof BudgetError && error.outcomeUncertain) marks.recordWrite(budget_id);
      const isCurrent = session === this.#session;
      if (isCurrent && error instanceof BudgetError && error.code === 'unauthorized_scope')
        this.#setReadOnly(true);
      if (error instanceof BudgetError && (error.outcomeUncertain || error.code === 'cancelled'))
        this.#changed(budget_id);
      throw error;
    }
  }
}

const writeCall = (
  { name, title }: Operation,
  input: Input,
  budgetId: string,
  caller: string,
): WriteCall => ({
  caller,
  tool: name,
  title,
  budgetId,
  input,
});

async function budgetOf(
  { directory }: AccountSession,
  operation: Operation,
  { budget_id }: Input,
  signal?: AbortSignal,
): Promise<BudgetSummary | undefined> {
  if (!('budget_id' in operation.input.shape)) return undefined;
  return directory.resolve(typeof budget_id === 'string' ? budget_id : undefined, signal);
}
