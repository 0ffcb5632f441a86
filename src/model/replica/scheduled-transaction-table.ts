/** The scheduled transactions of a budget. There are few, so names and legs are joined on every read. */

import { compareTexts } from '../../base/compare.ts';
import type {
  ScheduledSubtransaction,
  ScheduledTransaction,
  ScheduledTransactionSummary,
} from './entities.ts';
import { EntityTable, InconsistentReplicaError } from './entity-table.ts';
import { joinScheduledTransaction, type NameLookup } from './join.ts';

/** By the next date, and by id within a day. */
export const compareSoonestFirst = (
  a: Pick<ScheduledTransaction, 'id' | 'date_next'>,
  b: Pick<ScheduledTransaction, 'id' | 'date_next'>,
): number => compareTexts(a.date_next, b.date_next) || compareTexts(a.id, b.id);

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
    return this.#rows.list().map((row) => this.#join(row));
  }

  /** Throws `resource_not_found`. */
  get(id: string): ScheduledTransaction {
    return this.#join(this.#rows.get(id));
  }

  merge(rows: readonly ScheduledTransactionSummary[], legs: readonly ScheduledSubtransaction[]): void {
    const deleted = this.#rows.merge(rows).filter(({ after }) => after === undefined);
    this.#legs.merge(legs);
    // Deleting a scheduled transaction deletes its legs, even if the service does not report them.
    const orphans = this.#legs
      .list()
      .filter((leg) => deleted.some(({ id }) => id === leg.scheduled_transaction_id));
    this.#legs.merge(orphans.map((leg) => ({ ...leg, deleted: true })));
  }

  /** Throws `InconsistentReplicaError` for an unknown reference. */
  check(): void {
    for (const leg of this.#legs.list())
      if (!this.#rows.has(leg.scheduled_transaction_id))
        throw new InconsistentReplicaError(`Leg ${leg.id} belongs to an unknown scheduled transaction.`);
    this.list();
  }

  #join(row: ScheduledTransactionSummary): ScheduledTransaction {
    const legs = this.#legs.list().filter((leg) => leg.scheduled_transaction_id === row.id);
    return joinScheduledTransaction(row, legs, this.#names);
  }
}
