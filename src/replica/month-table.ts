/**
 * The months of a budget and the categories in each, in the order of the service: by date, whichever way the export had
 * them. A delta brings of a month what changed of it, and merges by both.
 */

import type { Category, MonthDetail, MonthSummary } from './entities.ts';
import { EntityTable, notFound } from './entity-table.ts';
import { InconsistentReplicaError } from './inconsistent-replica-error.ts';
import { estimateBytes } from './memory-estimate.ts';

interface Month {
  readonly summary: MonthSummary;
  readonly categories: EntityTable<Category>;
}

export class MonthTable {
  readonly #months = new Map<string, Month>();
  /** As the export had them. */
  #isNewestFirst: boolean | undefined;
  #ordered: readonly Month[] | undefined;
  readonly #categories: { has(id: string): boolean };
  #current = '';

  /** `categories` are those of the budget, which every category of a month is one of. */
  constructor(categories: { has(id: string): boolean }) {
    this.#categories = categories;
  }

  get bytes(): number {
    let bytes = 0;
    for (const { summary, categories } of this.#months.values())
      bytes += estimateBytes(summary) + categories.bytes;
    return bytes;
  }

  /** `date` is the day of the sync: `current` is the month that it is in (UTC). */
  setToday(date: string): void {
    this.#current = `${date.slice(0, 7)}-01`;
  }

  list(): readonly MonthSummary[] {
    return this.#inOrder().map(({ summary }) => summary);
  }

  details(): readonly MonthDetail[] {
    return this.#inOrder().map(detailOf);
  }

  /** `month` is a first day or `current`. Throws `resource_not_found`, as do `detail` and `category`. */
  summary(month: string): MonthSummary {
    return this.#get(month).summary;
  }

  detail(month: string): MonthDetail {
    return detailOf(this.#get(month));
  }

  category(month: string, id: string): Category {
    return this.#get(month).categories.get(id);
  }

  /** Whether a month has the category. */
  hasCategory(categoryId: string): boolean {
    return [...this.#months.values()].some(({ categories }) => categories.has(categoryId));
  }

  /** Throws `DistrustError` for a category that the budget does not have. */
  merge(months: readonly MonthDetail[]): void {
    this.#ordered = undefined;
    for (const { categories, ...summary } of months) {
      const { month, deleted } = summary;
      if (deleted) {
        this.#months.delete(month);
        continue;
      }
      const table = this.#months.get(month)?.categories ?? new EntityTable<Category>('category');
      for (const { after } of table.merge(categories))
        if (after && !this.#categories.has(after.id))
          throw new InconsistentReplicaError(`${month} has the unknown category ${after.id}.`);
      this.#months.set(month, { summary, categories: table });
    }
    const [first = '', second = first] = this.#months.keys();
    this.#isNewestFirst ??= first > second;
  }

  #inOrder(): readonly Month[] {
    const sign = this.#isNewestFirst ? -1 : 1;
    this.#ordered ??= [...this.#months]
      .toSorted(([a], [b]) => sign * (a < b ? -1 : 1))
      .map(([, month]) => month);
    return this.#ordered;
  }

  #get(month: string): Month {
    const found = this.#months.get(month === 'current' ? this.#current : month);
    if (found === undefined) throw notFound('month', month);
    return found;
  }
}

const detailOf = ({ summary, categories }: Month) => ({ ...summary, categories: categories.list() });
