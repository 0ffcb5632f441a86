/** The served rows of one kind, each with the knowledge at which it last changed. */
import { isDeepStrictEqual } from 'node:util';

interface Deletable {
  readonly deleted: boolean;
}

interface Entry<Row> {
  readonly row: Row;
  readonly stamp: number;
  /** The place in the order of first appearance. */
  readonly order: number;
}

export class VersionedTable<Row extends Deletable> {
  readonly #entries = new Map<string, Entry<Row>>();

  /** Takes the row over; it is stamped only if it differs from the one before. */
  put(id: string, row: Row, knowledge: number): void {
    const before = this.#entries.get(id);
    if (before !== undefined && isDeepStrictEqual(before.row, row)) return;
    this.#entries.set(id, { row, stamp: knowledge, order: before?.order ?? this.#entries.size });
  }

  /** Leaves a tombstone. */
  tombstone(id: string, knowledge: number): void {
    const before = this.#entries.get(id);
    if (before === undefined || before.row.deleted) return;
    this.#entries.set(id, { ...before, row: { ...before.row, deleted: true }, stamp: knowledge });
  }

  /** Undefined for unknown and deleted ids. */
  get(id: string): Row | undefined {
    const row = this.#entries.get(id)?.row;
    return row?.deleted ? undefined : row;
  }

  /** 0 for an unknown id. */
  versionOf(id: string): number {
    return this.#entries.get(id)?.stamp ?? 0;
  }

  orderOf(id: string): number {
    return this.#entries.get(id)?.order ?? 0;
  }

  /** Every row, tombstones included. */
  *all(): Generator<Row> {
    for (const { row } of this.#entries.values()) yield row;
  }

  /** Everything that is not deleted, or, with `since`, what changed after it, tombstones included. */
  list(since?: number): Row[] {
    const rows: Row[] = [];
    for (const { row, stamp } of this.#entries.values()) {
      if (since === undefined ? !row.deleted : stamp > since) rows.push(row);
    }
    return rows;
  }
}
