/** The scheduled transactions of a budget. They are few: names and legs are joined when somebody asks. */

import type {
  ScheduledSubtransaction,
  ScheduledTransaction,
  ScheduledTransactionSummary,
} from './entities.ts';
import { EntityTable } from './entity-table.ts';
import { InconsistentReplicaError } from './inconsistent-replica-error.ts';
import { joinScheduledTransaction, type NameLookup } from './join.ts';

export class ScheduledTransactionTable {
  readonly #names: NameLookup;
  readonly #rows = new EntityTable<ScheduledTransactionSummary>('scheduled transaction');
  readonly #legs = new EntityTable<ScheduledSubtransaction>('leg of a scheduled transaction');

  constructor(names: NameLookup) {
    this.#names = names;
  }

  get bytes(): number {
    return this.#rows.bytes + this.#legs.bytes;
  }

  summaries(): readonly ScheduledTransactionSummary[] {
    return this.#rows.list();
  }

  legs(): readonly ScheduledSubtransaction[] {
    return this.list().flatMap(({ subtransactions }) => subtransactions);
  }

  list(): readonly ScheduledTransaction[] {
    return this.#rows.list().map((row) => this.#joined(row));
  }

  /** Throws `resource_not_found`. */
  get(id: string): ScheduledTransaction {
    return this.#joined(this.#rows.get(id));
  }

  merge(rows: readonly ScheduledTransactionSummary[], legs: readonly ScheduledSubtransaction[]): void {
    const gone = this.#rows.merge(rows).filter(({ after }) => after === undefined);
    this.#legs.merge(legs);
    // The legs of a deleted one go with it, whether the service says so or not.
    const orphans = this.#legs
      .list()
      .filter((leg) => gone.some(({ id }) => id === leg.scheduled_transaction_id));
    this.#legs.merge(orphans.map((leg) => ({ ...leg, deleted: true })));
  }

  /** Throws `DistrustError` where a reference leads nowhere. */
  check(): void {
    for (const leg of this.#legs.list())
      if (!this.#rows.has(leg.scheduled_transaction_id))
        throw new InconsistentReplicaError(`Leg ${leg.id} belongs to an unknown scheduled transaction.`);
    this.list();
  }

  #joined(row: ScheduledTransactionSummary): ScheduledTransaction {
    const legs = this.#legs.list().filter((leg) => leg.scheduled_transaction_id === row.id);
    return joinScheduledTransaction(row, legs, this.#names);
  }
}
