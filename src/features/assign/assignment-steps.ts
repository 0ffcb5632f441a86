/**
 * The steps of a move and of an assignment: one write for each category. What is lowered comes first, so that the budget never shows
 * more than there is. Pure.
 */
import { z } from 'zod';
import type { Interruption, Progress, Step } from '../../answers/send-steps.ts';
import { firstOf, present, quote } from '../../answers/text.ts';
import type { Money } from '../../answers/units.ts';
import { categoryId, milliunits } from '../../base/schema/fields.ts';
import type { Category } from '../../model/replica/entities.ts';
import { updateMonthCategory } from '../../operations/categories.ts';
import type { JournalStep } from '../../session/writes/journal.ts';
import type { AssignedChange } from './assigned-money.ts';

interface Decided {
  readonly change: AssignedChange;
  /** The category as it is before. */
  readonly row: Category;
  readonly amount: number;
}

export const assignmentSteps = (month: string, decided: readonly Decided[]): Step[] =>
  decided.map(({ change, row, amount }) => ({
    operation: updateMonthCategory,
    input: { month, category_id: change.id, budgeted: row.budgeted + amount },
    rows: [row],
  }));

const budgetedIn = z.object({ budgeted: milliunits });
const categoryStep = z.object({
  input: budgetedIn.extend({ category_id: categoryId }),
  before: z.tuple([budgetedIn]),
  data: z.object({ category: budgetedIn.extend({ balance: milliunits }) }),
});

/** What a step has assigned to its category, and what the service has answered. */
interface Assigned {
  readonly amount: number;
  readonly budgeted: number;
  readonly balance: number;
}

/** By the id of the category. */
export const assignedBy = (done: readonly JournalStep[]): ReadonlyMap<string, Assigned> =>
  new Map(
    done.map((step) => {
      const { input, before, data } = categoryStep.parse(step);
      const amount = input.budgeted - before[0].budgeted;
      return [input.category_id, { amount, ...data.category }];
    }),
  );

const MAX_NAMES = 20;

/** The categories that are written, and those that are not. */
export function interruptedAssignment(
  { month, changes }: { readonly month: string; readonly changes: readonly AssignedChange[] },
  { done, failed, isUnknown }: Progress,
  money: Money,
  howToGoOn: string,
): Interruption {
  const assigned = assignedBy(done);
  const { category_id: failedId, budgeted } = categoryStep.shape.input.parse(failed.input);
  const list = (each: readonly AssignedChange[], describe: (each: AssignedChange) => string) =>
    each.length === 0 ? 'none' : firstOf(each.map(describe), MAX_NAMES).join(', ');
  const written = changes.filter(({ id }) => assigned.has(id));
  const open = changes.filter(({ id }) => !assigned.has(id) && !(isUnknown && id === failedId));
  const unknown = isUnknown ? changes.find(({ id }) => id === failedId) : undefined;
  const [before] = categoryStep.shape.before.parse(failed.rows);
  const isOne = changes.length === 1;
  const stands = present([
    !isOne &&
      `${written.length} of ${changes.length} categories of ${month.slice(0, 7)} are written: ${list(written, ({ id, name }) => `${quote(name)} ${money(assigned.get(id)?.budgeted ?? 0)}`)}.`,
    unknown &&
      `It is not known whether ${quote(unknown.name)} has ${money(budgeted)} budgeted, or still ${money(before.budgeted)}.`,
    !isOne && `Not written: ${list(open, ({ name }) => quote(name))}.`,
  ]);
  return [stands.join(' '), isUnknown ? '' : howToGoOn];
}
