/** The parts of a budget that could not be read, by the things that it is about. */
import { BudgetError } from '../../base/errors.ts';
import { word } from '../../base/quote.ts';
import { isDay } from '../../base/schema/fields.ts';
import { type Gap, isMissingList } from '../../base/schema/gap.ts';
import type { Export } from './entities.ts';

/** The gaps of a budget. A row that can be read ends those of its thing. */
export class Gaps {
  readonly #gaps = new Map<string, Gap>();

  get all(): readonly Gap[] {
    return [...this.#gaps.values()];
  }

  /** That of a thing which is not part of another one, or of a category in a month (`keyOfPart`). */
  ofThing(id: string): Gap | undefined {
    return this.#gaps.get(id);
  }

  /** Throws `unreadable` if a thing was left out, or the list that would have it. */
  checkSent(kind: string, id: string): void {
    const gap = this.ofThing(id);
    if (gap?.left_out) throw unreadable(gap);
    if (this.all.some((each) => each.kind === kind && each.of === null && isMissingList(each)))
      throw new BudgetError('unreadable', `The service did not send the list that would have ${word(id)}.`);
  }

  /** For an export, or for a delta. A list that a delta lacks has no changes. Returns those that count. */
  merge({ budget, gaps = [] }: Export, isDelta: boolean): readonly Gap[] {
    if (this.#gaps.size > 0) {
      for (const rows of Object.values(budget))
        if (Array.isArray(rows)) for (const { id } of rows) this.#gaps.delete(id);
      for (const { month, categories } of budget.months) {
        this.#gaps.delete(month);
        for (const { id } of categories) this.#gaps.delete(keyOfPart(month, id));
      }
    }
    const counted = isDelta ? gaps.filter((each) => !isMissingList(each)) : gaps;
    for (const each of counted) this.#gaps.set(keyOf(each), each);
    return counted;
  }
}

const unreadable = ({ kind, id, fields }: Gap) =>
  new BudgetError(
    'unreadable',
    `The service sent the ${kind.replaceAll('_', ' ')} ${word(id ?? '')} without readable ${Object.keys(fields).join(', ')}.`,
  );

/** True if it is about a category in one month. */
export const isOfMonth = ({ kind, of }: Gap): boolean => kind === 'category' && isDay(of);

export const keyOfPart = (month: string, id: string) => `${month} ${id}`;

export function keyOf(gap: Gap): string {
  if (gap.id === null) return JSON.stringify(gap);
  return isOfMonth(gap) ? keyOfPart(gap.of ?? '', gap.id) : gap.id;
}
