/**
 * The client of the budgeting service. It keeps the session of the user who is signed in, whether writes are allowed,
 * and the listeners for changes. `BudgetCall` does the reads and writes. It is independent of HTTP, of MCP and of output
 * formats.
 */

import type { Credential } from '../auth/token-provider.ts';
import { withCancellation, withTimeLimit } from '../base/abort.ts';
import { type DayOf, dayIn } from '../base/calendar.ts';
import { describeClock } from '../base/clock-difference.ts';
import { BudgetError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { BudgetSummary } from '../base/schema/budget.ts';
import type { Operation } from '../operations/operation.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { StateStatus } from '../store/shared-stores.ts';
import { ignoreStoreError } from '../store/store-error.ts';
import { BudgetCall, type CallDeps } from './budget-call.ts';
import type { CallOptions } from './call-budget.ts';
import type { WriteRecord } from './call-writes.ts';
import { type ClientStatus, NO_CACHE, refusalOf } from './client-status.ts';
import { Followers } from './followers.ts';
import { createRateBudget, UserSession, type UserSessionOptions } from './session.ts';
import type { StatementFile } from './uploaded-statements.ts';
import type { SentWrite, WriteStatus } from './writes/pending-write.ts';
import { UnsettledWrites } from './writes/unsettled-writes.ts';

export interface BudgetClientOptions extends UserSessionOptions {
  /** The status of the state that `store` has opened, or will open. By default it is shared if there is a `store`. */
  readonly stateStatus?: (credential?: Credential) => StateStatus;
  readonly onWrite?: (write: WriteRecord) => void;
  /** The files of banks in the folder of the user. By default there is no folder. */
  readonly statementFiles?: (() => Promise<readonly StatementFile[]>) | undefined;
  /** Refuses every write before any request. */
  readonly readOnly?: boolean;
  readonly onSignedIn?: () => void;
  /** The person's time zone, such as `Europe/Berlin`. By default that of this machine. */
  readonly timeZone?: string | undefined;
}

/** How long the end of the program waits for what it writes for other processes. */
const MAX_SHARING_MS = 2_000;

/** Called with the id of a budget whose data may have changed, and without one after another user has signed in. */
export type OnBudgetChange = (budgetId?: string) => void;

export class BudgetClient {
  readonly #options: BudgetClientOptions;
  readonly #dayOf: DayOf;
  #session: UserSession | undefined;
  /** Shared by all sessions: after a change of the token, an equal call must still find its earlier write. */
  readonly #writes: UnsettledWrites;
  readonly #stateStatus: (credential?: Credential) => StateStatus;
  #opening: { readonly signIn: string; readonly session: Promise<UserSession> } | undefined;
  readonly #listeners = new Set<OnBudgetChange>();
  readonly #followers: Followers;
  readonly #availabilityListeners = new Set<() => void>();
  #readOnly: boolean;

  constructor(options: BudgetClientOptions) {
    this.#options = options;
    this.#dayOf = dayIn(options.timeZone);
    this.#writes = new UnsettledWrites(options.clock);
    this.#followers = new Followers(options.clock);
    this.#stateStatus = options.stateStatus ?? (() => ({ shared: options.store !== undefined }));
    this.#readOnly = options.readOnly ?? false;
  }

  /** Begins a call. It sends no request before its first read or write. */
  begin(options: CallOptions = {}): BudgetCall {
    return new BudgetCall(this.#deps(), options);
  }

  /** Whether writes are refused: by configuration, or because the token turned out to be read-only. */
  get readOnly(): boolean {
    return this.#readOnly;
  }

  /** Whether the service is known to lack the operation, because its interface is older. Sends no request. */
  lacks(operation: Pick<Operation, 'name' | 'addedIn'>): boolean {
    return this.#session?.serviceInterface.lacks(operation) ?? false;
  }

  /** How the clock of this machine differs from that of the service, as a sentence. Undefined if it does not, or if that is unknown. */
  get clockDifference(): string | undefined {
    return describeClock(this.#session?.requests.clockAheadMs);
  }

  /** The user's budgets from the last list. Empty if there is none. Sends no request. */
  get knownBudgets(): readonly BudgetSummary[] {
    return this.#session?.directory.known ?? [];
  }

  /** Calls `listener` when a sync or a write changes a budget, until the returned function is called. */
  onChange(listener: OnBudgetChange): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Notices about a second later what other processes change in cached budgets and in those `watched`, until the returned
   * function is called. Without it, that is noticed at the next call. Sends no request.
   */
  followOthers(watched: () => Iterable<string> = () => []): () => void {
    return this.#followers.add(watched);
  }

  /** Notices now what other processes have changed in a budget. Only later changes are noticed in a budget that is not cached. */
  async lookAtOthers(budgetId: string): Promise<void> {
    await this.#session?.look([budgetId], true);
  }

  get cachedBytes(): number {
    return this.#session?.replicas?.entries.bytes ?? 0;
  }

  /** Removes cached budgets from memory. The next call finds them in the shared state, or loads them again. */
  freeMemory(): void {
    this.#session?.replicas?.entries.clear();
  }

  /** Ends what runs without a call. */
  close(): void {
    this.#followers.close();
  }

  /** Calls `listener` when `readOnly` or the result of `lacks` changes, until the returned function is called. */
  onAvailabilityChanged(listener: () => void): () => void {
    this.#availabilityListeners.add(listener);
    return () => this.#availabilityListeners.delete(listener);
  }

  /** Resolves when no write is left to send, none waits for its response, and other processes can find what was read. */
  async writesSettled(): Promise<void> {
    await this.#writes.ownWrites.drained();
    // What is left is found by the process that takes over.
    await this.#session?.writes.pending.later.finish().catch(ignoreStoreError);
    await this.#session?.rateBudget.settled();
    const written = this.#session?.writes.others.written();
    if (written !== undefined) await withTimeLimit(this.#options.clock, MAX_SHARING_MS, written, () => {});
  }

  /**
   * The earlier calls of this tool by this caller that a failed call may equal. Its arguments may not have been resolved: without
   * `input`, those with any arguments.
   */
  async earlierCalls(tool: string, caller = '', input: JsonObject = {}): Promise<readonly WriteStatus[]> {
    const stored = (await this.#session?.writes.known()) ?? [];
    const writes = this.#statusOfWrites(caller, stored, input);
    return writes.filter((each) => each.tool === tool && each.state !== 'not_written');
  }

  /** The state of cache, rate budget, writes and token. Sends no request. */
  async status(caller = ''): Promise<ClientStatus> {
    const token = await this.#options.tokens.describe().catch((error: unknown) => {
      if (error instanceof BudgetError) return error;
      throw error;
    });
    // An earlier run of this program may have left writes. Without a sign-in there is nothing to show.
    const opened = this.#options.store && (await this.#openSession().catch(() => undefined));
    const snapshot = await opened?.look([]).catch(ignoreStoreError);
    const stored = (await this.#session?.writes.adoptIfPossible()) ?? [];
    return {
      requests:
        snapshot?.left ?? (await (this.#session?.rateBudget ?? createRateBudget(this.#options)).status()),
      replicas: this.#session?.replicas?.entries.status() ?? NO_CACHE,
      hits: this.#session?.freshnessPolicy?.hits ?? 0,
      writes: this.#statusOfWrites(caller, stored),
      read_only: this.#readOnly,
      state: (this.#session?.stateStatus ?? this.#stateStatus)(),
      clock: this.clockDifference,
      default_budget: this.#session?.directory.default,
      token: token instanceof BudgetError ? token : (refusalOf(token, this.#session?.requests) ?? token),
    };
  }

  /** Writes of an earlier sign-in are included only if this user has access to their budget too. */
  #statusOfWrites(
    caller: string,
    stored: readonly SentWrite[],
    input: JsonObject = {},
  ): readonly WriteStatus[] {
    const isAccessible = (budgetId: string) => this.knownBudgets.some(({ id }) => id === budgetId);
    return this.#writes.status(caller, stored, isAccessible, input);
  }

  #deps(): CallDeps {
    const { clock, onWrite, readOnly, statementFiles = async () => [] } = this.#options;
    return {
      clock,
      dayOf: this.#dayOf,
      statementFiles,
      writes: this.#writes,
      openSession: (signal) => this.#openSession(signal),
      status: (caller) => this.status(caller),
      checkWritable: (title) => {
        if (!this.#readOnly) return;
        const code = readOnly ? 'read_only' : 'unauthorized_scope';
        throw new BudgetError(code, `${title}: this call was not carried out.`);
      },
      writeEnded: (record) => onWrite?.(record),
      budgetChanged: (budgetId) => this.#changed(budgetId),
      scopeRefused: async (session) => {
        if (session === this.#session) this.#setReadOnly(true);
        await session.writes.recordReadOnly();
      },
    };
  }

  async #openSession(signal?: AbortSignal): Promise<UserSession> {
    const credential = await this.#options.tokens.credential(signal);
    const session = await this.#sessionOf(credential, signal);
    session.signInEndsAt = credential.endsAt;
    session.directory.chosen = credential.budget;
    return session;
  }

  async #sessionOf(credential: Credential, signal?: AbortSignal): Promise<UserSession> {
    const { signIn } = credential;
    if (this.#session?.signIn === signIn) return this.#session;
    const opening =
      this.#opening?.signIn === signIn ? this.#opening : { signIn, session: this.#createSession(credential) };
    this.#opening = opening;
    try {
      return await withCancellation(opening.session, signal);
    } finally {
      if (this.#opening === opening) this.#opening = undefined;
    }
  }

  async #createSession(credential: Credential): Promise<UserSession> {
    const { signIn, scope } = credential;
    const { clock } = this.#options;
    const store = (await this.#options.store?.(credential)) ?? new MemoryStore(clock);
    const state = { store, status: () => this.#stateStatus(credential) };
    const previous = this.#session;
    this.#setReadOnly(this.#options.readOnly === true || scope === 'read-only');
    const session = new UserSession(this.#options, signIn, state, {
      onChange: (budgetId) => this.#changed(budgetId),
      onReadOnly: () => {
        if (session === this.#session) this.#setReadOnly(true);
      },
      onInterfaceChange: () => this.#availabilityChanged(),
    });
    this.#session = session;
    this.#followers.follow(session);
    if (previous) {
      // The service of the new sign-in may be another one.
      this.#availabilityChanged();
      this.#changed();
    }
    session.writes.adoption.adoptAndSearch().catch(() => {});
    this.#options.onSignedIn?.();
    return session;
  }

  #setReadOnly(readOnly: boolean): void {
    if (this.#readOnly === readOnly) return;
    this.#readOnly = readOnly;
    this.#availabilityChanged();
  }

  #availabilityChanged(): void {
    for (const listener of this.#availabilityListeners) listener();
  }

  #changed(budgetId?: string): void {
    for (const listener of this.#listeners) listener(budgetId);
  }
}
