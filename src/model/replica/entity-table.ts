/** The entities of one kind by id, in the order in which the service first returned them, and the memory that they take. */
import { BudgetError } from '../../base/errors.ts';
import { quote } from '../../base/quote.ts';
import type { Transaction } from './entities.ts';

interface Entity {
  readonly id: string;
  readonly deleted: boolean;
}

export interface Change<Row> {
  readonly id: string;
  readonly before: Row | undefined;
  /** Undefined if the entity was deleted. */
  readonly after: Row | undefined;
}

export type Entities<Row extends Entity> = Pick<EntityTable<Row>, 'list' | 'get' | 'has'>;

export class EntityTable<Row extends Entity> {
  readonly #kind: string;
  readonly #estimate: (row: Row) => number;
  readonly #rows = new Map<string, Row>();
  #list: readonly Row[] | undefined;
  #bytes = 0;

  /** `kind` names an entity in error messages. `estimate` gives the memory of a row in bytes. */
  constructor(kind: string, estimate: (row: Row) => number = estimateBytes) {
    this.#kind = kind;
    this.#estimate = estimate;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  find(id: string): Row | undefined {
    return this.#rows.get(id);
  }

  /** Throws `resource_not_found`. */
  get(id: string): Row {
    const row = this.#rows.get(id);
    if (row === undefined) throw notFound(this.#kind, id);
    return row;
  }

  list(): readonly Row[] {
    this.#list ??= [...this.#rows.values()];
    return this.#list;
  }

  /**
   * Inserts or replaces rows by id, and removes deleted ones (docs/interface.md, Delta requests). Returns the
   * changes.
   */
  merge(rows: readonly Row[]): Change<Row>[] {
    if (rows.length > 0) this.#list = undefined;
    return rows.map((row) => {
      const before = this.#rows.get(row.id);
      const after = row.deleted ? undefined : row;
      if (after) this.#rows.set(row.id, after);
      else this.#rows.delete(row.id);
      this.#bytes += (after ? this.#estimate(after) : 0) - (before ? this.#estimate(before) : 0);
      return { id: row.id, before, after };
    });
  }
}

/** The 404.2 that the service would return (docs/interface.md, Errors), determined without a request. */
export const notFound = (kind: string, id: string) =>
  new BudgetError('resource_not_found', `The budget has no ${kind} ${quote(id)}.`);

/**
 * The service's data contradicts itself or the replica. The replica must be discarded and loaded again. The error is
 * internal and never reaches a caller of the cache.
 */
export class InconsistentReplicaError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InconsistentReplicaError';
  }
}

// Memory is estimated in bytes. The constants were measured on V8 with 8-byte pointers. The estimate is fast enough to be
// updated with every change.
const POINTER = 8;
const OBJECT_HEADER = 24;
const MAP_ENTRY = 36;

/** An entity in a table: object, strings, and map entry. */
export function estimateBytes(row: object): number {
  let bytes = estimateWithoutTexts(row);
  for (const value of Object.values(row)) if (typeof value === 'string') bytes += text(value);
  return bytes;
}

/** An entity whose strings are also those of another one. */
export const estimateWithoutTexts = (row: object): number =>
  OBJECT_HEADER + MAP_ENTRY + POINTER * Object.keys(row).length;

/** Object, id, and entries in the map and the lists. Ids of other entities and dates are shared strings. */
const TRANSACTION = 340;
const LEG = 200;

/**
 * A transaction with its legs. Only the fields that vary are measured, because a hundred thousand are measured at
 * once.
 */
export function estimateTransactionBytes(row: Transaction): number {
  let bytes =
    TRANSACTION +
    text(row.memo) +
    text(row.transfer_transaction_id) +
    text(row.matched_transaction_id) +
    text(row.import_id) +
    text(row.import_payee_name) +
    text(row.import_payee_name_original);
  for (const leg of row.subtransactions) bytes += LEG + text(leg.memo) + text(leg.transfer_transaction_id);
  return bytes;
}

/**
 * Header, padding and characters. A string with a character beyond Latin-1 uses two bytes per character. Only two
 * characters are checked, which is enough to recognise scripts. Checking all would make loading a budget a tenth
 * slower.
 */
function text(value: string | null): number {
  if (value === null) return 0;
  const isWide = value.charCodeAt(0) > 0xff || value.charCodeAt(value.length >> 1) > 0xff;
  return 20 + (isWide ? 2 * value.length : value.length);
}
