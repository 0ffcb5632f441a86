/** The scheduled transactions of a budget. There are few, so names and legs are joined on every read. */

import { compareTexts } from '../../base/compare.ts';
import { groupBy } from '../../base/group-by.ts';
import type {
  ScheduledSubtransaction,
  ScheduledTransaction,
  ScheduledTransactionSummary,
} from './entities.ts';
import { EntityTable } from './entity-table.ts';
import { joinScheduledTransaction, withNames } from './join.ts';
import type { Names } from './names.ts';

/** By the next date, and by id within a day. */
export const compareSoonestFirst = (
  a: Pick<ScheduledTransaction, 'id' | 'date_next'>,
  b: Pick<ScheduledTransaction, 'id' | 'date_next'>,
): number => compareTexts(a.date_next, b.date_next) || compareTexts(a.id, b.id);

export class ScheduledTransactionTable {
  readonly #names: Names;
  readonly #rows = new EntityTable<ScheduledTransactionSummary>('scheduled transaction');
  readonly #legs = new EntityTable<ScheduledSubtransaction>('leg of a scheduled transaction');
  #legsOfRows: ReadonlyMap<string, readonly ScheduledSubtransaction[]> = new Map();

  constructor(names: Names) {
    this.#names = names;
  }

  get bytes(): number {
    return this.#rows.bytes + this.#legs.bytes;
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  summaries(): readonly ScheduledTransactionSummary[] {
    return this.#rows.list();
  }

  legs(): readonly ScheduledSubtransaction[] {
    return [...this.list().flatMap(({ subtransactions }) => subtransactions), ...this.orphans()];
  }

  /** The legs whose scheduled transaction is unknown. They are in no list. */
  orphans(): readonly ScheduledSubtransaction[] {
    return this.#legs
      .list()
      .filter((leg) => !this.#rows.has(leg.scheduled_transaction_id))
      .map((leg) => withNames(leg, this.#names));
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
    const ended = new Set(deleted.map(({ id }) => id));
    const orphans = this.#legs.list().filter((leg) => ended.has(leg.scheduled_transaction_id));
    this.#legs.merge(orphans.map((leg) => ({ ...leg, deleted: true })));
    this.#legsOfRows = groupBy(this.#legs.list(), (leg) => leg.scheduled_transaction_id);
    for (const { id } of rows) this.#names.learn(id);
    for (const leg of this.orphans()) this.#names.unknown('transaction', leg.scheduled_transaction_id);
  }

  #join(row: ScheduledTransactionSummary): ScheduledTransaction {
    return joinScheduledTransaction(row, this.#legsOfRows.get(row.id) ?? [], this.#names);
  }
}
