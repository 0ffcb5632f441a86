/**
 * The months of a budget with their categories, by date in the direction that the service uses. A delta contains
 * only the changed categories of a month and is merged into them.
 */

import { compareTexts } from '../../base/compare.ts';
import { endsStep } from '../../base/turns.ts';
import { isInternalCategory, withoutOwnAmounts } from '../bookkeeping/own-categories.ts';
import type { Category, MonthDetail, MonthSummary } from './entities.ts';
import { EntityTable, estimateBytes, estimateWithoutTexts, notFound } from './entity-table.ts';
import type { NamedTables } from './names.ts';

interface Month {
  readonly summary: MonthSummary;
  readonly categories: EntityTable<Category>;
}

export class MonthTable {
  readonly #months = new Map<string, Month>();
  /** The direction of the order in the export. */
  #isNewestFirst: boolean | undefined;
  #ordered: readonly Month[] | undefined;
  readonly #categories: NamedTables['categories'];
  #current = '';

  /** `categories` is the table of the budget. */
  constructor(categories: NamedTables['categories']) {
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

  /** `month` is a first day or `current`. */
  firstDayOf(month: string): string {
    return month === 'current' ? this.#current : month;
  }

  has(month: string): boolean {
    return this.#months.has(this.firstDayOf(month));
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

  /** Yields after each step. A category that the budget does not have stays as the month has it. */
  *merge(months: readonly MonthDetail[]): Generator<void> {
    this.#ordered = undefined;
    let merged = 0;
    for (const { categories, ...summary } of months) {
      const { month, deleted } = summary;
      if (deleted) {
        this.#months.delete(month);
        continue;
      }
      const table =
        this.#months.get(month)?.categories ?? new EntityTable<Category>('category', estimateWithoutTexts);
      const rows: Category[] = [];
      for (const row of categories) {
        const known = this.#categories.find(row.id);
        const shared = known ? withTextsOf(known, row) : row;
        rows.push(isInternalCategory(known ?? row) ? withoutOwnAmounts(shared) : shared);
        merged += 1;
        if (endsStep(merged)) yield;
      }
      table.merge(rows);
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
    const entry = this.#months.get(this.firstDayOf(month));
    if (entry === undefined) throw notFound('month', month);
    return entry;
  }
}

/** The row with the texts of the budget's category where they are the same. Otherwise each month would have them in memory. */
function withTextsOf(known: Category, row: Category): Category {
  const share = <Text extends string | null>(text: Text, other: Text) => (text === other ? other : text);
  return {
    ...row,
    id: known.id,
    category_group_id: share(row.category_group_id, known.category_group_id),
    category_group_name: share(row.category_group_name, known.category_group_name),
    name: share(row.name, known.name),
    original_category_group_id: share(row.original_category_group_id, known.original_category_group_id),
    note: share(row.note, known.note),
    goal_type: share(row.goal_type, known.goal_type),
    goal_creation_month: share(row.goal_creation_month, known.goal_creation_month),
    goal_target_month: share(row.goal_target_month, known.goal_target_month),
    goal_target_date: share(row.goal_target_date, known.goal_target_date),
    goal_snoozed_at: share(row.goal_snoozed_at, known.goal_snoozed_at),
  };
}

const detailOf = ({ summary, categories }: Month) => ({ ...summary, categories: categories.list() });
