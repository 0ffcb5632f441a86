/**
 * The transactions as they are served: whole, as summaries, and as rows of the lists by account, month, category
 * and payee. A row that leaves one of those lists stays known there as departed, so that the list's delta can say
 * so with a tombstone; the deltas of all transactions show real deletions only.
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

/** The row as it last stood in the list, deleted, and when it left. */
interface Departure<Row> {
  readonly row: Row;
  readonly stamp: number;
}

type Departures<Row> = Map<string, Map<string, Departure<Row>>>;

/** A row and the list that it stands in: the id of its account, category or payee, or its month. */
interface Place<Row> {
  readonly list: string;
  readonly row: Row;
}

export class TransactionView {
  readonly #details = new VersionedTable<TransactionDetail>();
  readonly #summaryStamps = new Map<string, number>();
  readonly #legs = new VersionedTable<SubTransaction>();
  readonly #legRowStamps = new Map<string, number>();
  readonly #departed: Departures<TransactionDetail> = new Map();
  readonly #departedRows: Departures<HybridTransaction> = new Map();

  put(detail: TransactionDetail, knowledge: number): void {
    const before = this.#details.get(detail.id);
    if (isDeepStrictEqual(before, detail)) return;
    this.#details.put(detail.id, detail, knowledge);
    if (before === undefined || !isDeepStrictEqual(summaryOf(before), summaryOf(detail))) {
      this.#summaryStamps.set(detail.id, knowledge);
    }
    this.#putLegs(before, detail, knowledge);
    if (before === undefined || stays(before, detail)) return;
    move(this.#departed, placesOf(before), placesOf(detail), knowledge);
    move(this.#departedRows, rowPlacesOf(before), rowPlacesOf(detail), knowledge);
  }

  remove(id: string, knowledge: number): void {
    const before = this.#details.get(id);
    if (before === undefined) return;
    const tombstone = tombstoneOf(before);
    this.#details.put(id, tombstone, knowledge);
    this.#summaryStamps.set(id, knowledge);
    for (const leg of tombstone.subtransactions) this.#legs.tombstone(leg.id, knowledge);
    move(this.#departed, placesOf(tombstone), [], knowledge);
    move(this.#departedRows, rowPlacesOf(before), [], knowledge);
  }

  get(id: string): TransactionDetail | undefined {
    return this.#details.get(id);
  }

  /** By date, then in the order of entry; so are all lists of transactions. */
  list(since?: number): TransactionDetail[] {
    return this.#details.list(since).sort(byDate);
  }

  summaries(since?: number): TransactionSummary[] {
    const rows: TransactionSummary[] = [];
    for (const detail of this.#details.all()) {
      const stamp = this.#summaryStamps.get(detail.id) ?? 0;
      if (since === undefined ? !detail.deleted : stamp > since) rows.push(summaryOf(detail));
    }
    return rows.sort(byDate);
  }

  legs(since?: number): SubTransaction[] {
    return this.#legs.list(since);
  }

  /** The transactions of an account or a month, given all `ids` in it. */
  listOf(list: string, ids: Iterable<string>, since?: number): TransactionDetail[] {
    const rows: TransactionDetail[] = [];
    for (const id of this.#ordered(ids)) {
      const detail = this.#details.get(id);
      if (detail && (since === undefined || this.#details.versionOf(id) > since)) rows.push(detail);
    }
    return [...rows, ...departedSince(this.#departed, list, since)].sort(byDate);
  }

  /** The rows of a category or a payee, given the ids of all transactions that mention it. */
  rowsOf(list: string, ids: Iterable<string>, since?: number): HybridTransaction[] {
    const rows: HybridTransaction[] = [];
    for (const id of this.#ordered(ids)) {
      const detail = this.#details.get(id);
      if (detail === undefined || (since !== undefined && this.#details.versionOf(id) <= since)) continue;
      for (const row of hybridsOf(detail)) {
        if (row.category_id !== list && row.payee_id !== list) continue;
        if (since === undefined || this.#rowStamp(row) > since) rows.push(row);
      }
    }
    return [...rows, ...departedSince(this.#departedRows, list, since)].sort(byDate);
  }

  #putLegs(before: TransactionDetail | undefined, detail: TransactionDetail, knowledge: number): void {
    for (const leg of detail.subtransactions) this.#legs.put(leg.id, leg, knowledge);
    const kept = new Set(detail.subtransactions.map(({ id }) => id));
    for (const { id } of before?.subtransactions ?? [])
      if (!kept.has(id)) this.#legs.tombstone(id, knowledge);
    if (detail.subtransactions.length === 0) return;
    const rowsBefore = new Map((before ? hybridsOf(before) : []).map((row) => [row.id, row]));
    for (const row of hybridsOf(detail)) {
      if (!isDeepStrictEqual(rowsBefore.get(row.id), row)) this.#legRowStamps.set(row.id, knowledge);
    }
  }

  #rowStamp(row: HybridTransaction): number {
    return row.type === 'transaction'
      ? this.#details.versionOf(row.id)
      : (this.#legRowStamps.get(row.id) ?? 0);
  }

  #ordered(ids: Iterable<string>): string[] {
    return [...ids].sort((a, b) => this.#details.orderOf(a) - this.#details.orderOf(b));
  }
}

/** Whether an unsplit transaction is still in the same lists. */
function stays(before: TransactionDetail, after: TransactionDetail): boolean {
  return (
    before.subtransactions.length + after.subtransactions.length === 0 &&
    before.account_id === after.account_id &&
    before.payee_id === after.payee_id &&
    before.category_id === after.category_id &&
    monthOf(before.date) === monthOf(after.date)
  );
}

function placesOf(detail: TransactionDetail): Place<TransactionDetail>[] {
  return [detail.account_id, monthOf(detail.date)].map((list) => ({ list, row: detail }));
}

function rowPlacesOf(detail: TransactionDetail): Place<HybridTransaction>[] {
  return hybridsOf(detail).flatMap((row) =>
    [row.category_id, row.payee_id].flatMap((list) => (list === null ? [] : [{ list, row }])),
  );
}

function move<Row extends { id: string; deleted: boolean }>(
  departures: Departures<Row>,
  from: readonly Place<Row>[],
  to: readonly Place<Row>[],
  knowledge: number,
): void {
  const isThere = ({ list, row }: Place<Row>) =>
    to.some((place) => place.list === list && place.row.id === row.id);
  for (const place of from) {
    if (isThere(place)) continue;
    const departed = departures.get(place.list) ?? new Map<string, Departure<Row>>();
    departed.set(place.row.id, { row: { ...place.row, deleted: true }, stamp: knowledge });
    departures.set(place.list, departed);
  }
  for (const { list, row } of to) departures.get(list)?.delete(row.id);
}

function departedSince<Row>(departures: Departures<Row>, list: string, since?: number): Row[] {
  if (since === undefined) return [];
  return [...(departures.get(list)?.values() ?? [])].flatMap(({ row, stamp }) =>
    stamp > since ? [row] : [],
  );
}

function byDate(a: { date: string }, b: { date: string }): number {
  return a.date < b.date ? -1 : a.date > b.date ? 1 : 0;
}
