/**
 * A write that this process carries out: its record here, which is also in the store as soon as it may have been sent, and its
 * host. Those who want to know what becomes of it read the record or wait for its change.
 */

import { type Clock, momentOf } from '../../base/clock.ts';
import { BudgetError } from '../../base/errors.ts';
import type { NewEntry } from '../../store/shared-store.ts';
import type { WriteResult } from '../call-result.ts';
import type { Adoption } from './adoption.ts';
import type { WriteJournal } from './journal.ts';
import { SEND_WITHIN_MS } from './lost-write.ts';
import {
  type Action,
  dispatch,
  endWithError,
  endWithOutcome,
  type PendingWrite,
  type SentStep,
} from './pending-write.ts';
import type { PendingWrites } from './pending-writes.ts';
import { notSentInTime, type WaitingHost } from './write-call.ts';
import { type TakenTurn, type TurnOptions, throwIfCancelled, type WriteTurns } from './write-turns.ts';

export type NewWrite = Pick<PendingWrite, 'id' | 'call' | 'takesBack' | 'continues' | 'isTogether'>;

/** Where the writes of a sign-in are, who has the turn to write, and what finds out about the writes of ended processes. */
export interface SharedWrites {
  readonly pending: PendingWrites;
  readonly journal: WriteJournal;
  readonly turns: WriteTurns;
  readonly adoption: Pick<Adoption, 'adoptAndSearch' | 'noteAndAdopt' | 'settleLeftWrites' | 'searchAgain'>;
}

export class OwnWrite implements TurnOptions {
  readonly id: string;
  readonly shared: SharedWrites;
  readonly #clock: Clock;
  readonly #host: WaitingHost;
  readonly #cancelling = new AbortController();
  /** Aborted if the write must not be sent any more. Never after it was sent. */
  readonly signal = this.#cancelling.signal;
  readonly #waiting = new Set<() => void>();
  #record: PendingWrite;
  /** The store may have it. */
  #isStored = false;
  /** They go to the store with its next change. */
  #entries: readonly NewEntry[] = [];
  /** With what the store has not, such as the balances after the write. Undefined if it was not carried out. */
  #outcome: WriteResult | undefined;

  constructor(write: NewWrite, shared: SharedWrites, clock: Clock, host: WaitingHost) {
    const { process } = shared.pending;
    const owner = { owner: process, awaitedBy: process, isAdopted: false };
    this.#record = { ...write, ...owner, calledAt: clock.now(), state: 'planned' };
    this.id = write.id;
    this.shared = shared;
    this.#clock = clock;
    this.#host = host;
  }

  get record(): PendingWrite {
    return this.#record;
  }

  cancel(): void {
    this.#cancelling.abort();
  }

  /** How many milliseconds the host still waits. Zero or less if no host waits. */
  remainingMs(): number {
    return this.#record.awaitedBy === undefined ? 0 : this.#host.remainingMs();
  }

  /** For what it waits before it is sent, in sentences. */
  get wait(): string | undefined {
    const { id, call } = this.#record;
    return this.shared.turns.describeWait(call.budgetId, id);
  }

  /** Changes the record here, and in the store if it is there, with entries for its logs. */
  async dispatch(actions: readonly Action[], entries: readonly NewEntry[] = []): Promise<void> {
    this.#changeHere(actions);
    this.addLater(...entries);
    if (this.#isStored) await this.#changeStored(actions);
  }

  /** Adds entries to logs with the next change in the store. */
  addLater(...entries: readonly NewEntry[]): void {
    this.#entries = [...this.#entries, ...entries];
  }

  /** A step was carried out. `entries` show that to others. Only the answer to the last one is that to the write. */
  async carriedOut(entries: readonly NewEntry[]): Promise<void> {
    const actions = this.#record.isTogether ? [] : [{ type: 'answer' } as const];
    this.addLater(...entries);
    await this.#changeStored(actions);
    this.#changeHere(actions);
  }

  answered(): void {
    this.#changeHere([{ type: 'answer' }]);
  }

  get outcome(): WriteResult | undefined {
    return this.#outcome;
  }

  /** A host of this process waits for the outcome from now on, also in the store. */
  claimed(): void {
    this.#changeHere([{ type: 'claim', process: this.shared.pending.process }]);
  }

  /** Notes the request that is sent immediately after that. If it throws, nothing must be sent. */
  async noteRequest(turn: TakenTurn, step: SentStep): Promise<void> {
    // The timer of a process that was suspended can be later than its work.
    if (this.#record.state === 'planned' && this.remainingMs() <= 0)
      throw notSentInTime(this.#record.call, this.wait);
    this.#isStored = true;
    const entries = this.#entries;
    await turn.noteRequest(this.#record, step, entries);
    this.#entries = this.#entries.filter((entry) => !entries.includes(entry));
    if (this.#record.state === 'planned') throwIfCancelled(this);
    if (this.#clock.monotonic() > step.sentAt.monotonic + SEND_WITHIN_MS)
      throw new BudgetError('not_written', 'Nothing was sent: the state of this server answered too late.');
    this.#changeHere([{ type: 'send', step }]);
  }

  /** The write has ended. If it was not sent, its record is removed. */
  async settle(end: { readonly outcome: WriteResult } | { readonly error: unknown }): Promise<void> {
    const at = this.#clock.now();
    const { process } = this.shared.pending;
    const wasSent = this.#record.state !== 'planned';
    if ('outcome' in end) this.#outcome = end.outcome;
    const result = 'outcome' in end ? endWithOutcome(end.outcome, at) : endWithError(end.error, at);
    const settle: Action = { type: 'settle', result };
    const actions: readonly Action[] = wasSent ? [settle] : [settle, { type: 'deliver', process }];
    if (this.#isStored) await this.#changeStored(actions);
    this.#changeHere(actions);
  }

  async until(isReached: (record: PendingWrite) => boolean): Promise<void> {
    while (!isReached(this.#record))
      await new Promise<void>((changed) => {
        this.#waiting.add(changed);
      });
  }

  #changeStored(actions: readonly Action[]): Promise<void> {
    const entries = this.#entries;
    this.#entries = [];
    return this.shared.pending.change(this.id, actions, entries);
  }

  #changeHere(actions: readonly Action[]): void {
    const now = momentOf(this.#clock);
    for (const action of actions) this.#record = dispatch(this.#record, action, now);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const changed of waiting) changed();
  }
}
