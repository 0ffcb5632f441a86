/** What is written down about one operation of a write: for a successor before it is sent, and in the journal after it. */
import { BudgetError } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import type { JsonObject } from '../platform/json.ts';
import type { BudgetReplica } from '../replica/budget-replica.ts';
import type { JournalHead } from '../writes/journal.ts';
import { journalStepOf, type StoredStep } from '../writes/stored-write.ts';
import type { Sending } from '../writes/write-observer.ts';
import type { UserSession } from './session.ts';

/** What an operation changes, as it is just before, for the journal. `knowledge` is that of the budget with it. */
export interface KnownBefore {
  readonly rows: readonly JsonObject[];
  readonly knowledge: number;
}

/** The place of an operation in a write. */
export interface Step {
  readonly head: JournalHead;
  /** From 1. */
  readonly number: number;
  /** Without it, it is read in the cached budget. */
  readonly known?: KnownBefore | undefined;
}

export class StepRecord {
  readonly #session: UserSession;
  readonly #operation: Operation;
  readonly #input: JsonObject & { readonly budget_id: string };
  readonly #step: Step;
  #sending: StoredStep | undefined;
  #isWritten = false;

  constructor(
    session: UserSession,
    operation: Operation,
    input: JsonObject & { readonly budget_id: string },
    step: Step,
  ) {
    this.#session = session;
    this.#operation = operation;
    this.#input = input;
    this.#step = step;
  }

  /** The operation is about to be sent. Only defined fields, because a store keeps JSON. */
  sending({ sentAt, before: { ids, server_knowledge } }: Sending): StoredStep {
    const operation = this.#operation;
    const input = this.#input;
    const { number, known } = this.#step;
    const stateBefore = known?.rows ?? this.#stateIn((replica) => operation.stateBefore?.(replica, input));
    const knowledgeBefore =
      known?.knowledge ?? this.#session.replicas?.peek(input.budget_id)?.replica.knowledge;
    this.#sending = {
      number,
      operation: operation.name,
      input,
      sentAt,
      before: { ids: [...ids], server_knowledge },
      ...(stateBefore && { stateBefore }),
      ...(knowledgeBefore !== undefined && { knowledgeBefore }),
    };
    return this.#sending;
  }

  /** The operation was carried out. The other processes learn of it only after the journal (`SharedWrites` says why). */
  async written(data: JsonObject): Promise<void> {
    if (this.#isWritten || !this.#sending) return;
    this.#isWritten = true;
    const { head, number } = this.#step;
    const { journal, shared } = this.#session;
    await journal.append(head, number, journalStepOf(this.#sending, data));
    await shared?.addWrite(this.#input.budget_id, this.#operation.kind, data);
  }

  /** The delta after the operation is in the cached budget. */
  async complete(data: JsonObject): Promise<void> {
    const { head, number } = this.#step;
    const after = this.#stateIn((replica) => this.#operation.stateAfter?.(replica, data));
    if (after) await this.#session.journal.complete(head.id, number, after);
  }

  /** A part of the cached budget. Undefined if it is not cached, is older than an own write, or lacks that part. */
  #stateIn<State>(read: (replica: BudgetReplica) => State): State | undefined {
    const cached = this.#session.replicas?.peek(this.#input.budget_id);
    if (!cached || cached.lacksWrite) return undefined;
    try {
      return read(cached.replica);
    } catch (error) {
      if (error instanceof BudgetError && error.code === 'resource_not_found') return undefined;
      throw error;
    }
  }
}
