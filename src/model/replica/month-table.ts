/**
 * The months of a budget with their categories, by date in the direction that the service uses. A delta contains
 * only the changed categories of a month and is merged into them.
 */

import { compareTexts } from '../../base/compare.ts';
import { endsStep } from '../../base/turns.ts';
import type { Category, MonthDetail, MonthSummary } from './entities.ts';
import { EntityTable, estimateBytes, InconsistentReplicaError, notFound } from './entity-table.ts';

interface Month {
  readonly summary: MonthSummary;
  readonly categories: EntityTable<Category>;
}

export class MonthTable {
  readonly #months = new Map<string, Month>();
  /** The direction of the order in the export. */
  #isNewestFirst: boolean | undefined;
  #ordered: readonly Month[] | undefined;
  readonly #categories: { has(id: string): boolean };
  #current = '';

  /** `categories` is the table of the budget. It must contain every category of a month. */
  constructor(categories: { has(id: string): boolean }) {
    this.#categories = categories;
  }

  get bytes(): number {
    let bytes = 0;
    for (const { summary, categories } of this.#months.values())
      bytes += estimateBytes(summary) + categories.bytes;
    return bytes;
  }

  /** `date` is the day of the sync in UTC. It determines the month `current`. */
  setToday(date: string): void {
    this.#current = `${date.slice(0, 7)}-01`;
  }

  list(): readonly MonthSummary[] {
    return this.#inOrder().map(({ summary }) => summary);
  }

  details(): readonly MonthDetail[] {
    return this.#inOrder().map(detailOf);
  }

  /** `month` is a first day or `current`. Throws `resource_not_found`, like `detail` and `category`. */
  summary(month: string): MonthSummary {
    return this.#get(month).summary;
  }

  detail(month: string): MonthDetail {
    return detailOf(this.#get(month));
  }

  category(month: string, id: string): Category {
    return this.#get(month).categories.get(id);
  }

  hasCategory(categoryId: string): boolean {
    return [...this.#months.values()].some(({ categories }) => categories.has(categoryId));
  }

  /** Yields after each step. Throws `InconsistentReplicaError` for a category that the budget does not have. */
  *merge(months: readonly MonthDetail[]): Generator<void> {
    this.#ordered = undefined;
    let merged = 0;
    for (const { categories, ...summary } of months) {
      const { month, deleted } = summary;
      if (deleted) {
        this.#months.delete(month);
        continue;
      }
      const table = this.#months.get(month)?.categories ?? new EntityTable<Category>('category');
      for (const { after } of table.merge(categories)) {
        if (after && !this.#categories.has(after.id))
          throw new InconsistentReplicaError(`${month} has the unknown category ${after.id}.`);
        merged += 1;
        if (endsStep(merged)) yield;
      }
      this.#months.set(month, { summary, categories: table });
    }
    const [first = '', second = first] = this.#months.keys();
    this.#isNewestFirst ??= first > second;
  }

  #inOrder(): readonly Month[] {
    const sign = this.#isNewestFirst ? -1 : 1;
    this.#ordered ??= [...this.#months]
      .toSorted(([a], [b]) => sign * compareTexts(a, b))
      .map(([, month]) => month);
    return this.#ordered;
  }

  #get(month: string): Month {
    const entry = this.#months.get(month === 'current' ? this.#current : month);
    if (entry === undefined) throw notFound('month', month);
    return entry;
  }
}

const detailOf = ({ summary, categories }: Month) => ({ ...summary, categories: categories.list() });
