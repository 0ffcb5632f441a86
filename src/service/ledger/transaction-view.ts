/**
 * The transactions in the form of their responses: in full, as summaries, and as rows of the lists by account,
 * month, category and payee. A row that leaves one of those lists is remembered as removed, so that the delta of the
 * list can report it as deleted. The deltas of all transactions report real deletions only.
 */
import { isDeepStrictEqual } from 'node:util';
import type {
  HybridTransaction,
  SubTransaction,
  TransactionDetail,
  TransactionSummary,
} from '../resources.ts';
import { monthOf } from './calendar.ts';
import { hybridsOf, summaryOf } from './hybrid.ts';
import { tombstoneOf } from './tombstone.ts';
import { VersionedTable } from './versioned-table.ts';

/** The last state of a row in a list, marked as deleted, and the knowledge at which it left the list. */
interface RemovedRow<Row> {
  readonly row: Row;
  readonly version: number;
}

type RemovedRows<Row> = Map<string, Map<string, RemovedRow<Row>>>;

/** A row and the list that contains it. `listId` is the id of an account, category or payee, or a month. */
interface ListEntry<Row> {
  readonly listId: string;
  readonly row: Row;
}

export class TransactionView {
  readonly #details = new VersionedTable<TransactionDetail>();
  readonly #summaryVersions = new Map<string, number>();
  readonly #legs = new VersionedTable<SubTransaction>();
  readonly #legRowVersions = new Map<string, number>();
  readonly #removed: RemovedRows<TransactionDetail> = new Map();
  readonly #removedRows: RemovedRows<HybridTransaction> = new Map();

  put(detail: TransactionDetail, knowledge: number): void {
    const before = this.#details.get(detail.id);
    if (isDeepStrictEqual(before, detail)) return;
    this.#details.put(detail.id, detail, knowledge);
    if (before === undefined || !isDeepStrictEqual(summaryOf(before), summaryOf(detail))) {
      this.#summaryVersions.set(detail.id, knowledge);
    }
    this.#putLegs(before, detail, knowledge);
    if (before === undefined || isInSameLists(before, detail)) return;
    recordRemovals(this.#removed, listEntriesOf(before), listEntriesOf(detail), knowledge);
    recordRemovals(this.#removedRows, rowListEntriesOf(before), rowListEntriesOf(detail), knowledge);
  }

  remove(id: string, knowledge: number): void {
    const before = this.#details.get(id);
    if (before === undefined) return;
    const tombstone = tombstoneOf(before);
    this.#details.put(id, tombstone, knowledge);
    this.#summaryVersions.set(id, knowledge);
    for (const leg of tombstone.subtransactions) this.#legs.tombstone(leg.id, knowledge);
    recordRemovals(this.#removed, listEntriesOf(tombstone), [], knowledge);
    recordRemovals(this.#removedRows, rowListEntriesOf(before), [], knowledge);
  }

  get(id: string): TransactionDetail | undefined {
    return this.#details.get(id);
  }

  /** By date, then in order of entry, like all lists of transactions. */
  list(since?: number): TransactionDetail[] {
    return this.#details.list(since).sort(byDate);
  }

  summaries(since?: number): TransactionSummary[] {
    const rows: TransactionSummary[] = [];
    for (const detail of this.#details.all()) {
      const version = this.#summaryVersions.get(detail.id) ?? 0;
      if (since === undefined ? !detail.deleted : version > since) rows.push(summaryOf(detail));
    }
    return rows.sort(byDate);
  }

  legs(since?: number): SubTransaction[] {
    return this.#legs.list(since);
  }

  putLeg(leg: SubTransaction, knowledge: number): void {
    this.#legs.put(leg.id, leg, knowledge);
  }

  /** The transactions of an account or a month. `ids` are all transactions in it. */
  listOf(listId: string, ids: Iterable<string>, since?: number): TransactionDetail[] {
    const rows: TransactionDetail[] = [];
    for (const id of this.#ordered(ids)) {
      const detail = this.#details.get(id);
      if (detail && (since === undefined || this.#details.versionOf(id) > since)) rows.push(detail);
    }
    return [...rows, ...removedSince(this.#removed, listId, since)].sort(byDate);
  }

  /** The rows of a category or a payee. `ids` are all transactions that refer to it. */
  rowsOf(listId: string, ids: Iterable<string>, since?: number): HybridTransaction[] {
    const rows: HybridTransaction[] = [];
    for (const id of this.#ordered(ids)) {
      const detail = this.#details.get(id);
      if (detail === undefined || (since !== undefined && this.#details.versionOf(id) <= since)) continue;
      for (const row of hybridsOf(detail)) {
        if (row.category_id !== listId && row.payee_id !== listId) continue;
        if (since === undefined || this.#rowVersion(row) > since) rows.push(row);
      }
    }
    return [...rows, ...removedSince(this.#removedRows, listId, since)].sort(byDate);
  }

  #putLegs(before: TransactionDetail | undefined, detail: TransactionDetail, knowledge: number): void {
    for (const leg of detail.subtransactions) this.putLeg(leg, knowledge);
    const currentLegIds = new Set(detail.subtransactions.map(({ id }) => id));
    for (const { id } of before?.subtransactions ?? [])
      if (!currentLegIds.has(id)) this.#legs.tombstone(id, knowledge);
    if (detail.subtransactions.length === 0) return;
    const rowsBefore = new Map((before ? hybridsOf(before) : []).map((row) => [row.id, row]));
    for (const row of hybridsOf(detail)) {
      if (!isDeepStrictEqual(rowsBefore.get(row.id), row)) this.#legRowVersions.set(row.id, knowledge);
    }
  }

  #rowVersion(row: HybridTransaction): number {
    return row.type === 'transaction'
      ? this.#details.versionOf(row.id)
      : (this.#legRowVersions.get(row.id) ?? 0);
  }

  #ordered(ids: Iterable<string>): string[] {
    return [...ids].sort((a, b) => this.#details.orderOf(a) - this.#details.orderOf(b));
  }
}

/** Whether an unsplit transaction is in the same lists before and after a change. */
function isInSameLists(before: TransactionDetail, after: TransactionDetail): boolean {
  return (
    before.subtransactions.length + after.subtransactions.length === 0 &&
    before.account_id === after.account_id &&
    before.payee_id === after.payee_id &&
    before.category_id === after.category_id &&
    monthOf(before.date) === monthOf(after.date)
  );
}

function listEntriesOf(detail: TransactionDetail): ListEntry<TransactionDetail>[] {
  return [detail.account_id, monthOf(detail.date)].map((listId) => ({ listId, row: detail }));
}

function rowListEntriesOf(detail: TransactionDetail): ListEntry<HybridTransaction>[] {
  return hybridsOf(detail).flatMap((row) =>
    [row.category_id, row.payee_id].flatMap((listId) => (listId === null ? [] : [{ listId, row }])),
  );
}

function recordRemovals<Row extends { id: string; deleted: boolean }>(
  removedByList: RemovedRows<Row>,
  from: readonly ListEntry<Row>[],
  to: readonly ListEntry<Row>[],
  knowledge: number,
): void {
  const isStillIn = ({ listId, row }: ListEntry<Row>) =>
    to.some((entry) => entry.listId === listId && entry.row.id === row.id);
  for (const entry of from) {
    if (isStillIn(entry)) continue;
    const removed = removedByList.get(entry.listId) ?? new Map<string, RemovedRow<Row>>();
    removed.set(entry.row.id, { row: { ...entry.row, deleted: true }, version: knowledge });
    removedByList.set(entry.listId, removed);
  }
  for (const { listId, row } of to) removedByList.get(listId)?.delete(row.id);
}

function removedSince<Row>(removedByList: RemovedRows<Row>, listId: string, since?: number): Row[] {
  if (since === undefined) return [];
  return [...(removedByList.get(listId)?.values() ?? [])].flatMap(({ row, version }) =>
    version > since ? [row] : [],
  );
}

function byDate(a: { date: string }, b: { date: string }): number {
  return a.date < b.date ? -1 : a.date > b.date ? 1 : 0;
}
