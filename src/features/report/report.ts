/** Answers what was spent or earned, and what is owned and owed, over any range of days. Computed from the cached budget. */
import { z } from 'zod';
import { present, quote } from '../../answers/text.ts';
import { defineTool } from '../../answers/tool.ts';
import { readWholeBudget } from '../../answers/whole-budget.ts';
import { type Days, firstOfMonth, isToCome, lastOfMonth } from '../../base/calendar.ts';
import { invalidInput } from '../../base/errors.ts';
import {
  accountId,
  budgetId,
  categoryOrGroupId,
  flag,
  flagColor,
  payeeId,
  rangeEnd,
  rangeStart,
} from '../../base/schema/fields.ts';
import type { BudgetReplica } from '../../model/replica/budget-replica.ts';
import { wordsOf } from '../../model/sums/text-search.ts';
import { countedCategories } from './counted-categories.ts';
import { groupingOf, groupings } from './groupings.ts';
import { comparedRange, type Period, periodsOf, type Range, rangeOf } from './periods.ts';
import { reportText } from './report-answer.ts';
import { factsOf } from './report-facts.ts';
import { comparedFigures, type Figures, figuresOf, pageOfRows } from './report-figures.ts';
import { type Report, reportKinds, reportSchema, type Totals } from './report-schema.ts';
import { reportContent } from './report-view.ts';

const MAX_TOP = 1_000;

const input = z.strictObject({
  budget_id: budgetId,
  of: reportKinds,
  by: groupings.optional(),
  monthly: flag.optional(),
  since: rangeStart.optional(),
  until: rangeEnd.optional(),
  category: z.array(categoryOrGroupId).min(1).optional(),
  payee: z.array(payeeId).min(1).optional(),
  account: z.array(accountId).min(1).optional(),
  text: z.string().meta({ description: 'as in find_transactions' }).optional(),
  flag_color: flagColor.optional(),
  versus: z.enum(['previous', 'last_year']).meta({ description: 'range to compare with' }).optional(),
  top: z.int().min(1).max(MAX_TOP).meta({ description: 'number of rows' }).optional(),
  cursor: z.string().optional(),
});

type Input = z.output<typeof input>;

/** The data of the answer has all rows. */
export const report = defineTool({
  name: 'report',
  title: 'Report of spending, income and net worth',
  description:
    'How much did we spend on something or at a shop, how often, on average, in total? Where does the money go, who gets the most? How much do I earn, save (savings rate), own, owe, am I worth? Is it up or down this month, more than last year? Spending (less refunds), income (with starting balances) or net worth (assets minus debts): this month or, monthly, the last 12 months. Transfers within the budget and card payments do not count, those to tracking accounts do. A split counts once. Also what was budgeted and is left, the goal of a category, transfers and balance of an account.',
  kind: 'read',
  toolset: 'reports',
  input,
  output: reportSchema,
  example: { of: 'spending', by: 'category', monthly: true, since: '2026-06' },
  check: problemsOf,
  async run(call, wanted) {
    const { replica, freshness } = await readWholeBudget(call);
    const { by = 'none', monthly = false, top, cursor } = wanted;
    const data = reportOf(replica, wanted, call.today);
    const view = () => reportContent(data, replica, { ...wanted, by }, monthly);
    return { data, freshness, page: { top, cursor }, view };
  },
  text(answer, context) {
    const data = { ...answer.data, ...pageOfRows(answer.data, answer.page, context) };
    return { data, ...reportText(data, context) };
  },
  view: 'report',
});

const ofLines = groupings.options.filter((each) => !groupingOf(each).ofCategory);

function problemsOf(wanted: Input, days: Days): string[] {
  const { of, by = 'none', monthly, since, until, category, payee, text, flag_color, versus } = wanted;
  return present([
    since !== undefined && until !== undefined && until < since && 'until is before since',
    since !== undefined && isToCome(since, days) && `since is in the future: today is ${days.today}`,
    of !== 'spending' && category !== undefined && 'category goes with of: spending only',
    of === 'income' &&
      groupingOf(by).ofCategory !== undefined &&
      `income has one category only: use by: ${ofLines.join(', ')}`,
    of === 'both' && by !== 'none' && 'of: both takes no by: ask for spending or income instead',
    of === 'net_worth' &&
      !(by === 'account' || by === 'none') &&
      'net_worth is of accounts: use by: account or none',
    of === 'net_worth' &&
      (payee ?? text ?? flag_color) !== undefined &&
      'net_worth is of accounts: leave out payee, text and flag_color',
    of === 'net_worth' && versus !== undefined && 'net_worth shows its change: leave out versus',
    monthly === true && versus !== undefined && 'versus compares whole ranges: leave out monthly',
    text !== undefined && wordsOf(text).length === 0 && 'text has no word to search for',
  ]);
}

function reportOf(replica: BudgetReplica, wanted: Input, today: string): Report {
  const { of, by = 'none', monthly, since, until, text, flag_color, versus } = wanted;
  const only = limitsOf(replica, wanted);
  const { range, first } = rangeIn(replica, wanted, today);
  const figuresIn = (periods: readonly Period[]) => figuresOf(replica, periods, { ...wanted, by });
  const now = figuresIn(monthly ? periodsOf(range) : [whole(range)]);
  const before = versus && comparedRange(range, versus);
  const earlier = before && figuresIn([whole(before)]);
  const figures = earlier ? comparedFigures(now, earlier, wanted.category) : now;
  const begin = before?.since ?? since;
  return {
    of,
    by,
    ...range,
    ...(since === undefined && until === undefined && { is_default_range: true }),
    only,
    ...(text !== undefined && { text }),
    ...(flag_color !== undefined && { flag_color }),
    ...(before && earlier && { versus: { ...before, ...totalsOf(earlier) } }),
    ...figures,
    ...factsOf(replica, figures, { ...wanted, by }, range, today),
    ...(first !== undefined &&
      begin !== undefined &&
      begin < firstOfMonth(first) && { first_transaction: first }),
  };
}

const totalsOf = ({
  total,
  transactions,
  income,
  spending,
  starting_balances,
  adjustments,
}: Figures): Totals => ({
  total,
  starting_balances,
  adjustments,
  ...(transactions !== undefined && { transactions }),
  ...(income !== undefined && { income, spending }),
});

const whole = (range: Range): Period => ({ ...range, name: range.until });

/** The range within the days on which there are transactions. Throws `invalid_input` if it is before them. */
function rangeIn(replica: BudgetReplica, wanted: Input, today: string) {
  const { first, last: newest = today } = replica.transactions.days ?? {};
  const { monthly = false, since = today } = wanted;
  const last = [newest, today, since].reduce((last, each) => (each > last ? each : last));
  // The service may have begun the next month, in UTC, and have entered what was scheduled in it.
  const end = wanted.since === undefined && last > lastOfMonth(today) ? lastOfMonth(today) : undefined;
  const { until = end } = wanted;
  const range = rangeOf({ ...wanted, monthly, until }, first ?? today, last);
  if (range.since > range.until)
    throw invalidInput(
      `There are no transactions before ${first ?? today}, so nothing can be said of earlier days: choose a later range.`,
    );
  return { range, first };
}

/** Throws `resource_not_found`, and `invalid_input` for what has no spending or income. */
function limitsOf(
  replica: BudgetReplica,
  { of, category = [], payee = [], account = [] }: Input,
): Report['only'] {
  return [
    ...category.map((each) => {
      const isGroup = replica.groups.has(each);
      const { id, name } = isGroup ? replica.groups.get(each) : replica.categories.get(each);
      const { categories, countsUncategorized } = countedCategories(replica, 'spending', [each]);
      if (categories.length === 0 && !countsUncategorized && !isEmptyGroup(replica, each))
        throw invalidInput(`${quote(name)} has no spending of its own. Use of: income, or another category.`);
      return { kind: isGroup ? ('category_group' as const) : ('category' as const), id, name };
    }),
    ...payee.map((each) => ({ kind: 'payee' as const, id: each, name: replica.payees.get(each).name })),
    ...account.map((each) => {
      const { id, name, on_budget } = replica.accounts.get(each);
      if (!on_budget && of !== 'net_worth')
        throw invalidInput(
          `${quote(name)} is a tracking account, which has no spending and no income. Use of: net_worth.`,
        );
      return { kind: 'account' as const, id, name };
    }),
  ];
}

const isEmptyGroup = ({ categories }: BudgetReplica, group: string) =>
  !categories.has(group) && categories.list().every(({ category_group_id }) => category_group_id !== group);
