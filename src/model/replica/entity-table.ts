/** The entities of one kind by id, in the order in which the service first returned them. */
import { BudgetError } from '../../base/errors.ts';
import { quote } from '../../base/quote.ts';
import { estimateBytes } from './memory-estimate.ts';

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

/** The read methods of a table. */
export type Entities<Row extends Entity> = Pick<EntityTable<Row>, 'list' | 'get' | 'has'>;

export class EntityTable<Row extends Entity> {
  readonly #kind: string;
  readonly #rows = new Map<string, Row>();
  #list: readonly Row[] | undefined;
  #bytes = 0;

  /** `kind` names an entity in error messages. */
  constructor(kind: string) {
    this.#kind = kind;
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
      this.#bytes += (after ? estimateBytes(after) : 0) - (before ? estimateBytes(before) : 0);
      return { id: row.id, before, after };
    });
  }
}

/** The 404.2 that the service would return (docs/interface.md, Errors), determined without a request. */
export const notFound = (kind: string, id: string) =>
  new BudgetError('resource_not_found', `The budget has no ${kind} ${quote(id)}.`);
