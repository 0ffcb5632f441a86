/** The rows of one kind, each with the `server_knowledge` at which it last changed. */
import { isDeepStrictEqual } from 'node:util';

interface Deletable {
  readonly deleted: boolean;
}

interface Entry<Row> {
  readonly row: Row;
  readonly version: number;
  /** The position in the order of first insertion. */
  readonly order: number;
}

export class VersionedTable<Row extends Deletable> {
  readonly #entries = new Map<string, Entry<Row>>();

  /** Stores a row. Its version changes only if the row differs from the stored one. */
  put(id: string, row: Row, knowledge: number): void {
    const before = this.#entries.get(id);
    if (before !== undefined && isDeepStrictEqual(before.row, row)) return;
    this.#entries.set(id, { row, version: knowledge, order: before?.order ?? this.#entries.size });
  }

  /** Marks a row as deleted and keeps it. */
  tombstone(id: string, knowledge: number): void {
    const before = this.#entries.get(id);
    if (before === undefined || before.row.deleted) return;
    this.#entries.set(id, { ...before, row: { ...before.row, deleted: true }, version: knowledge });
  }

  /** Undefined for unknown and deleted ids. */
  get(id: string): Row | undefined {
    const row = this.#entries.get(id)?.row;
    return row?.deleted ? undefined : row;
  }

  /** 0 for an unknown id. */
  versionOf(id: string): number {
    return this.#entries.get(id)?.version ?? 0;
  }

  orderOf(id: string): number {
    return this.#entries.get(id)?.order ?? 0;
  }

  /** All rows, deleted ones included. */
  *all(): Generator<Row> {
    for (const { row } of this.#entries.values()) yield row;
  }

  /** All rows that are not deleted. With `since`, the rows that changed after it, deleted ones included. */
  list(since?: number): Row[] {
    const rows: Row[] = [];
    for (const { row, version } of this.#entries.values()) {
      if (since === undefined ? !row.deleted : version > since) rows.push(row);
    }
    return rows;
  }
}
