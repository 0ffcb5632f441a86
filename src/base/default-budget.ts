/**
 * The default budget: the one that a call is about if it names none. It is what the person has chosen, and what is entered in a
 * budget never changes it. Pure.
 */
import { z } from 'zod';
import { compareTexts } from './compare.ts';
import { quoteStart } from './quote.ts';
import type { BudgetSummary } from './schema/budget.ts';
import { orNull } from './schema/fields.ts';

export type ListedBudget = Pick<BudgetSummary, 'id' | 'name' | 'first_month'>;

/** The budgets of a person. `default_budget` is the one that they have chosen at the service. */
export interface BudgetList<Budget extends ListedBudget = ListedBudget> {
  readonly budgets: readonly Budget[];
  readonly default_budget: Budget | null;
}

const listed = z.object({ id: z.string().min(1), name: z.string(), first_month: orNull(z.string()) });

/** The list in an answer of the service, where no more of it is read. */
export const budgetsAnswer = z.object({
  data: z.object({ budgets: z.array(listed), default_budget: orNull(listed) }),
});

/** Where a budget was chosen, by its id or name: in the settings of the program, or at the sign-in. */
export interface BudgetChoice {
  readonly by: 'settings' | 'sign-in';
  readonly budget: string;
}

/** Why a budget is the default one. */
export const defaultReasons = ['settings', 'sign-in', 'service', 'only', 'first'] as const;

export interface DefaultBudget<Budget extends ListedBudget = ListedBudget> {
  readonly budget: Budget;
  readonly by: (typeof defaultReasons)[number];
  readonly others: readonly Budget[];
}

/** Undefined if there is no budget, or not the one that was chosen. `first` is the id of the one that was the first before. */
export function defaultBudgetOf<Budget extends ListedBudget>(
  { budgets, default_budget }: BudgetList<Budget>,
  choice?: BudgetChoice,
  first?: string,
): DefaultBudget<Budget> | undefined {
  const found = (budget: Budget | undefined, by: DefaultBudget['by']) =>
    budget && { budget, by, others: budgets.filter(({ id }) => id !== budget.id) };
  if (choice) {
    const name = choice.budget.toLowerCase();
    const named = budgets.find((each) => each.name.toLowerCase() === name);
    return found(budgets.find(({ id }) => id === choice.budget) ?? named, choice.by);
  }
  if (default_budget) return found(default_budget, 'service');
  const [earliest] = budgets.toSorted(
    (a, b) =>
      compareTexts(monthOf(a), monthOf(b)) || compareTexts(a.name, b.name) || compareTexts(a.id, b.id),
  );
  return found(budgets.find(({ id }) => id === first) ?? earliest, budgets.length === 1 ? 'only' : 'first');
}

/** A budget without a month comes last. */
const monthOf = ({ first_month }: ListedBudget) => first_month ?? '9999';

const reasons = {
  settings: 'as the settings say',
  'sign-in': 'as chosen at sign-in',
  service: 'the default at the service',
  only: 'the only one',
  first: 'which begins first',
} as const satisfies Record<DefaultBudget['by'], string>;

const MAX_NAME_LENGTH = 100;
const quoted = ({ name }: Pick<ListedBudget, 'name'>) => quoteStart(name, MAX_NAME_LENGTH);

/** In words, such as `"Household", as chosen at sign-in`. */
export const describeDefault = (found: Pick<ListedBudget, 'name'> & Pick<DefaultBudget, 'by'>) =>
  `${quoted(found)}, ${reasons[found.by]}`;

const MAX_LISTED = 10;

/** True if there are others that may be meant, because the person has not chosen one here. */
export const isUnchosen = ({ by, others }: Pick<DefaultBudget, 'by' | 'others'>) =>
  (by === 'service' || by === 'first') && others.length > 0;

/** For the answer to a call that named no budget. */
export function describeOthers(found: DefaultBudget): string {
  const names = found.others.slice(0, MAX_LISTED).map(quoted);
  const rest = found.others.length - names.length;
  const all = [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  return `No budget was named, so this is about ${describeDefault({ ...found.budget, by: found.by })}. There are also: ${all}. budget_id names one; the user chooses the default at sign-in or with --budget.`;
}
